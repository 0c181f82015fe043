import Postgres
import SaunterCore

extension Store {
    /// What the stored sheets of a person tell that scoring keys ask for.
    package func findCovariates(of enrolment: Enrolment, _ inForce: ScoringInForce) async throws
        -> KnownCovariates
    {
        let people = [enrolment.id: enrolment.arm]
        let known = try await TellingSheets(inForce).known(of: people, in: research)
        return known[enrolment.id] ?? KnownCovariates(inForce.origins, arm: enrolment.arm, sheets: [])
    }

    /// Scores the sheets of a person again that depend on what is known of the person, after a sheet that tells it
    /// came, was corrected or was deleted, and after a sheet came that depends on it: of two that come at once, the
    /// later one has seen both. Scores that stay the same are left alone.
    package func settleCovariates(of id: EnrolmentID, _ inForce: ScoringInForce, now: Instant) async throws {
        let dependent = inForce.rules.values.filter { !$0.covariates.isEmpty }
        guard !dependent.isEmpty else { return }
        let telling = TellingSheets(inForce)
        try await research.writeRetrying(repeatable: true) { transaction in
            _ = try await transaction.query(Statements.rescorings["lock_people"], [.ids([id])])
            for rule in dependent {
                let sheets = try await transaction.query(
                    Statements.rescorings["list_sheets_of_person"],
                    [.id(id), .text(rule.answered.code), .text(rule.answered.version)]
                ).map { try SheetToScore($0) }
                guard !sheets.isEmpty else { continue }
                let known = try await telling.known(for: sheets, in: transaction)
                let scored = ScoredSheets(sheets, by: RuleScoring(rule, takesEverything: true), known: known)
                _ = try await scored.put(by: rule, now: now, in: transaction)
            }
        }
    }

    /// The study version that is live, by somebody's enrolment; nil when there is none.
    package func findLiveVersion(of id: EnrolmentID) async throws -> String? {
        try await research.query(Statements.rescorings["find_live_version"], [.id(id)]).oneOrNone()?
            .get("live_version")
    }

    /// Versions of a study in the order of publication.
    package func listStudyVersions(_ study: String) async throws -> [String] {
        try await research.query(Statements.rescorings["list_study_versions"], [.text(study)]).map {
            try $0.get("version")
        }
    }
}
