import Postgres
import SaunterCore

extension Store {
    /// The covariates that the stored sheets of a participant supply to the scoring keys.
    package func findCovariates(of enrolment: Enrolment, _ activeKeys: ActiveScoringKeys) async throws
        -> KnownCovariates
    {
        let enrolmentArms = [enrolment.id: enrolment.arm]
        let known = try await CovariateSourceSheets(activeKeys).known(of: enrolmentArms, in: research)
        return known[enrolment.id]
            ?? KnownCovariates(activeKeys.covariateSources, arm: enrolment.arm, sheets: [])
    }

    /// Scores the participant's sheets again whose keys use covariates, after a source sheet or a dependent sheet was
    /// stored, corrected or deleted. Unchanged scores are not written. The transaction has locked the enrolment.
    static func rescoreDependentSheets(
        of id: EnrolmentID, _ activeKeys: ActiveScoringKeys, now: Instant, in transaction: Transaction
    ) async throws {
        let dependent = activeKeys.rules.values.filter { !$0.covariates.isEmpty }
        guard !dependent.isEmpty else { return }
        let sourceSheets = CovariateSourceSheets(activeKeys)
        for rule in dependent {
            let sheets = try await transaction.query(
                Statements.rescorings["list_sheets_of_participant"],
                [
                    "enrolment_id": .id(id), "questionnaire": .text(rule.answered.code),
                    "version": .text(rule.answered.version),
                ]
            ).map { try SheetToScore($0) }
            guard !sheets.isEmpty else { continue }
            let known = try await sourceSheets.known(for: sheets, in: transaction)
            let scored = ScoredSheets(sheets, by: RuleScorer(rule, includesAllSheets: true), known: known)
            _ = try await scored.write(by: rule, now: now, in: transaction)
        }
    }
}
