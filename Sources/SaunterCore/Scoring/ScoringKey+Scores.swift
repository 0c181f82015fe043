/// The scoring engine.
package enum Scoring {
    /// Increased whenever the same key and the same answers could result in another score. 1.1.0: the reason is
    /// `declined` if only refused answers are missing.
    package static let engineVersion = "1.1.0"
}

extension ScoringKey {
    /// Returns one score per scale, in the order of the key. To score many sheets, use
    /// `QuestionnaireIndex.scores(for:)`: it prepares the key only once.
    ///
    /// All numbers are exact decimals, not binary approximations. Ties and band edges are therefore the same as in a
    /// calculation by hand. The steps are, in this order: exclusions, weight or recoding, reversal, missing rule,
    /// method, factor and offset, transform, rounding, range, band.
    /// - Parameter covariates: values by covariate id, for the covariates whose source is not an item.
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

    /// The linkIds of all items that the scores depend on, and the names of the scales and covariates that the scales
    /// use. Table rows need no entry: they have conditions on covariates only, and items that supply covariates are
    /// included.
    package var usedNames: Set<String> {
        Set(scales.flatMap { $0.items + $0.conditions.map(\.name) } + covariateItems)
    }

    private var covariateItems: [String] {
        covariates.compactMap { if case .item(let linkId) = $0.source { linkId } else { nil } }
    }
}

extension Scale {
    /// The conditions of its bands and exclusions.
    var conditions: [ScoreCondition] { bands.flatMap(\.conditions) + exclude.flatMap(\.conditions) }
}
