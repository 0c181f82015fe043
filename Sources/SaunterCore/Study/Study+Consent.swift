import Crypto
import Foundation

extension Study {
    /// SHA-256 of the consent text in a language, in hexadecimal digits: what exactly was consented to. Nil where the
    /// study has no such text.
    package func consentDigest(in language: String) -> String? {
        text[language].map { text in
            SHA256.hash(data: Data(text.consent.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
        }
    }
}
