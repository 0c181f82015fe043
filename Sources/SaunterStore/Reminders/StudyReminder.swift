import Foundation
import Postgres
import SaunterCore

/// A reminder with its participant and the attempts to send it, for the study team. It contains no address and no text.
package struct StudyReminder: Sendable {
    /// A position in the list of reminders, which begins with the newest one.
    package struct Position: Sendable, Hashable {
        /// When it is planned.
        package var plannedAt: Instant
        /// The enrolment, which together with the rest identifies the reminder.
        package var enrolment: EnrolmentID
        /// The raw value of its `ReminderKind`.
        package var kind: String
        /// The subject of its `ReminderKey`.
        package var subject: String
        /// The ordinal of its `ReminderKey`.
        package var ordinal: Int

        /// Creates a position from the parts of a cursor.
        package init(plannedAt: Instant, enrolment: EnrolmentID, kind: String, subject: String, ordinal: Int)
        {
            self.plannedAt = plannedAt
            self.enrolment = enrolment
            self.kind = kind
            self.subject = subject
            self.ordinal = ordinal
        }

        /// The position before all reminders that are planned earlier than this instant.
        fileprivate static func first(before instant: Instant) -> Position {
            Position(
                plannedAt: instant, enrolment: EnrolmentID(UUID.first), kind: "", subject: "",
                ordinal: 0)
        }
    }

    /// The place of the reminder in the list.
    package let position: Position
    /// The pseudonym of the participant.
    package let participantID: String
    /// The message that contains it. Reminders that are sent together have one message.
    package let message: MessageID
    /// The code of the questionnaire; nil for a reminder without an occasion.
    package let questionnaire: String?
    /// Days since the enrolment, by the participant's time zone.
    package let studyDay: Int
    /// What became of it.
    package let state: ReminderState
    /// The raw value of a `SuppressionReason` or a `DeliveryFault`; nil if it was sent.
    package let reason: String?
    /// When a channel accepted it; nil if none did.
    package let sentAt: Instant?
    /// When a device received it; nil if no device has reported that.
    package let deliveredAt: Instant?
    /// When the participant opened it; nil if no device has reported that.
    package let openedAt: Instant?
    /// The attempts to send it, in their order: a list of objects with `channel`, `attempted_at`, `outcome` and
    /// `reply_code`.
    package let attempts: JSON

    init(_ row: Row) throws {
        position = Position(
            plannedAt: try row.instant("planned_at"), enrolment: try row.id("enrolment_id"),
            kind: try row.get("kind"), subject: try row.get("subject"), ordinal: try row.get("ordinal"))
        participantID = try row.get("participant_id")
        message = try row.id("message_id")
        questionnaire = try row.getOptional("questionnaire")
        studyDay = try row.get("study_day")
        state = try row.value("state")
        reason = try row.getOptional("why")
        sentAt = try row.instantOptional("sent_at")
        deliveredAt = try row.instantOptional("delivered_at")
        openedAt = try row.instantOptional("opened_at")
        attempts = try JSONReader.read(row.get("attempts", as: String.self))
    }

    /// The code of the rule or notification, or `broadcast`; nil for other reminders.
    package var rule: String? {
        guard [ReminderKind.rule.rawValue, ReminderKind.notification.rawValue].contains(position.kind) else {
            return nil
        }
        return position.subject.split(separator: "/", maxSplits: 1).first.map(String.init)
    }

    /// The occasion of which it reminds; nil for other reminders.
    package var occasion: OccasionID? {
        let kinds: [ReminderKind] = [.rule, .notification, .dueToday]
        return kinds.map(\.rawValue).contains(position.kind) ? nil : OccasionID(position.subject)
    }
}

/// Which reminders of a study are listed. Nil selects all.
package struct StudyReminderFilter: Sendable {
    /// The first local date.
    package var from: LocalDate
    /// The last local date.
    package var to: LocalDate
    /// The enrolment of one participant.
    package var enrolment: EnrolmentID?
    /// The raw value of a `ReminderKind`.
    package var kind: String?
    /// The code of a rule or a notification, or `broadcast`.
    package var rule: String?
    /// The raw value of a `ReminderState`.
    package var state: String?

    /// Creates a filter that selects all reminders that are planned on these local dates, the last one included.
    package init(from: LocalDate, to: LocalDate) {
        self.from = from
        self.to = to
    }
}

/// What became of the reminders that were planned on one local date.
package struct ReminderDay: Sendable, Hashable {
    /// The local date of the participants.
    package let date: LocalDate
    /// All reminders of the date: the sum of `sent`, `failed`, `uncertain`, `suppressed` and `waiting`.
    package let planned: Int
    /// Accepted by a channel.
    package let sent: Int
    /// No channel could deliver them.
    package let failed: Int
    /// They were possibly sent, so they are not sent again.
    package let uncertain: Int
    /// The server decided not to send them.
    package let suppressed: Int
    /// They are being sent, or another attempt follows.
    package let waiting: Int
    /// A device reported that it received them.
    package let delivered: Int
    /// A device reported that the participant opened them.
    package let opened: Int

    init(_ row: Row) throws {
        date = try row.localDate("local_date")
        planned = try row.get("planned")
        sent = try row.get("sent")
        failed = try row.get("failed")
        uncertain = try row.get("uncertain")
        suppressed = try row.get("suppressed")
        waiting = try row.get("waiting")
        delivered = try row.get("delivered")
        opened = try row.get("opened")
    }
}

/// A channel on which a participant cannot be reached.
package struct UnreachableChannel: Sendable, Hashable {
    /// The pseudonym of the participant.
    package let participantID: String
    /// The raw value of a `ReminderChannel`.
    package let channel: String
    /// The number of failures in a row.
    package let failures: Int
    /// When the last message failed.
    package let lastFailedAt: Instant
    /// Since when the participant counts as unreachable.
    package let since: Instant

    init(_ row: Row) throws {
        participantID = try row.get("participant_id")
        channel = try row.get("channel")
        failures = try row.get("failures")
        lastFailedAt = try row.instant("last_failed_at")
        since = try row.instant("unreachable_since")
    }
}

extension Store {
    /// Reminders of a study, the newest first. They are read day by day until the page is full, so that a page does not
    /// cost more if the dates are many.
    /// - Parameter position: the last reminder of the previous page; nil for the first page.
    package func listReminders(
        of study: String, _ filter: StudyReminderFilter, after position: StudyReminder.Position?, limit: Int
    ) async throws -> [StudyReminder] {
        // Local dates are within a day of those in UTC.
        let first = Zone.utc.startOfDay(filter.from.adding(days: -1))
        let end = Zone.utc.startOfDay(filter.to.adding(days: 2))
        var before = StudyReminder.Position.first(before: end)
        if let position, position.plannedAt < end { before = position }
        var found: [StudyReminder] = []
        while found.count < limit, before.plannedAt > first {
            // The reminders of one participant are few.
            let dayBefore = before.plannedAt.adding(seconds: -86_400)
            let since = filter.enrolment == nil ? max(first, dayBefore) : first
            found += try await listReminders(
                of: study, filter, since: since, before: before, limit: limit - found.count)
            before = .first(before: since)
        }
        return found
    }

    private func listReminders(
        of study: String, _ filter: StudyReminderFilter, since: Instant, before: StudyReminder.Position,
        limit: Int
    ) async throws -> [StudyReminder] {
        try await export.query(
            Statements.reminders["list_study_reminders"],
            [
                "study": .text(study), "enrolment_id": .id(filter.enrolment), "kind": .text(filter.kind),
                "rule": .text(filter.rule), "state": .text(filter.state),
                "from_date": .localDate(filter.from), "to_date": .localDate(filter.to),
                "since": .instant(since), "before": .instant(before.plannedAt),
                "before_enrolment": .id(before.enrolment), "before_kind": .text(before.kind),
                "before_subject": .text(before.subject), "before_ordinal": .int(before.ordinal),
                "limit_rows": .int(limit),
            ]
        ).map { try StudyReminder($0) }
    }

    /// What became of the reminders of a study by local date, sorted by date. Dates without a reminder are left out.
    /// - Parameters:
    ///   - from: the first local date.
    ///   - to: the last local date.
    package func countRemindersByDay(
        of study: String, from: LocalDate, to: LocalDate
    ) async throws -> [ReminderDay] {
        try await export.query(
            Statements.reminders["count_reminders_by_day"],
            ["study": .text(study), "from_date": .localDate(from), "to_date": .localDate(to)]
        ).map { try ReminderDay($0) }
    }

    /// The channels on which active participants of a study cannot be reached, sorted by pseudonym and channel.
    /// - Parameter position: the last entry of the previous page; nil for the first page.
    package func listUnreachable(
        of study: String, after position: (participantID: String, channel: String)?, limit: Int
    ) async throws -> [UnreachableChannel] {
        try await export.query(
            Statements.reminders["list_study_unreachable"],
            [
                "study": .text(study), "after_participant": .text(position?.participantID ?? ""),
                "after_channel": .text(position?.channel ?? ""), "limit_rows": .int(limit),
            ]
        ).map { try UnreachableChannel($0) }
    }
}
