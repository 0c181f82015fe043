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

    /// Rescores the participant's sheets whose keys use covariates. The server calls it after a source sheet or a
    /// dependent sheet was stored, corrected or deleted. Concurrent calls for one participant run one after the other,
    /// so the last one uses all source sheets. Unchanged scores are not written.
    package func rescoreDependentSheets(of id: EnrolmentID, _ activeKeys: ActiveScoringKeys, now: Instant)
        async throws
    {
        let dependent = activeKeys.rules.values.filter { !$0.covariates.isEmpty }
        guard !dependent.isEmpty else { return }
        let sourceSheets = CovariateSourceSheets(activeKeys)
        try await research.writeRetrying(idempotent: true) { transaction in
            _ = try await transaction.query(
                Statements.enrolments["lock_enrolments"], ["enrolment_ids": .ids([id])])
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
}
