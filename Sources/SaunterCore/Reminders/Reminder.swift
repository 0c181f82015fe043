/// The reason for a reminder.
package enum ReminderKind: String, Sendable, Hashable, CaseIterable {
    /// The daily mail. Its subject is a local date.
    case dueToday = "due_today"
    case atOpen = "at_open"
    case afterOpen = "after_open"
    case beforeDue = "before_due"
    case beforeClose = "before_close"
    /// The participant asked to be reminded later.
    case snoozed
    /// No device has confirmed the previous message.
    case resend
    /// A message of a notification rule. Its subject is `code/start`: the code of the rule and the instant from which
    /// it counts.
    case notification = "notice"
    /// A message of a decision rule. Its subject is `rule/point/key`, and `@channel` if each channel sends it.
    case rule
}

/// The identity of a reminder, unique within an enrolment.
package struct ReminderKey: Sendable, Hashable {
    /// The reason for the reminder.
    package var kind: ReminderKind
    /// The occasion's id, the local date of a daily mail, or `code/start` of a notification.
    package var subject: String
    /// From 1, among the reminders of this kind and subject.
    package var ordinal: Int

    /// Creates a key from its parts.
    package init(kind: ReminderKind, subject: String, ordinal: Int) {
        self.kind = kind
        self.subject = subject
        self.ordinal = ordinal
    }

    /// Creates the key of a reminder of one occasion.
    package init(_ kind: ReminderKind, of occasion: Occasion, ordinal: Int) {
        self.init(kind: kind, subject: occasion.id.description, ordinal: ordinal)
    }
}

/// A reminder with the time at which it is sent.
package struct Reminder: Sendable, Hashable {
    /// Identifies the reminder within the enrolment.
    package var key: ReminderKey
    /// When the reminder is sent. `ReminderPlanner` postpones it to the end of quiet hours.
    package var at: Instant
    /// The reminder is not sent from this instant on.
    package var expiresAt: Instant
    /// One occasion, or all occasions in the daily mail. Empty for notifications.
    package var occasions: [Occasion]

    /// Creates a reminder from its parts.
    package init(key: ReminderKey, at: Instant, expiresAt: Instant, occasions: [Occasion]) {
        self.key = key
        self.at = at
        self.expiresAt = expiresAt
        self.occasions = occasions
    }
}

extension [Reminder] {
    /// The occasions of all reminders, without duplicates, sorted by opening.
    package var distinctOccasions: [Occasion] {
        var seen: Set<OccasionID> = []
        return flatMap(\.occasions).filter { seen.insert($0.id).inserted }.sorted {
            ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id)
        }
    }
}
