import Crypto
import Foundation

/// What sender and receiver of a webhook share, in the form of Standard Webhooks: `whsec_` and base64.
package struct WebhookSecret: Sendable {
    package static let prefix = "whsec_"
    /// So many bytes are a key; fewer could be guessed.
    package static let bounds = 24...64

    package let text: String
    private let key: SymmetricKey

    /// Nil for another form or another number of bytes.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let data = Data(base64Encoded: String(text.dropFirst(6))),
            Self.bounds.contains(data.count)
        else { return nil }
        self.text = text
        key = SymmetricKey(data: data)
    }

    private init(_ key: SymmetricKey) {
        self.key = key
        text = Self.prefix + key.withUnsafeBytes { Data($0).base64EncodedString() }
    }

    /// A new one of 32 random bytes.
    package static func make() -> WebhookSecret { WebhookSecret(SymmetricKey(size: .bits256)) }

    /// The value of `webhook-signature`: version 1, over id, timestamp and body.
    /// - Parameter timestamp: seconds since 1970.
    package func signature(id: String, timestamp: Int, body: [UInt8]) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + Data(body)
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: key)
        return "v1,\(Data(code).base64EncodedString())"
    }
}
