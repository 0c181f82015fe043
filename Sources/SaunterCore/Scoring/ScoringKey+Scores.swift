/// The engine that stands behind a score.
package enum Scoring {
    /// Raised whenever the same key and answers could give another score. 1.1.0: a score that lacks refused
    /// answers alone is `declined`.
    package static let engineVersion = "1.1.0"
}

extension ScoringKey {
    /// One score per scale, in order. Whoever scores many sheets keeps a `QuestionnaireIndex` and calls its
    /// `scores(for:)`.
    ///
    /// Every number is computed exactly (the decimal that is written, not its binary neighbour), so ties and
    /// band edges fall where a person with a pencil finds them. The order is: exclusions, weight or recoding,
    /// reverse, missing rule, method, factor and offset, transform, rounding, range, band.
    /// - Parameter covariates: by id, those whose source is not an item.
    package func scores(
        for sheet: AnswerSheet, of questionnaire: Questionnaire, covariates: [String: CovariateValue] = [:]
    ) -> [Score] {
        let index = QuestionnaireIndex(questionnaire)
        let names = Set(
            scales.flatMap { $0.items + $0.conditions.map(\.name) }
                + covariateItems + tables.flatMap { $0.rows.flatMap { $0.conditions.map(\.name) } })
        let items = Dictionary(
            uniqueKeysWithValues: names.compactMap { name in index.item(name).map { (name, $0) } })
        return ScoringPlan(self, items: items).scores(for: sheet, covariates: covariates)
    }

    /// The linkIds of items on which scores hang, in no order.
    package var neededItems: Set<String> {
        Set(scales.flatMap { $0.items + $0.conditions.map(\.name) } + covariateItems)
    }

    private var covariateItems: [String] {
        covariates.compactMap { if case .item(let linkId) = $0.source { linkId } else { nil } }
    }
}

extension Scale {
    /// Of its bands and exclusions.
    var conditions: [ScoreCondition] { bands.flatMap(\.conditions) + exclude.flatMap(\.conditions) }
}
