import Foundation
import Postgres
import SaunterCore

/// What follows from a record that is stored, corrected or deleted: occasions, reminders, and scores of other sheets.
/// The transaction that changes the record does it. A class because submissions are copied, and a study is large.
package final class FollowUps: Sendable {
    /// The study version that the enrolment followed when the record was validated.
    let study: Study
    /// Whether the plan must be computed again.
    let changesPlan: Bool
    /// When a rule can send the first notification if the participant submits nothing more; nil for no such rule.
    let nextCheckAt: Instant?
    /// The active keys, if sheets of the participant must be scored again because their covariates can have changed.
    let rescoring: ActiveScoringKeys?
    /// The instant of the request.
    let now: Instant

    /// Creates follow-ups. By default nothing follows unless a sheet turns out to precede its walk.
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

/// A record that a transaction has stored, corrected or deleted.
struct RecordChange {
    var enrolment: EnrolmentID
    var followUps: FollowUps
    /// The id of the record if it is new.
    var arrived: UUID?
    /// A walk whose sheets may have arrived before it, or the walk of a sheet that may have; nil for none.
    var walk: WalkID?
}

extension Store {
    /// Does what follows from the changes of one transaction. Idempotent.
    /// - Parameter enrolments: the enrolments of the changes. The transaction has locked them.
    /// - Throws: `StudyVersionMismatch` if an enrolment has followed another version since the record was validated.
    func follow(
        _ changes: [RecordChange], _ enrolments: [EnrolmentID: Enrolment], in transaction: Transaction
    ) async throws {
        guard !changes.isEmpty else { return }
        var replannings: [Replanning] = []
        var checks: [(Statement, Arguments)] = []
        var walks: [EnrolmentID: [WalkID]] = [:]
        let byEnrolment = Dictionary(grouping: changes, by: \.enrolment).sorted { $0.key < $1.key }
        for (id, changes) in byEnrolment {
            guard let enrolment = enrolments[id], let last = changes.last?.followUps else { continue }
            guard changes.allSatisfy({ $0.followUps.study.version == enrolment.studyVersion }) else {
                throw StudyVersionMismatch()
            }
            let named = changes.compactMap(\.walk)
            if !named.isEmpty { walks[id] = named }
            if changes.contains(where: \.followUps.changesPlan) {
                let arrived = changes.compactMap { $0.arrived?.uuidString.lowercased() }
                replannings.append(
                    (enrolment: enrolment, study: last.study, now: last.now, arrived: Set(arrived)))
            } else if let moment = changes.compactMap(\.followUps.nextCheckAt).min() {
                // Not before `now`. Otherwise a daily mail whose hour has passed would become due again.
                checks.append(Self.scheduleCheckCall(at: max(moment, last.now), of: id, now: last.now))
            }
        }
        let ruled = byEnrolment.filter { _, changes in
            changes.contains { !$0.followUps.study.rules.isEmpty }
        }
        if let now = ruled.compactMap({ $0.value.last?.followUps.now }).max() {
            let records = ruled.flatMap { id, changes in
                changes.compactMap(\.arrived).map { RecordKey(enrolment: id, id: $0) }
            }
            checks.append(Self.decideSoonCall(ruled.map(\.key), records: records, now: now))
        }
        var planned = enrolments
        for enrolment in try await replan(replannings, in: transaction) { planned[enrolment.id] = enrolment }
        // A sheet that became a duplicate has no follow-ups any more, and an answered occasion needs no reminder.
        let placed = try await Self.placeSheets(of: walks, in: transaction)
        let again = byEnrolment.compactMap { id, changes -> Replanning? in
            guard placed.contains(id), let enrolment = planned[id], let last = changes.last?.followUps else {
                return nil
            }
            return (enrolment: enrolment, study: last.study, now: last.now, arrived: [])
        }
        try await replan(again, in: transaction)
        if !checks.isEmpty { _ = try await transaction.pipeline(checks) }
        for (id, changes) in byEnrolment {
            guard let last = changes.last(where: { $0.followUps.rescoring != nil })?.followUps,
                let keys = last.rescoring
            else { continue }
            try await Self.rescoreDependentSheets(of: id, keys, now: last.now, in: transaction)
        }
    }

    /// Does what follows from a correction or a deletion; nil for nothing.
    func follow(
        _ followUps: FollowUps?, _ enrolment: Enrolment, in transaction: Transaction
    ) async throws {
        guard let followUps else { return }
        try await follow(
            [RecordChange(enrolment: enrolment.id, followUps: followUps)], [enrolment.id: enrolment],
            in: transaction)
    }
}
