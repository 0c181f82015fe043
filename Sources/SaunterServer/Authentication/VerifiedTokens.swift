import Crypto
import Foundation
import SaunterCore
import Synchronization

/// A cache of access tokens with a correct signature, so that a signature is verified once and not with each request.
/// It stores digests, so that a memory dump contains no tokens. It has a maximum size; expired tokens are removed
/// first.
final class VerifiedTokens: Sendable {
    private let maximum: Int
    private let known = Mutex<[SHA256Digest: AccessClaims]>([:])

    init(maximum: Int = 100_000) {
        self.maximum = max(2, maximum)
    }

    /// The claims of a token that is in the cache and has not expired. A token whose issue time is in the
    /// future was added while the clock was wrong. It is removed; otherwise it would stay valid for too long.
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

    /// Adds a token that was verified.
    func insert(_ token: String, _ claims: AccessClaims, now: Instant) {
        let digest = Self.digest(of: token)
        known.withLock { known in
            if known.count >= maximum { known = known.filter { now < $0.value.expiresAt } }
            if known.count >= maximum { known.removeAll(keepingCapacity: true) }
            known[digest] = claims
        }
    }

    /// The number of tokens in the cache.
    var count: Int { known.withLock { $0.count } }

    private static func digest(of token: String) -> SHA256Digest {
        var token = token
        return token.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
    }
}
