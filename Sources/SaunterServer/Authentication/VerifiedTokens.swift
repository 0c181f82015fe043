import Crypto
import Foundation
import SaunterCore
import Synchronization

/// Access tokens whose signature was found good, so that it is checked once and not with every request. Known by their digests: whoever reads the
/// memory of the process should not find tokens in it. Bounded; what has expired makes room.
final class VerifiedTokens: Sendable {
    private let maximum: Int
    private let known = Mutex<[SHA256Digest: AccessClaims]>([:])

    init(maximum: Int = 100_000) {
        self.maximum = max(2, maximum)
    }

    /// The claims of a token that was kept and has not expired. One that is from the future was kept while the clock was wrong: it would be
    /// good for as long as that was ahead.
    func find(_ token: String, now: Instant) -> AccessClaims? {
        let digest = Self.digest(of: token)
        return known.withLock { known in
            guard let claims = known[digest] else { return nil }
            guard now < claims.expiresAt,
                claims.issuedAt.milliseconds(since: now) <= AccessTokens.leewayMilliseconds
            else {
                known[digest] = nil
                return nil
            }
            return claims
        }
    }

    /// To be called with what the token was verified to say.
    func keep(_ token: String, _ claims: AccessClaims, now: Instant) {
        let digest = Self.digest(of: token)
        known.withLock { known in
            if known.count >= maximum { known = known.filter { now < $0.value.expiresAt } }
            if known.count >= maximum { known.removeAll(keepingCapacity: true) }
            known[digest] = claims
        }
    }

    /// How many are kept.
    var count: Int { known.withLock { $0.count } }

    private static func digest(of token: String) -> SHA256Digest {
        var token = token
        return token.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
    }
}
