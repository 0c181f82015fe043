import SaunterCore

/// When a delivery that surely failed is tried again.
package enum Backoff {
    /// Minutes after the first, second … attempt; after the last there is none.
    static let minutes = [1, 5, 15, 60, 180]

    /// Nil when no further attempt is worth making.
    /// - Parameters:
    ///   - attempt: the number of the attempt that just failed, from 1.
    ///   - before: nothing is sent from then on.
    package static func next(after attempt: Int, now: Instant, before: Instant) -> Instant? {
        guard attempt <= minutes.count else { return nil }
        return untilOver(after: attempt, now: now, before: before)
    }

    /// As `next`, but the last wait is repeated for as long as there is time: an outage ends some day, and until then no attempt tells anything of
    /// the message.
    package static func untilOver(after attempt: Int, now: Instant, before: Instant) -> Instant? {
        guard attempt >= 1 else { return nil }
        let next = now.adding(seconds: minutes[min(attempt, minutes.count) - 1] * 60)
        return next < before ? next : nil
    }
}
