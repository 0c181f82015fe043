import Postgres
import SaunterCore

/// What follows from a sheet that is stored, corrected or deleted: occasions, reminders and scores of other sheets. The
/// transaction that changes the sheet does it. A class because submissions are copied, and a study is large.
package final class SheetFollowUps: Sendable {
    /// The study version that the enrolment followed when the sheet was validated.
    let study: Study
    /// Whether the plan must be computed again.
    let changesPlan: Bool
    /// When a rule can send the first notification if the participant submits nothing more; nil for no such rule.
    let nextCheckAt: Instant?
    /// The active keys, if sheets of the participant must be scored again because their covariates can have changed.
    let rescoring: ActiveScoringKeys?
    /// The instant of the request.
    let now: Instant

    /// Creates follow-ups. By default there is nothing to do unless the sheet turns out to precede its walk.
    package init(
        study: Study, changesPlan: Bool = false, nextCheckAt: Instant? = nil,
        rescoring: ActiveScoringKeys? = nil, now: Instant
    ) {
        self.study = study
        self.changesPlan = changesPlan
        self.nextCheckAt = nextCheckAt
        self.rescoring = rescoring
        self.now = now
    }
}

/// A sheet that a transaction has stored, corrected or deleted.
struct SheetChange {
    var enrolment: EnrolmentID
    var followUps: SheetFollowUps
    /// The id of the sheet if it is new.
    var arrived: SheetID?
    /// The walk for which the sheet waits because it has no occasion yet; nil for none.
    var awaitedWalk: WalkID?
}

extension Store {
    /// Does what follows from the changes of one transaction. Idempotent.
    /// - Parameter enrolments: the enrolments of the changes. The transaction has locked them.
    /// - Throws: `StudyVersionMismatch`.
    func follow(
        _ changes: [SheetChange], _ enrolments: [EnrolmentID: Enrolment], in transaction: Transaction
    ) async throws {
        guard !changes.isEmpty else { return }
        for change in changes
        where enrolments[change.enrolment]?.studyVersion != change.followUps.study.version {
            throw StudyVersionMismatch()
        }
        let byEnrolment = Dictionary(grouping: changes, by: \.enrolment).sorted { $0.key < $1.key }
        let awaited = byEnrolment.map { ($0.key, $0.value.compactMap(\.awaitedWalk)) }
        let placed = try await Self.placeSheets(
            of: Dictionary(uniqueKeysWithValues: awaited.filter { !$0.1.isEmpty }), in: transaction)
        var replannings: [Replanning] = []
        var checks: [(Statement, Arguments)] = []
        for (id, changes) in byEnrolment {
            guard let enrolment = enrolments[id], let last = changes.last?.followUps else { continue }
            if placed.contains(id) || changes.contains(where: \.followUps.changesPlan) {
                replannings.append(
                    (
                        enrolment: enrolment, study: last.study, now: last.now,
                        arrived: Set(changes.compactMap { $0.arrived?.description })
                    ))
            } else if let moment = changes.compactMap(\.followUps.nextCheckAt).min() {
                // Not before `now`. Otherwise a daily mail whose hour has passed would become due again.
                checks.append(Self.scheduleCheckCall(at: max(moment, last.now), of: id, now: last.now))
            }
        }
        try await replan(replannings, in: transaction)
        if !checks.isEmpty { _ = try await transaction.pipeline(checks) }
        for (id, changes) in byEnrolment {
            guard let keys = changes.last(where: { $0.followUps.rescoring != nil })?.followUps else {
                continue
            }
            if let active = keys.rescoring {
                try await Self.rescoreDependentSheets(of: id, active, now: keys.now, in: transaction)
            }
        }
    }
}
