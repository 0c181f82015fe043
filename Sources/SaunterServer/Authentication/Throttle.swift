import Crypto
import Foundation
import SaunterCore

/// An allowance that refills steadily, counted to the millisecond: the generic cell rate algorithm, which keeps one number per key and lets
/// nobody double the allowance across the border of two windows.
package struct Allowance: Sendable, Hashable {
    package let name: String
    /// Tries that are allowed at once.
    package let burst: Int
    /// Time after which one more is allowed, in milliseconds.
    package let intervalMilliseconds: Int64

    /// `count` tries per `seconds`, all at once if need be.
    package init(_ name: String, count: Int, perSeconds seconds: Int) {
        self.name = name
        burst = max(1, count)
        intervalMilliseconds = max(1, Int64(seconds) * 1000 / Int64(max(1, count)))
    }

    /// What one more try finds: whether it is allowed, and the state after it. `state` is the moment at which everything is refilled, in
    /// milliseconds since 1970; nil for a key that was not seen.
    func take(_ state: Int64?, now: Instant) -> (decision: Decision, state: Int64) {
        let time = now.milliseconds
        let capacity = intervalMilliseconds * Int64(burst)
        // Nothing takes longer to refill than everything: what says so is from before the clock was set back.
        let full = min(max(state ?? time, time), time + capacity)
        let after = full + intervalMilliseconds
        guard after - time <= capacity else {
            let wait = after - time - capacity
            return (decision(isAllowed: false, remaining: 0, wait), full)
        }
        let remaining = Int((capacity - (after - time)) / intervalMilliseconds)
        return (decision(isAllowed: true, remaining: remaining, after - time), after)
    }

    private func decision(isAllowed: Bool, remaining: Int, _ milliseconds: Int64) -> Decision {
        let window = intervalMilliseconds * Int64(burst) / 1000
        return Decision(
            isAllowed: isAllowed,
            limit: RateLimit(
                name: name, quota: burst, windowSeconds: Int(max(1, window)), remaining: remaining,
                resetSeconds: Int((milliseconds + 999) / 1000)))
    }

    /// The answer to one try.
    package struct Decision: Sendable, Hashable {
        package let isAllowed: Bool
        /// For the headers; `resetSeconds` of a refusal is when to try again.
        package let limit: RateLimit

        /// Seconds to wait; nil when allowed.
        package var retryAfter: Int? { isAllowed ? nil : max(1, limit.resetSeconds) }
    }
}

/// Whom a throttle counts. E-mail addresses are kept as digests: whoever reads the memory of the process should not find out who logs in.
package struct ThrottleKey: Sendable, Hashable {
    private let bytes: [UInt8]

    /// An account, by its address; letter case and the way accents are written make no difference, as they make none to finding it.
    package static func email(_ address: String) -> ThrottleKey {
        let plain = address.precomposedStringWithCanonicalMapping.lowercased()
        let digest = SHA256.hash(data: Data(plain.utf8))
        return ThrottleKey(bytes: [1] + Array(digest.prefix(16)))
    }

    /// An account that is logged in.
    package static func account(_ id: AccountID) -> ThrottleKey {
        ThrottleKey(bytes: withUnsafeBytes(of: id.uuid.uuid) { [2] + Array($0) })
    }

    /// A network address: an IPv4 address, or the /64 of an IPv6 address. Nil stands for all callers without one.
    package static func address(_ address: IPAddress?) -> ThrottleKey {
        ThrottleKey(bytes: [3] + (address?.network ?? []))
    }
}

/// Counts tries per key. Keys are bounded in number: when there is no room, those go that have been refilled longest, so an attacker with many
/// addresses costs memory only up to the bound.
package actor Throttle {
    private let allowance: Allowance
    private let maximumKeys: Int
    private var states: [ThrottleKey: Int64] = [:]

    package init(_ allowance: Allowance, maximumKeys: Int = 100_000) {
        self.allowance = allowance
        self.maximumKeys = max(1, maximumKeys)
    }

    /// Counts one try.
    package func take(_ key: ThrottleKey, now: Instant) -> Allowance.Decision {
        let (decision, state) = allowance.take(states[key], now: now)
        if states[key] == nil, states.count >= maximumKeys { makeRoom(now) }
        states[key] = state
        return decision
    }

    /// Forgets what was counted, after a login that went well.
    package func clear(_ key: ThrottleKey) {
        states[key] = nil
    }

    /// Keys that are remembered now.
    package var count: Int { states.count }

    /// Drops what is refilled, and, where that is too little, the half that will be refilled soonest.
    private func makeRoom(_ now: Instant) {
        states = states.filter { $0.value > now.milliseconds }
        guard states.count > maximumKeys / 2 else { return }
        let middle = states.values.sorted()[states.count / 2]
        states = states.filter { $0.value > middle }
    }
}

extension Throttle {
    /// Counts one try and throws `too-many-requests` when it is one too many.
    package func admit(_ key: ThrottleKey, now: Instant) throws(Problem) {
        let decision = take(key, now: now)
        guard decision.isAllowed else { throw decision.limit.exceeded }
    }
}
