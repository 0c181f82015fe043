import Crypto
import Foundation
import SaunterCore
import SaunterStore

/// The key that identifies this server to push services (RFC 8292). It is derived from the master key. A backup of the
/// master key therefore also preserves this key and all subscriptions.
package struct VAPIDKey: Sendable {
    /// The lifetime of a token in seconds. RFC 8292 allows at most 24 hours.
    static let lifetimeSeconds = 12 * 3600

    private let key: Secret<P256.Signing.PrivateKey>

    /// Derives the key from the master key. The same master key results in the same key.
    package init(_ secrets: StoreSecrets) {
        // With probability 2^-32, a digest is not a valid private key. Then the next digest is tried.
        var attempt = 0
        while true {
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: secrets.pushScalar(attempt)) {
                self.key = Secret(key)
                return
            }
            attempt += 1
        }
    }

    /// The uncompressed public key, 65 bytes in base64url: the `applicationServerKey` with which devices subscribe.
    package var publicKey: String { key.revealed.publicKey.x963Representation.base64URL }

    /// The value of the header `Authorization` for a push service.
    /// - Parameter contact: a `mailto:` or `https:` URL for the operators of push services.
    func authorization(for origin: String, contact: String, now: Instant) throws -> String {
        let header: JSON = ["typ": "JWT", "alg": "ES256"]
        let claims: JSON = [
            "aud": .string(origin), "exp": .int(Int(now.milliseconds / 1000) + Self.lifetimeSeconds),
            "sub": .string(contact),
        ]
        let signedContent = "\(Data(header.bytes).base64URL).\(Data(claims.bytes).base64URL)"
        let signature = try key.revealed.signature(for: Data(signedContent.utf8)).rawRepresentation
        return "vapid t=\(signedContent).\(signature.base64URL), k=\(publicKey)"
    }
}
