import SaunterCore
import SaunterStore

/// By what a sheet is scored: the key in force for its version, and what is known of its person.
struct SheetScoring: Sendable {
    /// Nil where the sheet's own version has the only key there is, or none.
    var rule: ScoringRule?
    /// Nil where the key asks for nothing.
    var known: KnownCovariates?

    /// Scores as they are stored, and what stands beside them.
    struct Result: Sendable {
        var scores: [Score]
        var keyVersion: String?
        var keyDigest: String?
        var covariates: String?
    }

    /// - Parameters:
    ///   - questionnaire: the version that was answered.
    ///   - moment: when the sheet was completed, by the corrected clock.
    ///   - day: its local date.
    func result(
        for sheet: AnswerSheet, _ id: SheetID, of questionnaire: PublishedQuestionnaire, at moment: Instant,
        on day: LocalDate
    ) -> Result {
        guard let rule else {
            return Result(
                scores: questionnaire.index.scores(for: sheet),
                keyVersion: questionnaire.questionnaire.scoring?.version, keyDigest: questionnaire.keyDigest)
        }
        // What a person says on this very sheet is known, too.
        let telling = TellingSheet(
            questionnaire: questionnaire.questionnaire, sheet: sheet, completedAt: moment, id: id)
        let values = known?.adding(telling).values(for: rule.covariates, at: moment, on: day)
        return Result(
            scores: rule.index.scores(for: sheet, covariates: values ?? [:]), keyVersion: rule.keyVersion,
            keyDigest: rule.keyDigest, covariates: values?.text)
    }
}

extension ServerContext {
    /// By which keys the sheets of this person's study are scored now.
    func scoringInForce(of enrolment: Enrolment) async throws -> ScoringInForce {
        guard let live = try await store.findLiveVersion(of: enrolment.id) else { throw Problem(.notFound) }
        return try await catalogue.scoring(of: enrolment.study, live: live)
    }

    /// By what a sheet of one questionnaire version is scored.
    func sheetScoring(
        _ questionnaire: String, _ version: String, of enrolment: Enrolment, _ inForce: ScoringInForce
    ) async throws -> SheetScoring {
        guard let rule = inForce[questionnaire, version] else { return SheetScoring() }
        guard !rule.covariates.isEmpty else { return SheetScoring(rule: rule) }
        return SheetScoring(rule: rule, known: try await store.findCovariates(of: enrolment, inForce))
    }

    /// Scores again what depends on what a sheet of this questionnaire tells of its person, or on what is told of the
    /// person while the sheet is on its way.
    func settleCovariates(
        after questionnaire: String, of enrolment: Enrolment, _ inForce: ScoringInForce, now: Instant
    ) async throws {
        guard inForce.concerns(questionnaire) else { return }
        try await store.settleCovariates(of: enrolment.id, inForce, now: now)
    }
}

extension ScoringInForce {
    /// Whether sheets of this questionnaire tell what others are scored by, or are scored by what others tell.
    func concerns(_ questionnaire: String) -> Bool {
        sources.contains(questionnaire)
            || rules.contains { $0.key.questionnaire == questionnaire && !$0.value.covariates.isEmpty }
    }
}
