import Foundation
import Postgres
import SaunterCore

extension Store {
    /// An enrolment to replan, and the ids of its walks and sheets that have arrived since the last replanning.
    typealias Replanning = (enrolment: Enrolment, study: Study, now: Instant, arrived: Set<String>)

    /// Plans the occasions up to the current horizon and stores the difference. If the enrolment was moved to another
    /// version since the caller read it, nothing changes, because the move has planned them.
    /// - Throws: `ConcurrentErasure`.
    package func extendHorizon(_ id: EnrolmentID, study: Study, now: Instant) async throws {
        try await research.writeRetrying(idempotent: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            guard enrolment.studyVersion == study.version else { return }
            _ = try await replan(enrolment, study: study, now: now, in: transaction)
        }
    }

    /// Compares the plan with the stored occasions under the participant's lock and writes the difference. Also writes
    /// how far the plan reaches and when the reminders must be checked next.
    /// - Returns: the enrolment as stored afterwards.
    /// - Throws: `StudyVersionMismatch` if the locked enrolment follows another version than `study`.
    func replan(
        _ enrolment: Enrolment, study: Study, now: Instant, in transaction: Transaction
    ) async throws -> Enrolment {
        try await replan(
            [(enrolment: enrolment, study: study, now: now, arrived: [])], in: transaction
        ).first ?? enrolment
    }

    /// Replans many enrolments in two round trips. The caller has locked them in key order to avoid deadlocks.
    /// - Returns: those enrolments that exist, as stored afterwards.
    /// - Throws: `StudyVersionMismatch` if one of them follows another version than the given one.
    @discardableResult
    func replan(
        _ replannings: [Replanning], in transaction: Transaction
    ) async throws -> [Enrolment] {
        guard let first = replannings.map(\.now).min() else { return [] }
        guard replannings.allSatisfy({ $0.study.version == $0.enrolment.studyVersion }) else {
            throw StudyVersionMismatch()
        }
        let query = ParticipantStateQuery(
            ids: replannings.map(\.enrolment.id), now: first,
            completions: replannings.map { .init(neededFor: $0.study) }.reduce(.of([])) { $0.union($1) }
        )
        let found = try query.states(from: try await transaction.pipeline(query.calls))
        var calls: [(Statement, Arguments)] = []
        let planned = replannings.compactMap { replanning in
            found[replanning.enrolment.id].map { stored in
                plan(replanning, stored, calls: &calls)
            }
        }
        _ = try await transaction.pipeline(calls)
        return planned
    }

    /// Computes the difference of one enrolment and appends the calls that write it.
    private func plan(
        _ replanning: Replanning, _ stored: ParticipantState, calls: inout [(Statement, Arguments)]
    ) -> Enrolment {
        let (enrolment, study, now, arrived) = replanning
        let (planner, horizon, difference) = self.difference(
            of: stored, to: study, now: now, arrived: arrived)
        calls += Self.calls(for: difference, of: enrolment.id, studyVersion: study.version, now: now)
        var planned = enrolment
        planned.plannedThrough = planner.plannedThrough(horizon.upperBound)
        var after = stored
        after.enrolment = planned
        after.occasions = difference.applied(to: stored.occasions)
        let announced = stored.reminderPlanner(study, at: now)
            .announced(before: difference, plannedAt: stored.plannedAt)
        if !announced.isEmpty {
            let message = MessageID(UUID())
            calls.append(Self.announcementCall(announced, of: enrolment, in: message, study, now: now))
            after.reminders += announced.map {
                ReminderRecord(key: .announcement(of: $0), message: message, claimedAt: now, isUnsent: true)
            }
        }
        planned.nextReminderAt = Self.nextReminderCheck(after, study, now: now)
        calls.append(
            (
                Statements.enrolments["update_plan_reach"],
                [
                    "enrolment_id": .id(planned.id), "planned_through": .localDate(planned.plannedThrough),
                    "next_reminder_at": .instant(planned.nextReminderAt),
                ]
            ))
        // The zone, the pauses, the version or the settings of messages can have changed.
        if !study.rules.isEmpty { calls.append(Self.decideSoonCall([enrolment.id], now: now)) }
        return planned
    }

    /// The difference between the stored occasions of a participant and those that this study version plans. Writes
    /// nothing.
    /// - Parameters:
    ///   - arrived: ids of anchors that have just become known. Their occasions are also planned if they are already
    ///     over.
    ///   - reach: the last date to plan, if it is later than the horizon.
    func difference(
        of stored: ParticipantState, to study: Study, now: Instant, arrived: Set<String> = [],
        through reach: LocalDate = .minimum
    ) -> (planner: Planner, horizon: ClosedRange<LocalDate>, difference: Reconciliation) {
        let enrolment = stored.enrolment
        let events = stored.anchors
        let instances = Set(events.map(\.instance))
        let repeatedSchedules = Set(study.schedules.filter(\.anchor.isRepeated).map(\.id))
        let planner = Planner(
            PlanInput(
                study: study, enrolmentID: enrolment.id, arm: enrolment.arm, enrolledAt: enrolment.enrolledAt,
                zones: stored.zones, anchors: events,
                seed: secrets.studySeed(study.code), status: stored.status))
        let near = planner.horizon(from: now, stored: stored.occasions)
        let horizon = near.lowerBound...max(near.upperBound, reach)
        // Occasions before the horizon that are stored are not changed.
        let known = Set(stored.occasions.map(\.id))
        let missed = planner.occasions(following: arrived, before: horizon.lowerBound)
            .filter { !known.contains($0.id) }
        let difference = reconcile(
            stored: stored.occasions,
            planned: missed + planner.occasions(from: horizon.lowerBound, through: horizon.upperBound),
            now: now, dates: horizon, arrived: arrived, status: stored.status
        ) { repeatedSchedules.contains($0.key.schedule) && !instances.contains($0.key.anchorInstance) }
        return (planner, horizon, difference)
    }

    /// When the reminders must be checked next. A check that is due and not yet claimed stays due.
    private static func nextReminderCheck(_ stored: ParticipantState, _ study: Study, now: Instant)
        -> Instant?
    {
        let enrolment = stored.enrolment
        guard enrolment.remindersOn, enrolment.state == .active else { return nil }
        if let pending = enrolment.nextReminderAt, pending <= now { return pending }
        return study.nextCheck(
            stored.reminderPlanner(study, at: now).nextCheck(at: now), pending: enrolment.nextReminderAt,
            occasions: stored.occasions, at: now)
    }

    /// The calls that write the difference between the plan and the stored occasions.
    static func calls(
        for difference: Reconciliation, of id: EnrolmentID, studyVersion: String, now: Instant
    ) -> [(Statement, Arguments)] {
        var calls: [(Statement, Arguments)] = []
        if !difference.insert.isEmpty {
            calls.append(insertCall(difference.insert, for: id, studyVersion: studyVersion, now: now))
        }
        if !difference.move.isEmpty {
            calls.append(moveCall(difference.move, of: id, studyVersion: studyVersion, now: now))
        }
        if !difference.cancel.isEmpty {
            calls.append(
                (
                    Statements.occasions["cancel_occasions"],
                    ["enrolment_id": .id(id), "occasion_ids": .ids(difference.cancel)]
                ))
        }
        return calls
    }

    /// The call that inserts occasions.
    static func insertCall(
        _ occasions: [Occasion], for id: EnrolmentID, studyVersion: String, now: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.occasions["insert_occasions"],
            [
                "enrolment_id": .id(id), "study_version": .text(studyVersion), "now": .instant(now),
                "occasion_ids": .ids(occasions.map(\.id)),
                "schedules": .texts(occasions.map(\.key.schedule)),
                "anchor_instances": .texts(occasions.map(\.key.anchorInstance)),
                "day_indexes": .ints(occasions.map(\.key.dayIndex)),
                "slot_indexes": .ints(occasions.map(\.key.slotIndex)),
                "questionnaires": .texts(occasions.map(\.questionnaire)),
            ] + windows(of: occasions)
        )
    }

    /// The call that moves occasions.
    private static func moveCall(
        _ occasions: [Occasion], of id: EnrolmentID, studyVersion: String, now: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.occasions["move_occasions"],
            [
                "enrolment_id": .id(id), "study_version": .text(studyVersion),
                "occasion_ids": .ids(occasions.map(\.id)),
            ] + windows(of: occasions)
                + ["questionnaires": .texts(occasions.map(\.questionnaire)), "now": .instant(now)]
        )
    }

    /// The call that records which occasions a daily mail has announced. The record expires when the study no longer
    /// sends reminders.
    static func announcementCall(
        _ occasions: [Occasion], of enrolment: Enrolment, in message: MessageID, _ study: Study, now: Instant
    ) -> (Statement, Arguments) {
        let end = enrolment.zone.startOfDay(
            enrolment.enrolledOn.adding(days: study.days + ReminderPlanner.daysAfterStudyEnd + 1))
        let keys = occasions.map { ReminderKey.announcement(of: $0) }
        return (
            Statements.reminders["insert_reminders"],
            [
                "enrolment_id": .id(enrolment.id), "message_id": .id(message), "claimed_at": .instant(now),
                "kinds": .texts(keys.map(\.kind.rawValue)),
                "subjects": .texts(keys.map(\.subject)), "ordinals": .ints(keys.map(\.ordinal)),
                "planned_ats": .instants(occasions.map { _ in now }),
                "expires_ats": .instants(occasions.map { _ in end }),
                "occasion_counts": .ints(occasions.map { _ in 1 }),
                "states": .texts(occasions.map { _ in ReminderState.suppressed.rawValue }),
                "whys": .texts(occasions.map { _ in SuppressionReason.alreadyAnnounced.rawValue }),
            ]
        )
    }

    /// The arguments that `insert_occasions` and `move_occasions` share.
    private static func windows(of occasions: [Occasion]) -> Arguments {
        [
            "local_dates": .localDates(occasions.map(\.localDate)), "zones": .texts(occasions.map(\.zone.id)),
            "visible_ats": .instants(occasions.map(\.window.visibleAt)),
            "open_ats": .instants(occasions.map(\.window.openAt)),
            "due_ats": .instants(occasions.map(\.window.dueAt)),
            "close_ats": .instants(occasions.map(\.window.closeAt)),
            "dst_adjusteds": .bools(occasions.map(\.isDSTAdjusted)),
            "set_asides": .texts(occasions.map { $0.exclusion?.rawValue }),
        ]
    }
}
