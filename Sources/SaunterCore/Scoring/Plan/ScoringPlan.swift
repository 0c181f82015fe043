/// A scoring key prepared for one questionnaire version: names resolved, weights by option. Made once, used
/// for every sheet.
struct ScoringPlan: Sendable {
    let scales: [PlannedScale]
    let keyVersion: String
    let keyDigest: String

    /// - Parameter items: by linkId. Where an item and an earlier scale have one name, the item is meant.
    init(_ key: ScoringKey, items: [String: Item]) {
        var names = PlannedNames(key, items: items)
        var survey = ReachSurvey(key, items: items)
        var scales: [PlannedScale] = []
        for scale in key.scales {
            scales.append(PlannedScale(scale, names, survey.add(scale)))
            names.add(scale)
        }
        self.scales = scales
        keyVersion = key.version
        keyDigest = key.digest
    }

    /// One score per scale, in the key's order.
    func scores(for sheet: AnswerSheet, covariates: [String: CovariateValue]) -> [Score] {
        var scored = ScoringCase(sheet: sheet, covariates: covariates)
        scored.earlier.reserveCapacity(scales.count)
        for planned in scales { scored.earlier.append(ScaleResult(planned, of: scored)) }
        return scored.earlier.map(\.score)
    }
}

/// What is known of one person while a sheet is scored.
struct ScoringCase {
    let sheet: AnswerSheet
    let covariates: [String: CovariateValue]
    var earlier: [ScaleResult] = []
}
