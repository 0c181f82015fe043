import Foundation
import Postgres
import SaunterCore

/// Everything stored from which the state of one participant follows.
package struct Participation: Sendable {
    package typealias Completion = (id: SheetID, questionnaire: String, completedAt: Instant)

    package var enrolment: Enrolment
    /// Of the study: what new participants join.
    package var liveVersion: String
    package var occasions: [Occasion]
    package var zones: [ZoneChange]
    package var pauses: [Pause]
    package var walks: [(id: WalkID, endedAt: Instant)]
    package var completions: [Completion]
    package var events: [EnrolmentEvent]
    package var calibration: StoredCalibration?
    /// What was claimed for occasions that are still open, and in the last two days; of notices all.
    package var reminders: [ReminderRecord]
    package var snoozes: [Snooze]
    /// Of the study, in the order in which the enrolment followed them; read with the reminders.
    package var versions: [FollowedVersion]
    /// Since when occasions are planned for their days; read with the reminders.
    package var plannedAt: [OccasionID: Instant]

    static func completion(_ row: Row) throws -> Completion {
        (try row.id("sheet_id"), try row.get("questionnaire"), try row.instant("completed_at"))
    }

    package var status: EnrolmentStatus { EnrolmentStatus(endedAt: enrolment.endedAt, pauses: pauses) }

    /// What the overview needs besides occasions; `now` says which sheets are of the participant's today.
    package func facts(at now: Instant) -> EnrolmentFacts {
        let today = enrolment.zone.local(of: now).date
        let ofToday = completions.filter { enrolment.zone.local(of: $0.completedAt).date == today }
        return EnrolmentFacts(
            walkCount: walks.count, calibrationPresent: calibration != nil, status: status,
            answeredToday: Dictionary(grouping: ofToday, by: \.questionnaire).mapValues(\.count))
    }

    /// Everything from which schedules count.
    package var anchors: [AnchorEvent] {
        walks.map { AnchorEvent.walk($0.id, endedAt: $0.endedAt) }
            + completions.map {
                AnchorEvent.completion(of: $0.questionnaire, sheet: $0.id, at: $0.completedAt)
            } + events.map { AnchorEvent.event($0.code, at: $0.occurredAt) }
    }
}

extension Participation {
    /// From which reminders follow.
    package func prompting(_ study: Study, at now: Instant) -> Prompting {
        Prompting(
            study: study, occasions: occasions, zone: enrolment.zone, chosen: enrolment.reminderAt,
            enrolledAt: enrolment.enrolledAt, plannedThrough: enrolment.plannedThrough,
            isSilent: !enrolment.remindersOn || !status.isEnrolled(at: now) || status.isPaused(at: now),
            records: reminders, snoozes: snoozes, facts: noticeFacts,
            followedFrom: versions.last { $0.version == study.version }?.from ?? .minimum,
            waitingSince: enrolment.nextReminderAt)
    }

    private var noticeFacts: NoticeFacts {
        let ends = walks.map(\.endedAt) + completions.map(\.completedAt)
        return NoticeFacts(
            lastActivity: ends.max(),
            events: Dictionary(events.map { ($0.code, $0.occurredAt) }) { $1 },
            completions: Dictionary(completions.map { ($0.questionnaire, $0.completedAt) }) {
                max($0, $1)
            }, pauses: pauses)
    }
}

/// A participant in the order of who runs out of plan first.
package struct PlanPlace: Sendable, Hashable {
    package var enrolment: EnrolmentID
    package var plannedThrough: LocalDate
}

extension Store {
    /// Reads all of it in one round trip; nil when there is no such enrolment.
    package func findParticipation(_ id: EnrolmentID, now: Instant) async throws -> Participation? {
        try await findParticipations(ParticipationReading(ids: [id], now: now))[id]
    }

    /// As `findParticipation`, of many at once, or less of each.
    func findParticipations(
        _ reading: ParticipationReading
    ) async throws -> [EnrolmentID: Participation] {
        try reading.participations(try await research.pipeline(reading.calls))
    }

    /// Completed sheets of these questionnaires, the first to come first.
    package func listCompletions(
        of id: EnrolmentID, questionnaires: Set<String>
    ) async throws -> [Participation.Completion] {
        try await research.query(
            Statements.answerSheets["list_completions"],
            [.ids([id]), .texts(questionnaires.sorted()), .instant(nil)]
        ).map { try Participation.completion($0) }
    }

    /// All occasions of one participant that are stored.
    package func listOccasions(of id: EnrolmentID) async throws -> [Occasion] {
        try await research.query(Statements.occasions["list_occasions"], [.ids([id])])
            .map { try Self.occasion($0) }
    }

    /// Brings the stored occasions in line with the plan when the horizon has moved on.
    /// - Parameter arrived: the sheet that has been handed in, if it is for its sake.
    /// - Throws: `ErasedMeanwhile`.
    package func extendHorizon(
        _ id: EnrolmentID, study: Study, now: Instant, arrived: SheetID? = nil
    ) async throws {
        try await research.writeRetrying(repeatable: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            let instances = Set([arrived?.description].compactMap { $0 })
            try await replan(
                [(enrolment: enrolment, study: study, now: now, arrived: instances)], in: transaction)
        }
    }

    /// Active enrolments whose plan ends before this date, the most urgent first, from after the given place on.
    package func listEnrolments(
        plannedBefore date: LocalDate, after place: PlanPlace? = nil, limit: Int
    ) async throws -> [PlanPlace] {
        try await research.query(
            Statements.enrolments["list_unplanned_enrolments"],
            [
                .localDate(date), .localDate(place?.plannedThrough ?? LocalDate(days: 0)),
                .uuid(place?.enrolment.uuid ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                .int(limit),
            ]
        ).map {
            PlanPlace(
                enrolment: try $0.id("enrolment_id"), plannedThrough: try $0.localDate("planned_through"))
        }
    }

    /// Compares plan and store under the participant's lock, and writes the difference; also how far the plan
    /// reaches and when the next reminder is worth a look.
    /// - Returns: the enrolment as it is stored then.
    func replan(
        _ enrolment: Enrolment, study: Study, now: Instant, in transaction: Transaction
    ) async throws -> Enrolment {
        try await replan(
            [(enrolment: enrolment, study: study, now: now, arrived: [])], in: transaction
        ).first ?? enrolment
    }

    /// Whose plan is to be compared, and which walks and sheets have come since it was compared last.
    typealias Replanning = (enrolment: Enrolment, study: Study, now: Instant, arrived: Set<String>)

    /// As the other, of many in two round trips. All of them are locked; in key order, so that nobody else's batch waits for this one in a circle.
    /// - Returns: those that are there, as they are stored then.
    @discardableResult
    func replan(
        _ people: [Replanning], in transaction: Transaction
    ) async throws -> [Enrolment] {
        guard let first = people.map(\.now).min() else { return [] }
        let reading = ParticipationReading(
            ids: people.map(\.enrolment.id), now: first,
            completions: people.map { .init(whatPlansNeed: $0.study) }.reduce(.of([])) { $0.joined(with: $1) }
        )
        let found = try reading.participations(try await transaction.pipeline(reading.calls))
        var calls: [(Statement, [Parameter])] = []
        let planned = people.compactMap { person in
            found[person.enrolment.id].map { stored in
                plan(person, stored, calls: &calls)
            }
        }
        _ = try await transaction.pipeline(calls)
        return planned
    }

    private func plan(
        _ person: Replanning, _ stored: Participation, calls: inout [(Statement, [Parameter])]
    ) -> Enrolment {
        let (enrolment, study, now, arrived) = person
        let (planner, horizon, difference) = self.difference(
            of: stored, to: study, now: now, arrived: arrived)
        calls += Self.calls(for: difference, of: enrolment.id, studyVersion: study.version, now: now)
        var planned = enrolment
        planned.plannedThrough = planner.plannedThrough(horizon.upperBound)
        var after = stored
        after.enrolment = planned
        after.occasions = difference.applied(to: stored.occasions)
        let told = stored.prompting(study, at: now)
            .told(before: difference, plannedAt: stored.plannedAt)
        if !told.isEmpty {
            let message = MessageID(UUID())
            calls.append(Self.namedCall(told, of: enrolment, in: message, study, now: now))
            after.reminders += told.map {
                ReminderRecord(key: .named($0), message: message, claimedAt: now, isUnsent: true)
            }
        }
        planned.nextReminderAt = Self.nextReminder(after, study, now: now)
        calls.append(
            (
                Statements.enrolments["update_plan_reach"],
                [
                    .id(planned.id), .localDate(planned.plannedThrough), .instant(planned.nextReminderAt),
                ]
            ))
        return planned
    }

    /// How far the stored occasions of a participant are from what this version of the study plans. Writes nothing.
    /// - Parameters:
    ///   - arrived: instances that have become known now, of which also what is over is planned.
    ///   - reach: a date up to which to look, where that is farther than the horizon.
    func difference(
        of stored: Participation, to study: Study, now: Instant, arrived: Set<String> = [],
        through reach: LocalDate = .minimum
    ) -> (planner: Planner, horizon: ClosedRange<LocalDate>, difference: Reconciliation) {
        let enrolment = stored.enrolment
        let events = stored.anchors
        let instances = Set(events.map(\.instance))
        let followers = Set(study.schedules.filter(\.anchor.isRepeated).map(\.id))
        let planner = Planner(
            PlanInput(
                study: study, enrolmentID: enrolment.id, arm: enrolment.arm, enrolledAt: enrolment.enrolledAt,
                zones: stored.zones, anchors: events,
                seed: secrets.studySeed(study.code), status: stored.status))
        let near = planner.horizon(from: now, stored: stored.occasions)
        let horizon = near.lowerBound...max(near.upperBound, reach)
        // What is stored of dates before the horizon is left alone, here too.
        let known = Set(stored.occasions.map(\.id))
        let missed = planner.occasions(following: arrived, before: horizon.lowerBound)
            .filter { !known.contains($0.id) }
        let difference = reconcile(
            stored: stored.occasions,
            planned: missed + planner.occasions(from: horizon.lowerBound, through: horizon.upperBound),
            now: now, dates: horizon, arrived: arrived, status: stored.status
        ) { followers.contains($0.key.schedule) && !instances.contains($0.key.anchorInstance) }
        return (planner, horizon, difference)
    }

    /// What has come due and waits to be claimed stays so.
    private static func nextReminder(_ stored: Participation, _ study: Study, now: Instant) -> Instant? {
        let enrolment = stored.enrolment
        guard enrolment.remindersOn, enrolment.state == .active else { return nil }
        if let waiting = enrolment.nextReminderAt, waiting <= now { return waiting }
        return study.nextLook(
            stored.prompting(study, at: now).next(at: now), waiting: enrolment.nextReminderAt,
            occasions: stored.occasions, at: now)
    }

    static func occasion(_ row: Row) throws -> Occasion {
        Occasion(
            id: try row.id("occasion_id"),
            key: OccasionKey(
                schedule: try row.get("schedule"), anchorInstance: try row.get("anchor_instance"),
                dayIndex: try row.get("day_index"), slotIndex: try row.get("slot_index")),
            questionnaire: try row.get("questionnaire"), localDate: try row.localDate("local_date"),
            zone: try row.zone("zone"),
            window: AssessmentWindow(
                visibleAt: try row.instant("visible_at"), openAt: try row.instant("open_at"),
                dueAt: try row.instant("due_at"), closeAt: try row.instant("close_at")),
            dstAdjusted: try row.get("dst_adjusted"), setAside: try row.valueOptional("set_aside"),
            completedAt: try row.instantOptional("completed_at"), sheetID: try row.idOptional("sheet_id"))
    }
}
