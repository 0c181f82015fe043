import Postgres
import SaunterCore

/// A scoring rule made ready for many stored sheets.
struct RuleScoring: Sendable {
    let rule: ScoringRule
    /// Whether every sheet is looked at again, though it may have scores by this key: something else may be known
    /// of its person.
    let takesEverything: Bool
    private let scoring: StoredSheetScoring

    init(_ rule: ScoringRule, takesEverything: Bool) {
        self.rule = rule
        self.takesEverything = takesEverything && !rule.covariates.isEmpty
        scoring = StoredSheetScoring(rule.index)
    }

    /// - Parameter known: of the sheet's person; nil where the key asks for nothing.
    func scores(
        of sheet: SheetToScore, known: KnownCovariates?
    ) throws(StoredAnswersFault) -> (scores: [Score], covariates: String?) {
        let values = known?.values(for: rule.covariates, at: sheet.completedAt, on: sheet.completedOn)
        var scores: [Score] = []
        try scoring.add(sheet.answers, covariates: values ?? [:], to: &scores)
        return (scores, values?.text)
    }

    /// The first seven of `list_sheets_to_score`, and all of `count_sheets_to_score`.
    func parameters(of study: String) -> [Parameter] {
        [
            .text(study), .text(rule.answered.code), .text(rule.answered.version), .text(rule.keyDigest),
            .text(Scoring.engineVersion), .texts(rule.scales), .bool(takesEverything),
        ]
    }
}
