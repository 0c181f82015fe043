import SaunterCore
import SaunterStore

extension ServerContext {
    /// The questionnaires that the enrolment's study version no longer contains but that have an open occasion.
    func formerQuestionnaires(
        of participant: ParticipantState, _ study: Study, at now: Instant
    ) async throws -> [PublishedQuestionnaire] {
        let open = study.openOccasionsOfFormerQuestionnaires(participant.occasions, at: now)
        guard !open.isEmpty else { return [] }
        let versions = try await store.listVersions(of: participant.enrolment.id)
        return try await catalogue.formerQuestionnaires(of: open, study.code, versions: versions)
    }
}
