/// A scoring key prepared for one questionnaire version: names resolved, weights by option. Made once, used
/// for every sheet.
struct ScoringPlan: Sendable {
    /// Where a scale takes one of its values from.
    enum Source: Sendable {
        case item(linkId: String, weights: ItemWeights)
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
    }

    struct PlannedScale: Sendable {
        let scale: Scale
        let terms: [Term]
        let factor: Quantity
        let offset: Quantity
        let minimum: Quantity?
        let maximum: Quantity?
        let bands: [(id: String, from: Quantity?, below: Quantity?)]
    }

    let scales: [PlannedScale]

    /// - Parameter items: by linkId. Where an item and an earlier scale have one name, the item is meant.
    init(_ key: ScoringKey, items: [String: Item]) {
        var earlier: [String: Int] = [:]
        scales = key.scales.enumerated().map { place, scale in
            let reversed = Set(scale.reverse)
            let terms = scale.items.map { name in
                Self.term(name, isReversed: reversed.contains(name), items: items, earlier: earlier, key: key)
            }
            if earlier[scale.id] == nil { earlier[scale.id] = place }
            return PlannedScale(
                scale: scale, terms: terms, factor: Quantity(scale.factor), offset: Quantity(scale.offset),
                minimum: scale.minimum.map { Quantity($0) }, maximum: scale.maximum.map { Quantity($0) },
                bands: scale.bands.map {
                    ($0.id, $0.from.map { Quantity($0) }, $0.below.map { Quantity($0) })
                })
        }
    }

    private static func term(
        _ name: String, isReversed: Bool, items: [String: Item], earlier: [String: Int], key: ScoringKey
    ) -> Term {
        let source: Source
        var range: (minimum: Quantity, maximum: Quantity)?
        if let item = items[name] {
            let weights = ItemWeights(item)
            source = .item(linkId: name, weights: weights)
            range = weights.declaredRange
        } else if let place = earlier[name] {
            source = .scale(place)
            let scale = key.scales[place]
            if let minimum = scale.minimum, let maximum = scale.maximum {
                range = (Quantity(minimum), Quantity(maximum))
            }
        } else {
            source = .nothing
        }
        let mirror = isReversed ? range.map { $0.minimum + $0.maximum } : nil
        return Term(source: source, mirror: mirror, isUndefined: isReversed && range == nil)
    }

    /// One score per scale, in the key's order.
    func scores(for sheet: AnswerSheet) -> [Score] {
        var results: [ScaleResult] = []
        results.reserveCapacity(scales.count)
        for planned in scales { results.append(ScaleResult(planned, sheet: sheet, earlier: results)) }
        return results.map(\.score)
    }
}
