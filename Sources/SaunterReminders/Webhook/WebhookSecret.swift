import Crypto
import Foundation
import SaunterCore

/// The shared secret of a webhook, in the format of Standard Webhooks: `whsec_` and base64.
package struct WebhookSecret: Sendable {
    /// The first six characters of every secret.
    package static let prefix = "whsec_"
    /// The permitted key length in bytes. A shorter key could be guessed.
    package static let keyBytes = 24...64

    /// The secret with its prefix, as the receiver configures it.
    package var text: String { secret.revealed }
    private let secret: Secret<String>
    private let key: Secret<SymmetricKey>

    /// Nil if the format or the key length is wrong.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let data = Data(base64Encoded: String(text.dropFirst(6))),
            Self.keyBytes.contains(data.count)
        else { return nil }
        secret = Secret(text)
        key = Secret(SymmetricKey(data: data))
    }

    private init(_ key: SymmetricKey) {
        self.key = Secret(key)
        secret = Secret(Self.prefix + key.withUnsafeBytes { Data($0).base64EncodedString() })
    }

    /// Makes a secret of 32 random bytes.
    package static func make() -> WebhookSecret { WebhookSecret(SymmetricKey(size: .bits256)) }

    /// The value of the header `webhook-signature`: version 1, over id, timestamp and body.
    /// - Parameter timestamp: seconds since 1970.
    package func signature(id: String, timestamp: Int, body: [UInt8]) -> String {
        let signedContent = Data("\(id).\(timestamp).".utf8) + Data(body)
        let code = HMAC<SHA256>.authenticationCode(for: signedContent, using: key.revealed)
        return "v1,\(Data(code).base64EncodedString())"
    }
}
