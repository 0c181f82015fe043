import Crypto
import Foundation
import SaunterCore

/// A rate limit by the generic cell rate algorithm (GCRA). It stores one number per key, has millisecond precision, and
/// has no window borders at which a client could double its rate.
package struct Allowance: Sendable, Hashable {
    /// The name in the `RateLimit` headers.
    package let name: String
    /// The number of attempts that are allowed at once.
    package let burst: Int
    /// The time after which one more attempt is allowed, in milliseconds.
    package let intervalMilliseconds: Int64

    /// Allows `count` attempts per `seconds`, if necessary all at once.
    package init(_ name: String, count: Int, perSeconds seconds: Int) {
        self.name = name
        burst = max(1, count)
        intervalMilliseconds = max(1, Int64(seconds) * 1000 / Int64(max(1, count)))
    }

    /// Decides about one more attempt.
    /// - Parameter state: when the allowance is completely refilled, in milliseconds since 1970; nil for a new key.
    /// - Returns: the decision, and the state after the attempt.
    func attempt(_ state: Int64?, now: Instant) -> (decision: Decision, state: Int64) {
        let time = now.milliseconds
        let capacity = intervalMilliseconds * Int64(burst)
        // A state beyond time + capacity is from before the clock was set back.
        let refilledAt = min(max(state ?? time, time), time + capacity)
        let after = refilledAt + intervalMilliseconds
        guard after - time <= capacity else {
            let wait = after - time - capacity
            return (decision(isAllowed: false, remaining: 0, wait), refilledAt)
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

    /// The decision about one attempt.
    package struct Decision: Sendable, Hashable {
        /// Whether the attempt may be made. It is then already counted.
        package let isAllowed: Bool
        /// For the headers. If the attempt is not allowed, `resetSeconds` is the time to wait.
        package let limit: RateLimit

        /// Seconds to wait; nil if the attempt is allowed.
        package var retryAfter: Int? { isAllowed ? nil : max(1, limit.resetSeconds) }
    }
}

/// The account or address that a limit counts. It stores a digest of an e-mail address, so that a memory dump does not
/// show who logs in.
package struct ThrottleKey: Sendable, Hashable {
    private let bytes: [UInt8]

    /// An account, by its e-mail address. Letter case and Unicode composition make no difference; they make none in the
    /// database either.
    package static func email(_ address: String) -> ThrottleKey {
        let plain = address.precomposedStringWithCanonicalMapping.lowercased()
        let digest = SHA256.hash(data: Data(plain.utf8))
        return ThrottleKey(bytes: [1] + Array(digest.prefix(16)))
    }

    /// An account that is logged in.
    package static func account(_ id: AccountID) -> ThrottleKey {
        ThrottleKey(bytes: withUnsafeBytes(of: id.uuid.uuid) { [2] + Array($0) })
    }

    /// A login on one device.
    package static func login(_ family: UUID) -> ThrottleKey {
        ThrottleKey(bytes: withUnsafeBytes(of: family.uuid) { [4] + Array($0) })
    }

    /// Logins to one account from one network address.
    /// - Parameter passwordHash: the stored hash; nil if there is no account. A new password begins a new key, on every
    ///   server, so a password reset lifts the limit.
    package static func logins(email: String, passwordHash: String?, from address: IPAddress?) -> ThrottleKey
    {
        var digest = SHA256()
        digest.update(data: Self.email(email).bytes + (address?.network ?? []) + [0])
        digest.update(data: Array((passwordHash ?? "").utf8))
        return ThrottleKey(bytes: [5] + Array(digest.finalize().prefix(16)))
    }

    /// A network address: an IPv4 address, or the /64 network of an IPv6 address. All callers without an address share
    /// one key.
    package static func address(_ address: IPAddress?) -> ThrottleKey {
        ThrottleKey(bytes: [3] + (address?.network ?? []))
    }
}

/// Counts attempts per key, for a bounded number of keys. When there is no room for a new key, the keys that are
/// refilled first are removed. So an attacker with many addresses cannot use unlimited memory.
package actor Throttle {
    private let allowance: Allowance
    private let maximumKeys: Int
    private var states: [ThrottleKey: Int64] = [:]

    /// Creates a throttle without attempts.
    package init(_ allowance: Allowance, maximumKeys: Int = 100_000) {
        self.allowance = allowance
        self.maximumKeys = max(1, maximumKeys)
    }

    /// Counts one attempt.
    package func attempt(_ key: ThrottleKey, now: Instant) -> Allowance.Decision {
        let (decision, state) = allowance.attempt(states[key], now: now)
        if states[key] == nil, states.count >= maximumKeys { makeRoom(now) }
        states[key] = state
        return decision
    }

    /// Forgets the attempts of a key, after a successful login.
    package func clear(_ key: ThrottleKey) {
        states[key] = nil
    }

    /// The number of keys that are stored now.
    package var count: Int { states.count }

    /// Removes keys that are refilled. If more than half of the room is still used, also removes the half that is
    /// refilled first.
    private func makeRoom(_ now: Instant) {
        states = states.filter { $0.value > now.milliseconds }
        guard states.count > maximumKeys / 2 else { return }
        let middle = states.values.sorted()[states.count / 2]
        states = states.filter { $0.value > middle }
    }
}

extension Throttle {
    /// Counts one attempt.
    /// - Throws: `too-many-requests` if it is above the limit.
    package func admit(_ key: ThrottleKey, now: Instant) throws(Problem) {
        let decision = attempt(key, now: now)
        guard decision.isAllowed else { throw decision.limit.exceeded }
    }
}
