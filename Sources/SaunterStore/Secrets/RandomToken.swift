import Crypto
import Foundation
import SaunterCore

/// A secret that is shown once and stored only as its digest: refresh tokens, and codes in mails. A copy of the
/// database contains no usable token.
package struct RandomToken: Sendable {
    /// 32 random bytes in base64url: 43 characters. Only the owner may see it.
    package var text: String { secret.revealed }
    private let secret: Secret<String>
    /// SHA-256 of the text: the stored value. No slow hash is needed, because 256 random bits cannot be guessed.
    package let digest: [UInt8]

    private init(text: String) {
        secret = Secret(text)
        digest = Self.digest(of: text)
    }

    /// A new token from the system's random number generator.
    package static func make() -> RandomToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = Data(bytes).base64EncodedString()
        return RandomToken(
            text: text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    }

    /// The digest under which a token with this text would be stored.
    package static func digest(of text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }
}
