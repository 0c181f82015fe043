/// A scoring key prepared for one questionnaire version: names are resolved and weights are looked up. It is created
/// once and used for all sheets.
struct ScoringPlan: Sendable {
    let scales: [PlannedScale]

    /// - Parameter items: by linkId. If an item and an earlier scale have the same name, the name means the item.
    init(_ key: ScoringKey, items: [String: Item]) {
        var names = NameResolver(key, items: items)
        var ranges = AttainableRanges(key, items: items)
        var scales: [PlannedScale] = []
        for scale in key.scales {
            scales.append(PlannedScale(scale, names, ranges.add(scale)))
            names.add(scale)
        }
        self.scales = scales
    }

    /// Returns one score per scale, in the order of the key.
    func scores(for sheet: AnswerSheet, covariates: [String: CovariateValue]) -> [Score] {
        var scored = ScoringCase(sheet: sheet, covariates: covariates)
        scored.earlier.reserveCapacity(scales.count)
        for planned in scales { scored.earlier.append(ScaleResult(planned, of: scored)) }
        return scored.earlier.map(\.score)
    }
}

/// The data of one participant while a sheet is scored.
struct ScoringCase {
    let sheet: AnswerSheet
    let covariates: [String: CovariateValue]
    /// The results of the scales so far, in the order of the key.
    var earlier: [ScaleResult] = []
}
