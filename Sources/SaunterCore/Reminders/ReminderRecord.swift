/// What became of a reminder that was claimed.
package struct ReminderRecord: Sendable, Hashable {
    package var key: PromptKey
    /// Those that went out together have the same.
    package var message: MessageID
    /// The moment of the rule that it followed, quiet hours heeded; nil where nobody kept it.
    package var plannedAt: Instant?
    package var claimedAt: Instant
    /// Surely it went out by no channel and never will, held back or failed: nobody was told, and it is no message of its day.
    package var isUnsent: Bool
    /// It surely has not gone out yet: another attempt follows.
    package var isRetrying: Bool
    package var sentAt: Instant?
    package var deliveredAt: Instant?
    package var openedAt: Instant?

    package init(
        key: PromptKey, message: MessageID, plannedAt: Instant? = nil, claimedAt: Instant,
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

/// The participant's wish to be left alone with an occasion for a while, and to be reminded then.
package struct Snooze: Sendable, Hashable {
    package var occasion: OccasionID
    /// From 1.
    package var ordinal: Int
    package var askedAt: Instant
    package var until: Instant

    package init(occasion: OccasionID, ordinal: Int, askedAt: Instant, until: Instant) {
        self.occasion = occasion
        self.ordinal = ordinal
        self.askedAt = askedAt
        self.until = until
    }
}

extension [Snooze] {
    /// The one that counts, of those of one occasion: the last that was asked for by this moment.
    package func standing(at now: Instant) -> Snooze? {
        filter { $0.askedAt <= now }.max { $0.ordinal < $1.ordinal }
    }
}
