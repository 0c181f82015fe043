import Postgres
import SaunterCore

/// The stored data from which the state of one participant follows.
package struct ParticipantState: Sendable {
    /// A completed sheet, with its instant by the corrected clock.
    package typealias Completion = (id: SheetID, questionnaire: String, completedAt: Instant)

    /// The enrolment, as locked or read.
    package var enrolment: Enrolment
    /// The live version of the study, which new participants join.
    package var liveVersion: String
    /// The occasions that the query selected, in no particular order.
    package var occasions: [Occasion]
    /// The changes of the time zone, in order.
    package var zones: [ZoneChange]
    /// The pauses, in order. The last one can be without an end.
    package var pauses: [Pause]
    /// The walks that are not deleted, with their ends by the corrected clock.
    package var walks: [(id: WalkID, endedAt: Instant)]
    /// The sheets that are not deleted, as far as the query selected them.
    package var completions: [Completion]
    /// The reported events of the study.
    package var events: [EnrolmentEvent]
    /// The active calibration; nil if there is none.
    package var calibration: StoredCalibration?
    /// Reminders of occasions that are still open, reminders of the last two days, and all notifications.
    package var reminders: [ReminderRecord]
    /// The requests to be reminded later that still have an effect.
    package var snoozes: [Snooze]
    /// The study versions that the enrolment has followed, in order. Empty unless reminders are read.
    package var versions: [FollowedVersion]
    /// When each occasion was planned for its current local date. Empty unless reminders are read.
    package var plannedAt: [OccasionID: Instant]

    /// Reads a row of `list_completions`.
    static func completion(_ row: Row) throws -> Completion {
        (try row.id("sheet_id"), try row.get("questionnaire"), try row.instant("completed_at"))
    }

    /// Whether the participant is enrolled and paused, over time.
    package var status: EnrolmentStatus { EnrolmentStatus(endedAt: enrolment.endedAt, pauses: pauses) }

    /// What the overview needs besides the occasions. `now` determines the participant's current day.
    package func facts(at now: Instant) -> EnrolmentFacts {
        let today = enrolment.zone.local(of: now).date
        let todaysCompletions = completions.filter { enrolment.zone.local(of: $0.completedAt).date == today }
        var happened = Set(completions.map { Anchor.completion(questionnaire: $0.questionnaire) })
        happened.formUnion(events.map { Anchor.event($0.code) })
        if !walks.isEmpty { happened.insert(.walk) }
        return EnrolmentFacts(
            hasCalibration: calibration != nil, status: status,
            answeredToday: Dictionary(grouping: todaysCompletions, by: \.questionnaire).mapValues(\.count),
            happened: happened)
    }

    /// All events to which schedules refer.
    package var anchors: [AnchorEvent] {
        walks.map { AnchorEvent.walk($0.id, endedAt: $0.endedAt) }
            + completions.map {
                AnchorEvent.completion(of: $0.questionnaire, sheet: $0.id, at: $0.completedAt)
            } + events.map { AnchorEvent.event($0.code, at: $0.occurredAt) }
    }
}

extension ParticipantState {
    /// The planner of this participant's reminders.
    package func reminderPlanner(_ study: Study, at now: Instant) -> ReminderPlanner {
        ReminderPlanner(
            study: study, occasions: occasions, zone: enrolment.zone, preferredTime: enrolment.reminderAt,
            enrolledAt: enrolment.enrolledAt, plannedThrough: enrolment.plannedThrough,
            isMuted: isMuted(at: now),
            records: reminders, snoozes: snoozes, facts: notificationFacts,
            followedFrom: versions.last { $0.version == study.version }?.from ?? .minimum,
            pendingCheckAt: enrolment.nextReminderAt)
    }

    /// The last sheet or walk; nil if there is none.
    package var lastActivity: Instant? {
        (walks.map(\.endedAt) + completions.map(\.completedAt)).max()
    }

    /// Whether the participant gets no messages now: after leaving, in a pause, or with messages switched off.
    package func isMuted(at now: Instant) -> Bool {
        !enrolment.remindersOn || !status.isEnrolled(at: now) || status.isPaused(at: now)
    }

    private var notificationFacts: NotificationFacts {
        NotificationFacts(
            lastActivity: lastActivity,
            events: Dictionary(events.map { ($0.code, $0.occurredAt) }) { $1 },
            completions: Dictionary(completions.map { ($0.questionnaire, $0.completedAt) }) {
                max($0, $1)
            }, pauses: pauses)
    }
}
