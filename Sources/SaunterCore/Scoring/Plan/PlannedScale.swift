/// A scale whose names, numbers and tables are resolved.
struct PlannedScale: Sendable {
    /// Where a scale takes one of its values from.
    enum Source: Sendable {
        case item(linkId: String, weights: ItemWeights)
        /// An item whose answer is a moment, in seconds.
        case moment(linkId: String)
        /// The place of an earlier scale.
        case scale(Int)
        /// Nothing of this name exists; it counts as missing, so that no score comes out of a wrong key.
        case nothing
    }

    struct Term: Sendable {
        let source: Source
        /// Minimum + maximum of the declared range, for a reversed term.
        let mirror: Quantity?
        /// Reversed without a declared range: the term has no value.
        let isUndefined: Bool
        let weight: Quantity
        /// The middle of the declared range.
        let midpoint: Quantity?
    }

    let scale: Scale
    let terms: [Term]
    let isWeighted: Bool
    /// Whether `elapsed` goes round the clock's face.
    let isOnClock: Bool
    let factor: Quantity
    let offset: Quantity
    let steps: [PlannedStep]
    let minimum: Quantity?
    let maximum: Quantity?
    let counted: ExactRange?
    let bands: [(id: String, range: ExactRange, conditions: [PlannedCondition])]
    let exclude: [(id: String, conditions: [PlannedCondition])]

    init(_ scale: Scale, _ names: PlannedNames, _ reach: ReachSurvey.Found) {
        self.scale = scale
        let reversed = Set(scale.reverse)
        terms = scale.items.map { Self.term($0, isReversed: reversed.contains($0), scale, names) }
        isWeighted = !scale.weights.isEmpty
        isOnClock = scale.items.allSatisfy { names.items[$0]?.type == .time }
        factor = Quantity(scale.factor)
        offset = Quantity(scale.offset)
        steps = zip(scale.transform, reach.steps).map { PlannedStep($0, from: $1, names) }
        minimum = scale.minimum.map { Quantity($0) }
        maximum = scale.maximum.map { Quantity($0) }
        counted = scale.counted.map { ExactRange($0) }
        bands = scale.bands.map { ($0.id, ExactRange($0.range), $0.conditions.map(names.condition)) }
        exclude = scale.exclude.map { ($0.id, $0.conditions.map(names.condition)) }
    }

    private static func term(
        _ name: String, isReversed: Bool, _ scale: Scale, _ names: PlannedNames
    ) -> Term {
        var source = Source.nothing
        var range: (minimum: Quantity, maximum: Quantity)?
        if scale.method.takesMoments {
            if names.items[name] != nil { source = .moment(linkId: name) }
        } else if let item = names.items[name] {
            let weights = ItemWeights(item, recode: scale.recode[name])
            source = .item(linkId: name, weights: weights)
            range = weights.declaredRange
        } else if let place = names.earlier[name] {
            source = .scale(place)
            let scale = names.key.scales[place]
            if let minimum = scale.minimum, let maximum = scale.maximum {
                range = (Quantity(minimum), Quantity(maximum))
            }
        }
        let ends = range.map { $0.minimum + $0.maximum }
        return Term(
            source: source, mirror: isReversed ? ends : nil, isUndefined: isReversed && range == nil,
            weight: Quantity(scale.weights[name] ?? 1), midpoint: ends?.divided(by: 2))
    }
}
