import Crypto
import Foundation

/// A secret that is handed out once and stored only as its digest: refresh tokens and reset codes. A copy of the database gives nobody a login.
package struct RandomToken: Sendable {
    /// 32 random bytes in base64url: 43 characters. For its owner alone.
    package let text: String
    /// SHA-256 of the text: what is stored. Plain, because 256 random bits cannot be guessed.
    package let digest: [UInt8]

    private init(text: String) {
        self.text = text
        digest = Self.digest(of: text)
    }

    /// A new one, from the system's source of randomness.
    package static func make() -> RandomToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = Data(bytes).base64EncodedString()
        return RandomToken(
            text: text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    }

    /// The digest under which a presented token would be stored; any text has one.
    package static func digest(of text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }
}
