import SaunterCore
import SaunterStore

extension ServerContext {
    /// What follows from a new sheet of this questionnaire; nil for nothing.
    /// - Parameters:
    ///   - completion: when the sheet was completed, by the corrected clock.
    ///   - mayBePlaced: whether the sheet can still get the occasion of a walk.
    func followUps(
        of questionnaire: String, completedAt completion: Instant, mayBePlaced: Bool, _ enrolment: Enrolment,
        _ activeKeys: ActiveScoringKeys, now: Instant
    ) async throws -> FollowUps? {
        let study = try await study(of: enrolment).study
        let changesPlan = study.changesPlan(questionnaire)
        let check = changesPlan ? nil : study.firstNotification(ofInactivitySince: completion)
        let affectsScores = activeKeys.affects(questionnaire)
        guard
            changesPlan || check != nil || affectsScores || mayBePlaced || !study.rules.isEmpty
        else { return nil }
        return FollowUps(
            study: study, changesPlan: changesPlan, nextCheckAt: check,
            rescoring: affectsScores ? activeKeys : nil, now: now)
    }

    /// What follows from a correction or deletion of a sheet of this questionnaire; nil for nothing. After a deletion
    /// the occasion may be unanswered again.
    func followUps(
        of kind: Edit.Kind, to questionnaire: String, _ enrolment: Enrolment,
        _ activeKeys: ActiveScoringKeys, now: Instant
    ) async throws -> FollowUps? {
        let study = try await study(of: enrolment).study
        let changesPlan = kind == .deletion || study.changesPlan(questionnaire)
        let affectsScores = activeKeys.affects(questionnaire)
        guard changesPlan || affectsScores || !study.rules.isEmpty else { return nil }
        return FollowUps(
            study: study, changesPlan: changesPlan, rescoring: affectsScores ? activeKeys : nil, now: now)
    }
}
