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
        guard attempt >= 1, attempt <= minutes.count else { return nil }
        let next = now.adding(seconds: minutes[attempt - 1] * 60)
        return next < before ? next : nil
    }
}
