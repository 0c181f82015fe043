/// The static check of a scoring key against the items of its questionnaire. Pointers begin at `/scoring`.
struct ScoringCheck {
    static let maximumScales = 200

    let key: ScoringKey
    let items: [String: Item]
    var faults = GatheredFaults()
    /// What each scale can reach, by its place; nil where it is not bounded.
    var reach: [(least: Quantity, greatest: Quantity)?] = []

    init(_ key: ScoringKey, items: [String: Item]) {
        self.key = key
        self.items = items
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
            checkBands(scale, pointer)
            reach.append(self.reach(of: scale, earlier: earlier))
            checkRange(scale, place, pointer)
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
            case (let item?, nil): checkCounts(item, here)
            case (nil, .some): break
            case (nil, nil):
                if name == scale.id {
                    faults.add(here, "cycle", "A scale cannot be among its own items.")
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

    /// Whether the answers of an item count as numbers.
    private mutating func checkCounts(_ item: Item, _ pointer: String) {
        switch item.type {
        case .boolean, .integer, .decimal: break
        case .choice:
            if item.answerOption.contains(where: { item.weight(of: $0) == nil }) {
                faults.add(pointer, "no_weight", "Options of \(item.linkId) are codes without a weight.")
            }
        case .group, .display, .string, .text, .date, .dateTime, .time:
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
                isBounded = item.declaredRange != nil
            } else if let place = earlier[name] {
                isBounded = key.scales[place].minimum != nil && key.scales[place].maximum != nil
            } else {
                continue
            }
            if !isBounded { faults.add(here, "no_range", "\(name) has no declared range to be reversed in.") }
        }
    }

    private mutating func checkArithmetic(_ scale: Scale, _ pointer: String) {
        if scale.method == .value, scale.items.count != 1 {
            faults.add("\(pointer)/items", "one_item", "The method value takes exactly one item.")
        }
        if case .prorate(let minimum) = scale.missing, minimum < 1 || minimum > scale.items.count {
            faults.add(
                "\(pointer)/missing", "out_of_range", "The items needed are from 1 to the number of items.")
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
