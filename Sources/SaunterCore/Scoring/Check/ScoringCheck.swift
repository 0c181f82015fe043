/// The static check of a scoring key against the items of its questionnaire. Pointers begin at `/scoring`.
struct ScoringCheck {
    static let maximumScales = 200

    let key: ScoringKey
    let items: [String: Item]
    var faults = GatheredFaults()
    let covariates: [String: Covariate]
    let tables: [String: LookupTable]
    private let takenUp: [String: Set<String>]
    /// What each scale can reach, as far as the check has come.
    private var survey: ReachSurvey

    init(_ key: ScoringKey, items: [String: Item]) {
        self.key = key
        self.items = items
        covariates = Dictionary(key.covariates.map { ($0.id, $0) }) { first, _ in first }
        tables = Dictionary(key.tables.map { ($0.id, $0) }) { first, _ in first }
        takenUp = Self.takenUp(key, items: items)
        survey = ReachSurvey(key, items: items)
    }

    mutating func run() {
        if !VersionNumber.isValid(key.version) {
            faults.add("/scoring/version", "bad_version", VersionNumber.rule)
        }
        if key.scales.isEmpty { faults.add("/scoring/scales", "no_scales", "A scoring key needs scales.") }
        guard key.scales.count <= Self.maximumScales else {
            faults.add(
                "/scoring/scales", "too_many_scales", "At most \(Self.maximumScales) scales are taken.")
            return
        }
        checkCovariates()
        checkTables()
        var earlier: [String: Int] = [:]
        for (place, scale) in key.scales.enumerated() {
            let pointer = "/scoring/scales/\(place)"
            if !DefinitionName.isValid(scale.id) {
                faults.add("\(pointer)/id", "bad_id", DefinitionName.rule)
            }
            if earlier[scale.id] != nil {
                faults.add("\(pointer)/id", "duplicate_id", "An earlier scale has the id \(scale.id).")
            }
            checkItems(scale, pointer, earlier: earlier)
            checkReverse(scale, pointer, earlier: earlier)
            checkArithmetic(scale, pointer)
            checkMissing(scale, pointer)
            checkWords(scale, pointer)
            checkExclusions(scale, pointer, earlier: earlier)
            let reach = survey.add(scale)
            checkTransform(scale, pointer, reach.steps)
            checkBands(scale, pointer, earlier: earlier)
            checkGaps(
                scale.bands.filter(\.conditions.isEmpty).map(\.range), within: reach.result,
                "\(pointer)/bands", "band_gap", onlyInside: true)
            checkRange(scale, reach.result, pointer)
            checkChange(scale, pointer)
            checkWindows(scale, pointer)
            if earlier[scale.id] == nil { earlier[scale.id] = place }
        }
    }

    private mutating func checkItems(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        if scale.items.isEmpty { faults.add("\(pointer)/items", "no_items", "A scale needs items.") }
        var seen: Set<String> = []
        for (index, name) in scale.items.enumerated() {
            let here = "\(pointer)/items/\(index)"
            if !seen.insert(name).inserted { faults.add(here, "duplicate_item", "\(name) is named twice.") }
            switch (items[name], earlier[name]) {
            case (.some, .some):
                faults.add(here, "ambiguous_item", "An item and an earlier scale have the name \(name).")
            case (let item?, nil): checkCounts(item, scale, here)
            case (nil, .some):
                if scale.method.takesMoments {
                    faults.add(here, "no_moment", "\(name) is a scale, which is no time.")
                }
            case (nil, nil):
                if name == scale.id {
                    faults.add(here, "cycle", "A scale cannot be among its own items.")
                } else if takenUp[name]?.contains(scale.id) ?? false {
                    faults.add(here, "cycle", "The scale \(name) itself takes up \(scale.id).")
                } else if key.scales.contains(where: { $0.id == name }) {
                    faults.add(
                        here, "later_scale",
                        "The scale \(name) stands later; a scale takes up earlier ones only.")
                } else {
                    faults.add(here, "unknown_item", "There is no item or scale \(name).")
                }
            }
        }
    }

    /// For each scale all that it takes up, at first or at further hand.
    private static func takenUp(_ key: ScoringKey, items: [String: Item]) -> [String: Set<String>] {
        let ids = Set(key.scales.prefix(maximumScales).map(\.id))
        var direct: [String: Set<String>] = [:]
        for scale in key.scales.prefix(maximumScales) where direct[scale.id] == nil {
            direct[scale.id] = Set(scale.items.filter { ids.contains($0) && items[$0] == nil })
        }
        return direct.mapValues { first in
            var seen = first
            var open = Array(first)
            while let next = open.popLast() {
                for name in direct[next] ?? [] where seen.insert(name).inserted { open.append(name) }
            }
            return seen
        }
    }

    /// Whether the answers of an item count as what the method takes.
    private mutating func checkCounts(_ item: Item, _ scale: Scale, _ pointer: String) {
        if scale.method.takesMoments {
            let isMoment =
                !item.repeats
                && (item.type == .time || scale.method == .elapsed && [.date, .dateTime].contains(item.type))
            if !isMoment { faults.add(pointer, "no_moment", "\(item.linkId) is no time.") }
            return
        }
        switch item.type {
        case .boolean: break
        case .integer, .decimal:
            if item.repeats { faults.add(pointer, "not_numeric", "\(item.linkId) has several values.") }
        case .quantity:
            if item.repeats || item.unitOption.count != 1 {
                faults.add(pointer, "not_numeric", "\(item.linkId) has several units or values.")
            }
        case .choice, .openChoice:
            if scale.recode[item.linkId] == nil,
                item.answerOption.contains(where: { item.weight(of: $0) == nil })
            {
                faults.add(pointer, "no_weight", "Options of \(item.linkId) are codes without a weight.")
            }
        case .group, .display, .string, .text, .date, .dateTime, .time, .ranking:
            faults.add(
                pointer, "not_numeric",
                "\(item.linkId) is a \(item.type.rawValue), which counts as no number.")
        }
    }

    private mutating func checkReverse(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        var seen: Set<String> = []
        for (index, name) in scale.reverse.enumerated() {
            let here = "\(pointer)/reverse/\(index)"
            if !seen.insert(name).inserted { faults.add(here, "duplicate_item", "\(name) is named twice.") }
            guard scale.items.contains(name) else {
                faults.add(here, "unknown_item", "\(name) is not among the items of this scale.")
                continue
            }
            let isBounded: Bool
            if let item = items[name] {
                isBounded = ItemWeights(item, recode: scale.recode[name]).declaredRange != nil
            } else if let place = earlier[name] {
                isBounded = key.scales[place].minimum != nil && key.scales[place].maximum != nil
            } else {
                continue
            }
            if !isBounded { faults.add(here, "no_range", "\(name) has no declared range to be reversed in.") }
        }
    }

    private mutating func checkArithmetic(_ scale: Scale, _ pointer: String) {
        if let count = scale.method.itemCount, scale.items.count != count {
            faults.add(
                "\(pointer)/items", count == 1 ? "one_item" : "two_items",
                "The method \(scale.method.rawValue) takes exactly \(count == 1 ? "one item" : "two items").")
        }
        if scale.method == .elapsed, Set(scale.items.compactMap { items[$0]?.type }).count > 1 {
            faults.add("\(pointer)/items", "mixed_moments", "Both must be times, dates or instants.")
        }
        if !scale.factor.isFinite || scale.factor == 0 || abs(scale.factor) > 1e9 {
            faults.add("\(pointer)/factor", "out_of_range", "A factor is a number other than 0, up to 1e9.")
        }
        if !scale.offset.isFinite || abs(scale.offset) > 1e9 {
            faults.add("\(pointer)/offset", "out_of_range", "An offset is a number up to 1e9.")
        }
        if let rounding = scale.rounding, !(0...9).contains(rounding.places) {
            faults.add("\(pointer)/round/places", "out_of_range", "Decimal places are from 0 to 9.")
        }
    }
}
