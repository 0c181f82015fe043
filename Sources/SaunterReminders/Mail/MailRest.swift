import SaunterCore
import Synchronization

/// How long a mail server that is at fault or does not answer is left alone. Each attempt at one may take as long as its time-out, and a worker
/// that waits for it serves nobody who is reached otherwise; so after a fault there is a pause, and after the pause one worker tries for all.
package struct MailPause: Sendable, Hashable {
    /// Nobody waits longer for a server that is back.
    static let seconds = 30

    /// When the next attempt may be made; nil while nothing speaks against one.
    private(set) var until: Instant?

    package init() {}

    /// Whether mail may go out at this moment.
    package func allows(at now: Instant) -> Bool { until.map { $0 <= now } ?? true }

    /// Whether the caller may make an attempt. Whoever may after a fault has the turn alone: the others go on pausing.
    package mutating func takeTurn(at now: Instant) -> Bool {
        guard allows(at: now) else { return false }
        if until != nil { until = now.adding(seconds: Self.seconds) }
        return true
    }

    /// What came of an attempt.
    package mutating func note(isOutage: Bool, at now: Instant) {
        until = isOutage ? now.adding(seconds: Self.seconds) : nil
    }
}

/// The pause that all workers share.
final class MailRest: Sendable {
    private let pause = Mutex(MailPause())

    func allows(at now: Instant) -> Bool { pause.withLock { $0.allows(at: now) } }

    /// Hands a mail in, unless the server is left alone just now: then nothing is attempted.
    func deliver(_ delivery: Delivery, by channel: Channel, now: Instant) async -> DeliveryOutcome {
        guard pause.withLock({ $0.takeTurn(at: now) }) else {
            return .temporaryFailure(code: nil, retryAfter: MailPause.seconds)
        }
        let outcome = await channel.deliver(delivery)
        pause.withLock { $0.note(isOutage: outcome.isOutage, at: now) }
        return outcome
    }
}
