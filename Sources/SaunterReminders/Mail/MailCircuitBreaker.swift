import SaunterCore
import Synchronization

/// Pauses mail after a fault of the mail server. An attempt at an unavailable server can block a worker until its
/// timeout, and that delays messages of other channels. After the pause, one worker tries again. For the others the
/// pause continues for the same time, or until that attempt succeeds.
package struct MailPause: Sendable, Hashable {
    /// The length of the pause in seconds. Mail is delayed by at most this time after the server has recovered.
    static let seconds = 30

    /// The earliest time of the next attempt. Nil if there is no pause.
    private(set) var until: Instant?

    /// Creates the state without a pause.
    package init() {}

    /// Whether mail can be sent now.
    package func allowsAttempt(at now: Instant) -> Bool { until.map { $0 <= now } ?? true }

    /// Returns whether the caller may make an attempt now. After a fault only one caller may; for the others the pause
    /// continues.
    package mutating func beginAttempt(at now: Instant) -> Bool {
        guard allowsAttempt(at: now) else { return false }
        if until != nil { until = now.adding(seconds: Self.seconds) }
        return true
    }

    /// Records the outcome of an attempt.
    package mutating func recordOutcome(isOutage: Bool, at now: Instant) {
        until = isOutage ? now.adding(seconds: Self.seconds) : nil
    }
}

/// Applies one `MailPause` to all workers.
final class MailCircuitBreaker: Sendable {
    private let pause = Mutex(MailPause())

    func allowsAttempt(at now: Instant) -> Bool { pause.withLock { $0.allowsAttempt(at: now) } }

    /// Sends a mail unless the pause is active. During the pause it returns a temporary failure without an attempt.
    func deliver(_ delivery: MailDelivery, by channel: MailChannel, now: Instant) async -> DeliveryOutcome {
        guard pause.withLock({ $0.beginAttempt(at: now) }) else {
            return .temporaryFailure(code: nil, retryAfter: MailPause.seconds)
        }
        let began = ContinuousClock.now
        let outcome = await channel.deliver(delivery)
        // The pause begins after the attempt: a server that stalls would otherwise be tried again at once.
        let ended = now.adding(seconds: Int((ContinuousClock.now - began).components.seconds))
        pause.withLock { $0.recordOutcome(isOutage: outcome.isOutage, at: ended) }
        return outcome
    }
}
