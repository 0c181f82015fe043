import Postgres
import SaunterCore

/// A scoring rule, prepared for many stored sheets.
struct RuleScorer: Sendable {
    let rule: ScoringRule
    /// Whether all sheets are scored again, also those with scores by this key, because another covariate may be known.
    let includesAllSheets: Bool
    private let scorer: StoredSheetScorer

    init(_ rule: ScoringRule, includesAllSheets: Bool) {
        self.rule = rule
        self.includesAllSheets = includesAllSheets && !rule.covariates.isEmpty
        scorer = StoredSheetScorer(rule.index)
    }

    /// The scores of a sheet and the covariates in their stored form.
    /// - Parameter known: the covariates of the participant; nil if the key needs none.
    func scores(
        of sheet: SheetToScore, known: KnownCovariates?
    ) throws(StoredAnswersFault) -> (scores: [Score], covariates: String?) {
        let values = known?.values(for: rule.covariates, at: sheet.completedAt, on: sheet.completedOn)
        var scores: [Score] = []
        try scorer.add(sheet.answers, covariates: values ?? [:], to: &scores)
        return (scores, values?.text)
    }

    /// The arguments of `count_sheets_to_score`. `list_sheets_to_score` has the same ones and more.
    func parameters(of study: String) -> Arguments {
        [
            "study": .text(study), "questionnaire": .text(rule.answered.code),
            "version": .text(rule.answered.version), "key_digest": .text(rule.keyDigest),
            "engine_version": .text(Scoring.engineVersion), "scales": .texts(rule.scales),
            "everything": .bool(includesAllSheets),
        ]
    }
}
