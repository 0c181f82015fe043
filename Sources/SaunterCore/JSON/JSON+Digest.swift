import Crypto
import Foundation

extension JSON {
    /// SHA-256 of the canonical bytes, as 64 hexadecimal digits in lower case.
    package var digest: String {
        SHA256.hash(data: canonicalBytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
