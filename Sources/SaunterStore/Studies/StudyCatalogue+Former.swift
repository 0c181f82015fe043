import SaunterCore

extension StudyCatalogue {
    /// Questionnaires that a version has no more, and that something which is still open asks: each at the version of the study under which it opened, in
    /// the order of their codes.
    /// - Parameters:
    ///   - open: from `Study.leftOpen`.
    ///   - versions: those that the participant has followed.
    package nonisolated func formerQuestionnaires(
        of open: [Occasion], _ study: String, versions: [FollowedVersion]
    ) async throws -> [PublishedQuestionnaire] {
        var found: [String: PublishedQuestionnaire] = [:]
        for occasion in open where found[occasion.questionnaire] == nil {
            for version in versions.nearest(to: occasion.window.openAt) {
                let published = try await find(study, version: version.version)
                guard let known = published?.questionnaires[occasion.questionnaire] else { continue }
                found[occasion.questionnaire] = known
                break
            }
        }
        return found.values.sorted { $0.questionnaire.code < $1.questionnaire.code }
    }
}
