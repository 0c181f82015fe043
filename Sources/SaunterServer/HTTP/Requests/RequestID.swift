import Foundation
import SaunterCore

/// Identifies one request in the log, the response and problem documents.
enum RequestID {
    /// The id that the client sent, if it has 8 to 64 letters, digits, `.`, `_` or `-` and so is safe in logs and
    /// headers. Otherwise a new id.
    static func make(_ given: String?) -> String {
        if let given, (8...64).contains(given.utf8.count), given.utf8.allSatisfy(isAllowed) { return given }
        return makeUUID()
    }

    /// A random UUID (RFC 9562, version 4). Foundation's `UUID()` opens a file for each call; this uses the random
    /// numbers of the kernel directly.
    private static func makeUUID() -> String {
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
