/// The participant's request to pause the reminders of one occasion, and to be reminded at the end.
package struct Snooze: Sendable, Hashable {
    /// The occasion whose reminders pause.
    package var occasion: OccasionID
    /// From 1.
    package var ordinal: Int
    /// When the participant requested the snooze.
    package var askedAt: Instant
    /// The end of the snooze. The participant is reminded then.
    package var until: Instant

    /// Creates a snooze from a stored request.
    package init(occasion: OccasionID, ordinal: Int, askedAt: Instant, until: Instant) {
        self.occasion = occasion
        self.ordinal = ordinal
        self.askedAt = askedAt
        self.until = until
    }
}

extension [Snooze] {
    /// The snooze that counts, among those of one occasion: the last one that was requested by this instant.
    package func active(at now: Instant) -> Snooze? {
        filter { $0.askedAt <= now }.max { $0.ordinal < $1.ordinal }
    }
}
