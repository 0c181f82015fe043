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

    /// A version of a study as the reminders of somebody who follows it do (`Study.reminding`): each schedule that it has no more, and of which something is
    /// still open, as it was in the version under which that opened.
    package nonisolated func reminding(
        _ study: Study, _ participation: Participation, at now: Instant
    ) async throws -> Study {
        var found: [String: Schedule] = [:]
        for occasion in study.leftUnscheduled(participation.occasions, at: now)
        where found[occasion.key.schedule] == nil {
            for version in participation.versions.nearest(to: occasion.window.openAt) {
                let published = try await find(study.code, version: version.version)
                let known = published?.study.schedules.first { $0.id == occasion.key.schedule }
                guard let schedule = known else { continue }
                found[schedule.id] = schedule
                break
            }
        }
        return study.reminding(of: found.values.sorted { $0.id < $1.id })
    }
}
