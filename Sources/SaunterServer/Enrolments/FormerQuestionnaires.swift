import SaunterCore
import SaunterStore

extension ServerContext {
    /// Questionnaires that the version which the participant follows has no more, and of which something is still open: each at the version under which
    /// it opened, in the order of their codes.
    func formerQuestionnaires(
        of participation: Participation, _ study: Study, at now: Instant
    ) async throws -> [PublishedQuestionnaire] {
        let open = study.leftOpen(participation.occasions, at: now)
        guard !open.isEmpty else { return [] }
        let versions = try await store.listVersions(of: participation.enrolment.id)
        var found: [String: PublishedQuestionnaire] = [:]
        for occasion in open where found[occasion.questionnaire] == nil {
            for version in versions.nearest(to: occasion.window.openAt) {
                let published = try await catalogue.find(study.code, version: version.version)
                guard let known = published?.questionnaires[occasion.questionnaire] else { continue }
                found[occasion.questionnaire] = known
                break
            }
        }
        return found.values.sorted { $0.questionnaire.code < $1.questionnaire.code }
    }
}
