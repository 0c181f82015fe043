/// The engine that stands behind a score.
package enum Scoring {
    /// Raised whenever the same key and answers could give another score.
    package static let engineVersion = "1.0.0"
}

extension ScoringKey {
    /// One score per scale, in order. Whoever scores many sheets keeps a `QuestionnaireIndex` and calls its
    /// `scores(for:)`.
    ///
    /// Every number is computed exactly (the decimal that is written, not its binary neighbour), so ties and
    /// band edges fall where a person with a pencil finds them. The order is: weight, reverse, method, factor
    /// and offset, rounding, range, band.
    package func scores(for sheet: AnswerSheet, of questionnaire: Questionnaire) -> [Score] {
        let index = QuestionnaireIndex(questionnaire)
        let names = Set(scales.flatMap(\.items))
        let items = Dictionary(
            uniqueKeysWithValues: names.compactMap { name in index.item(name).map { (name, $0) } })
        return ScoringPlan(self, items: items).scores(for: sheet)
    }
}
