/// The static check of a scoring key against the items of its questionnaire. All pointers begin with `/scoring`.
struct ScoringCheck {
    static let maximumScales = 200

    let key: ScoringKey
    /// By linkId; without the items in repeating groups.
    let items: [String: Item]
    var faults = FaultCollector()
    let covariates: [String: Covariate]
    let tables: [String: LookupTable]
    /// For each scale id, the ids of all scales that it uses directly or indirectly.
    private let dependencies: [String: Set<String>]
    /// The attainable ranges of the scales that have been checked.
    private var ranges: AttainableRanges

    init(_ key: ScoringKey, items: [String: Item]) {
        self.key = key
        self.items = items
        covariates = Dictionary(key.covariates.map { ($0.id, $0) }) { first, _ in first }
        tables = Dictionary(key.tables.map { ($0.id, $0) }) { first, _ in first }
        dependencies = Self.dependencies(key, items: items)
        ranges = AttainableRanges(key, items: items)
    }

    /// Adds all faults of the key to `faults`.
    mutating func run() {
        if !VersionNumber.isValid(key.version) {
            faults.add("/scoring/version", "bad_version", VersionNumber.rule)
        }
        if key.scales.isEmpty { faults.add("/scoring/scales", "no_scales", "A scoring key needs scales.") }
        guard key.scales.count <= Self.maximumScales else {
            faults.add(
                "/scoring/scales", "too_many_scales",
                "A scoring key has at most \(Self.maximumScales) scales.")
            return
        }
        checkCovariates()
        checkTables()
        var earlier: [String: Int] = [:]
        for (index, scale) in key.scales.enumerated() {
            let pointer = "/scoring/scales/\(index)"
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
            checkValues(scale, pointer)
            checkExclusions(scale, pointer, earlier: earlier)
            let range = ranges.add(scale)
            checkTransform(scale, pointer, range.steps)
            checkBands(scale, pointer, earlier: earlier)
            checkGaps(
                scale.bands.filter(\.conditions.isEmpty).map(\.range), within: range.result,
                "\(pointer)/bands", "band_gap", onlyInside: true)
            checkRange(scale, range.result, pointer)
            checkChange(scale, pointer)
            checkWindows(scale, pointer)
            if earlier[scale.id] == nil { earlier[scale.id] = index }
        }
    }

    private mutating func checkItems(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        if scale.items.isEmpty { faults.add("\(pointer)/items", "no_items", "A scale needs items.") }
        var seen: Set<String> = []
        for (index, name) in scale.items.enumerated() {
            let elementPointer = "\(pointer)/items/\(index)"
            if !seen.insert(name).inserted {
                faults.add(elementPointer, "duplicate_item", "\(name) is in the list twice.", naming: name)
            }
            switch (items[name], earlier[name]) {
            case (.some, .some):
                faults.add(
                    elementPointer, "ambiguous_item", "An item and an earlier scale have the name \(name).",
                    naming: name)
            case (let item?, nil): checkType(item, scale, elementPointer)
            case (nil, .some):
                if scale.method.usesTimes {
                    faults.add(elementPointer, "no_moment", "\(name) is a scale, not a time.", naming: name)
                }
            case (nil, nil):
                if name == scale.id {
                    faults.add(elementPointer, "cycle", "A scale cannot contain itself.")
                } else if dependencies[name]?.contains(scale.id) ?? false {
                    faults.add(
                        elementPointer, "cycle",
                        "The scale \(name) uses \(scale.id), directly or through other scales, so \(scale.id) cannot use \(name).",
                        naming: name)
                } else if key.scales.contains(where: { $0.id == name }) {
                    faults.add(
                        elementPointer, "later_scale",
                        "The scale \(name) is defined later. A scale can only use earlier scales.",
                        naming: name)
                } else {
                    faults.add(
                        elementPointer, "unknown_item", "There is no item or scale \(name).", naming: name)
                }
            }
        }
    }

    /// For each scale id, the ids of all scales that it uses directly or indirectly.
    private static func dependencies(_ key: ScoringKey, items: [String: Item]) -> [String: Set<String>] {
        let ids = Set(key.scales.prefix(maximumScales).map(\.id))
        var direct: [String: Set<String>] = [:]
        for scale in key.scales.prefix(maximumScales) where direct[scale.id] == nil {
            direct[scale.id] = Set(scale.items.filter { ids.contains($0) && items[$0] == nil })
        }
        return direct.mapValues { first in
            var seen = first
            var pending = Array(first)
            while let next = pending.popLast() {
                for name in direct[next] ?? [] where seen.insert(name).inserted { pending.append(name) }
            }
            return seen
        }
    }

    /// Checks that the answers of the item have values that the method can use.
    private mutating func checkType(_ item: Item, _ scale: Scale, _ pointer: String) {
        if scale.method.usesTimes {
            let isTime =
                !item.repeats && item.type.form == .moment
                && (item.expressionType == .time || scale.method == .elapsed)
            if !isTime {
                faults.add(pointer, "no_moment", "\(item.linkId) is not a time.", naming: item.linkId)
            }
            return
        }
        switch item.type.form {
        case .truth: break
        case .number:
            if item.repeats || item.hasMixedUnits {
                let what = item.type.hasUnits ? "units or values" : "values"
                faults.add(
                    pointer, "not_numeric", "\(item.linkId) has several \(what).", naming: item.linkId)
            }
        case .options:
            if scale.recode[item.linkId] == nil, !item.hasWeights {
                faults.add(
                    pointer, "no_weight", "\(item.linkId) has options that are codes without a weight.",
                    naming: item.linkId)
            }
        case .nothing, .text, .moment, .ranking, .location:
            faults.add(
                pointer, "not_numeric",
                "\(item.linkId) has the type \(item.type.rawValue), which has no numeric value.",
                naming: item.linkId)
        }
    }

    private mutating func checkReverse(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        var seen: Set<String> = []
        for (index, name) in scale.reverse.enumerated() {
            let elementPointer = "\(pointer)/reverse/\(index)"
            if !seen.insert(name).inserted {
                faults.add(elementPointer, "duplicate_item", "\(name) is in the list twice.", naming: name)
            }
            guard scale.items.contains(name) else {
                faults.add(
                    elementPointer, "unknown_item", "\(name) is not an item of this scale.", naming: name)
                continue
            }
            let isBounded: Bool
            if let item = items[name] {
                isBounded = ItemWeights(item, recode: scale.recode[name]).declaredRange != nil
            } else if let index = earlier[name] {
                isBounded = key.scales[index].minimum != nil && key.scales[index].maximum != nil
            } else {
                continue
            }
            if !isBounded {
                faults.add(
                    elementPointer, "no_range", "\(name) has no declared range, so it cannot be reversed.",
                    naming: name
                )
            }
        }
    }

    private mutating func checkArithmetic(_ scale: Scale, _ pointer: String) {
        if let count = scale.method.itemCount, scale.items.count != count {
            faults.add(
                "\(pointer)/items", count == 1 ? "one_item" : "two_items",
                "The method \(scale.method.rawValue) needs exactly \(count == 1 ? "one item" : "two items").")
        }
        if scale.method == .elapsed, Set(scale.items.compactMap { items[$0]?.type }).count > 1 {
            faults.add(
                "\(pointer)/items", "mixed_moments", "Both items must be times, both dates or both instants.")
        }
        if !scale.factor.isFinite || scale.factor == 0 || abs(scale.factor) > 1e9 {
            faults.add(
                "\(pointer)/factor", "out_of_range", "A factor is a number from -1e9 to 1e9, but not 0.")
        }
        if !scale.offset.isFinite || abs(scale.offset) > 1e9 {
            faults.add("\(pointer)/offset", "out_of_range", "An offset is a number from -1e9 to 1e9.")
        }
        if let rounding = scale.rounding, !(0...9).contains(rounding.places) {
            faults.add(
                "\(pointer)/round/places", "out_of_range", "The number of decimal places is from 0 to 9.")
        }
    }
}
