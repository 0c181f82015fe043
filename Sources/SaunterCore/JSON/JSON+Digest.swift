import Crypto
import Foundation

extension JSON {
    /// SHA-256 of the canonical bytes, as 64 hexadecimal digits in lower case.
    package var digest: String {
        sha256.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// SHA-256 of the canonical bytes.
    package var sha256: [UInt8] { Array(SHA256.hash(data: canonicalBytes)) }
}
