import Foundation

/// The text of a UUID: 36 characters, written in lower case, read in any.
enum UUIDText {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Nil for anything but hexadecimal digits and the four hyphens at their places.
    static func read(_ text: String) -> UUID? {
        guard text.utf8.count == 36 else { return nil }
        var value: (UInt64, UInt64) = (0, 0)
        var place = 0
        for byte in text.utf8 {
            switch place {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard let digit = digit(byte) else { return nil }
                // Sixteen digits stand before the third hyphen.
                if place < 18 { value.0 = value.0 << 4 | digit } else { value.1 = value.1 << 4 | digit }
            }
            place += 1
        }
        return withUnsafeBytes(of: (value.0.bigEndian, value.1.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    static func write(_ uuid: UUID) -> String {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var at = 0
                for (place, byte) in bytes.enumerated() {
                    if place == 4 || place == 6 || place == 8 || place == 10 {
                        text[at] = UInt8(ascii: "-")
                        at += 1
                    }
                    text[at] = digits[Int(byte >> 4)]
                    text[at + 1] = digits[Int(byte & 15)]
                    at += 2
                }
                return at
            }
        }
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case 48...57: UInt64(byte - 48)
        case 65...70: UInt64(byte - 55)
        case 97...102: UInt64(byte - 87)
        default: nil
        }
    }
}
