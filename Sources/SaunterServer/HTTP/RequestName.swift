import Foundation
import HTTPTypes
import SaunterCore

extension HTTPField.Name {
    /// `X-Request-ID`, in and out.
    package static let requestID = HTTPField.Name("X-Request-ID")!
    /// `X-Forwarded-For`, believed of trusted proxies only.
    package static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    static let forwarded = HTTPField.Name("Forwarded")!
    /// `RateLimit` and `RateLimit-Policy`, an IETF draft.
    package static let rateLimit = HTTPField.Name("RateLimit")!
    package static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!
    /// `Link` (RFC 8288).
    package static let link = HTTPField.Name("Link")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}

/// The name of one request in log, reply and problem.
enum RequestName {
    /// The client's own, if it is 8 to 64 letters, digits, `.`, `_` or `-`, so that it can go into logs and headers; else a new one.
    static func of(_ given: String?) -> String {
        if let given, (8...64).contains(given.utf8.count), given.utf8.allSatisfy(isAllowed) { return given }
        return fresh()
    }

    /// A random UUID (RFC 9562, version 4) whose bits come straight from the kernel: Foundation opens a file for each.
    private static func fresh() -> String {
        var random = SystemRandomNumberGenerator()
        let high: UInt64 = random.next() & ~0xF000 | 0x4000
        let low: UInt64 = random.next() & ~(3 << 62) | 2 << 62
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            ID<Never>(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))).description
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(byte)
    }
}
