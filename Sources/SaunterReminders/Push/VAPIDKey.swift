import Crypto
import Foundation
import SaunterCore
import SaunterStore

/// The key by which push services know this server (RFC 8292). It follows from the master key: what is backed up with that is not lost alone,
/// and with it every subscription.
package struct VAPIDKey: Sendable {
    /// Of a token; at most 24 hours are allowed.
    static let lifetimeSeconds = 12 * 3600

    private let key: P256.Signing.PrivateKey

    package init(_ secrets: StoreSecrets) {
        // All but one in four thousand million digests are a scalar of the curve; the next is tried in place of that one.
        var number = 0
        while true {
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: secrets.pushScalar(number)) {
                self.key = key
                return
            }
            number += 1
        }
    }

    /// Uncompressed, 65 bytes in base64url: the `applicationServerKey` with which devices subscribe.
    package var publicKey: String { key.publicKey.x963Representation.base64URL }

    /// The value of `Authorization` for a push service.
    /// - Parameter contact: a `mailto:` or `https:` URL for the operators of push services.
    func authorization(for origin: String, contact: String, now: Instant) throws -> String {
        let head: JSON = ["typ": "JWT", "alg": "ES256"]
        let claims: JSON = [
            "aud": .string(origin), "exp": .int(Int(now.milliseconds / 1000) + Self.lifetimeSeconds),
            "sub": .string(contact),
        ]
        let signed = "\(Data(head.bytes).base64URL).\(Data(claims.bytes).base64URL)"
        let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
        return "vapid t=\(signed).\(signature.base64URL), k=\(publicKey)"
    }
}
