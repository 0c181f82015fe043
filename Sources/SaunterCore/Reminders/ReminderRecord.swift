/// The stored result of a claimed reminder.
package struct ReminderRecord: Sendable, Hashable {
    /// Identifies the reminder within the enrolment.
    package var key: ReminderKey
    /// Reminders that were sent as one message have the same id.
    package var message: MessageID
    /// The planned time, postponed by quiet hours. Nil if it was not stored.
    package var plannedAt: Instant?
    /// When a worker claimed the reminder.
    package var claimedAt: Instant
    /// Whether no channel has sent the message and none will, because it was suppressed or it failed. It does not
    /// count as a message of its day.
    package var isUnsent: Bool
    /// Whether the message has not been sent yet and another attempt follows.
    package var isRetrying: Bool
    /// When a channel accepted the message; nil if none did.
    package var sentAt: Instant?
    /// When the device received the message, as it reported; nil if it did not report it.
    package var deliveredAt: Instant?
    /// When the participant opened the message, as the device reported; nil if it did not report it.
    package var openedAt: Instant?

    /// Creates a record; by default of a reminder that is neither unsent nor confirmed.
    package init(
        key: ReminderKey, message: MessageID, plannedAt: Instant? = nil, claimedAt: Instant,
        isUnsent: Bool = false, isRetrying: Bool = false,
        sentAt: Instant? = nil, deliveredAt: Instant? = nil, openedAt: Instant? = nil
    ) {
        self.key = key
        self.message = message
        self.plannedAt = plannedAt
        self.claimedAt = claimedAt
        self.isUnsent = isUnsent
        self.isRetrying = isRetrying
        self.sentAt = sentAt
        self.deliveredAt = deliveredAt
        self.openedAt = openedAt
    }

    var isConfirmed: Bool { deliveredAt != nil || openedAt != nil }
}
