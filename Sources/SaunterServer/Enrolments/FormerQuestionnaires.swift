import SaunterCore
import SaunterStore

extension ServerContext {
    /// Questionnaires that the version which the participant follows has no more, and of which something is still open.
    func formerQuestionnaires(
        of participation: Participation, _ study: Study, at now: Instant
    ) async throws -> [PublishedQuestionnaire] {
        let open = study.leftOpen(participation.occasions, at: now)
        guard !open.isEmpty else { return [] }
        let versions = try await store.listVersions(of: participation.enrolment.id)
        return try await catalogue.formerQuestionnaires(of: open, study.code, versions: versions)
    }
}
