import SaunterCore

/// Computes when a failed delivery is retried.
package enum Backoff {
    /// The delay in minutes after the first, second, … attempt. After the last one there is no retry.
    static let minutes = [1, 5, 15, 60, 180]

    /// The time of the next attempt, or nil if there is none.
    /// - Parameters:
    ///   - attempt: the number of the attempt that just failed, from 1.
    ///   - before: no message is sent at or after this time.
    package static func nextAttempt(after attempt: Int, now: Instant, before: Instant) -> Instant? {
        guard attempt <= minutes.count else { return nil }
        return nextAttemptDuringOutage(after: attempt, now: now, before: before)
    }

    /// Like `nextAttempt`, but repeats the last delay until the message expires. During an outage, a failed attempt
    /// says nothing about the message.
    package static func nextAttemptDuringOutage(after attempt: Int, now: Instant, before: Instant) -> Instant?
    {
        guard attempt >= 1 else { return nil }
        let next = now.adding(seconds: minutes[min(attempt, minutes.count) - 1] * 60)
        return next < before ? next : nil
    }
}
