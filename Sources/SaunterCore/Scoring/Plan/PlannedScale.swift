/// A scale whose names, numbers and tables are resolved. It can score any number of sheets.
struct PlannedScale: Sendable {
    /// Where the value of one term comes from.
    enum Source: Sendable {
        case item(linkId: String, weights: ItemWeights)
        /// An item whose answer is a time, a date or an instant, converted to seconds.
        case time(linkId: String)
        /// The index of an earlier scale in `ScoringCase.earlier`.
        case scale(Int)
        /// The name is unknown. The term is missing, so a wrong key never produces a score.
        case nothing
    }

    /// One item, or one earlier scale, of this scale.
    struct Term: Sendable {
        let source: Source
        /// Minimum + maximum of the declared range for a reversed term: the reversed value is this sum − value.
        /// Otherwise nil.
        let reversalSum: Quantity?
        /// Whether the term is reversed without a declared range. Then it has no value.
        let isUndefined: Bool
        let weight: Quantity
        /// The midpoint of the declared range; nil without a declared range.
        let midpoint: Quantity?
    }

    let scale: Scale
    let terms: [Term]
    let isWeighted: Bool
    /// Whether `elapsed` compares times of day, so that it can continue over midnight.
    let isOnClock: Bool
    let factor: Quantity
    let offset: Quantity
    let steps: [PlannedStep]
    let minimum: Quantity?
    let maximum: Quantity?
    let counted: ExactRange?
    let bands: [(id: String, range: ExactRange, conditions: [PlannedCondition])]
    let exclude: [(id: String, conditions: [PlannedCondition])]

    /// - Parameter ranges: the attainable ranges of this scale.
    init(_ scale: Scale, _ names: NameResolver, _ ranges: AttainableRanges.ScaleRanges) {
        self.scale = scale
        let reversed = Set(scale.reverse)
        terms = scale.items.map { Self.term($0, isReversed: reversed.contains($0), scale, names) }
        isWeighted = !scale.weights.isEmpty
        isOnClock = scale.items.allSatisfy { names.items[$0]?.expressionType == .time }
        factor = Quantity(scale.factor)
        offset = Quantity(scale.offset)
        steps = zip(scale.transform, ranges.steps).map { PlannedStep($0, from: $1, names) }
        minimum = scale.minimum.map { Quantity($0) }
        maximum = scale.maximum.map { Quantity($0) }
        counted = scale.counted.map { ExactRange($0) }
        bands = scale.bands.map { ($0.id, ExactRange($0.range), $0.conditions.map(names.condition)) }
        exclude = scale.exclude.map { ($0.id, $0.conditions.map(names.condition)) }
    }

    private static func term(
        _ name: String, isReversed: Bool, _ scale: Scale, _ names: NameResolver
    ) -> Term {
        var source = Source.nothing
        var range: (minimum: Quantity, maximum: Quantity)?
        if scale.method.usesTimes {
            if names.items[name] != nil { source = .time(linkId: name) }
        } else if let item = names.items[name] {
            let weights = ItemWeights(item, recode: scale.recode[name])
            source = .item(linkId: name, weights: weights)
            range = weights.declaredRange
        } else if let index = names.earlier[name] {
            source = .scale(index)
            let scale = names.key.scales[index]
            if let minimum = scale.minimum, let maximum = scale.maximum {
                range = (Quantity(minimum), Quantity(maximum))
            }
        }
        let boundSum = range.map { $0.minimum + $0.maximum }
        return Term(
            source: source, reversalSum: isReversed ? boundSum : nil, isUndefined: isReversed && range == nil,
            weight: Quantity(scale.weights[name] ?? 1), midpoint: boundSum?.divided(by: 2))
    }
}
