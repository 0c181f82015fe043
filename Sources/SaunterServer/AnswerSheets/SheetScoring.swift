import SaunterCore
import SaunterStore

/// The inputs for scoring a sheet: the active scoring key for its version, and the participant's known covariates.
struct SheetScoring: Sendable {
    /// The active scoring key. Nil if the key of the sheet's own version applies, or if that version has no key.
    var rule: ScoringRule?
    /// Nil if the scoring key uses no covariates.
    var known: KnownCovariates?

    /// The scores with the key and the covariates that produced them, as the store saves them.
    struct Result: Sendable {
        var scores: [Score]
        var keyVersion: String?
        var keyDigest: String?
        var covariates: String?
    }

    /// Scores a sheet.
    /// - Parameters:
    ///   - questionnaire: the questionnaire in the version that was answered.
    ///   - moment: when the sheet was completed, by the server clock.
    ///   - day: the local date of `moment`.
    func result(
        for sheet: AnswerSheet, _ id: SheetID, of questionnaire: PublishedQuestionnaire, at moment: Instant,
        on day: LocalDate
    ) -> Result {
        guard let rule else {
            return Result(
                scores: questionnaire.index.scores(for: sheet),
                keyVersion: questionnaire.questionnaire.scoring?.version, keyDigest: questionnaire.keyDigest)
        }
        // The sheet itself can supply covariates, too.
        let sourceSheet = CovariateSourceSheet(
            questionnaire: questionnaire.questionnaire, sheet: sheet, completedAt: moment, id: id)
        let values = known?.adding(sourceSheet).values(for: rule.covariates, at: moment, on: day)
        return Result(
            scores: rule.index.scores(for: sheet, covariates: values ?? [:]), keyVersion: rule.keyVersion,
            keyDigest: rule.keyDigest, covariates: values?.text)
    }
}

extension ServerContext {
    /// The scoring keys that are active now in the enrolment's study.
    /// - Throws: `Problem` of type `not-found` if the enrolment was erased.
    func activeScoringKeys(of enrolment: Enrolment) async throws -> ActiveScoringKeys {
        guard let live = try await store.findLiveVersion(of: enrolment.id) else { throw Problem(.notFound) }
        return try await catalogue.activeScoringKeys(of: enrolment.study, live: live)
    }

    /// The inputs for scoring a sheet of this questionnaire version.
    func sheetScoring(
        _ questionnaire: String, _ version: String, of enrolment: Enrolment, _ activeKeys: ActiveScoringKeys
    ) async throws -> SheetScoring {
        guard let rule = activeKeys[questionnaire, version] else { return SheetScoring() }
        guard !rule.covariates.isEmpty else { return SheetScoring(rule: rule) }
        return SheetScoring(rule: rule, known: try await store.findCovariates(of: enrolment, activeKeys))
    }
}

extension ActiveScoringKeys {
    /// Whether sheets of this questionnaire supply covariates or are scored with covariates.
    func affects(_ questionnaire: String) -> Bool {
        sourceQuestionnaires.contains(questionnaire)
            || rules.contains { $0.key.questionnaire == questionnaire && !$0.value.covariates.isEmpty }
    }
}
