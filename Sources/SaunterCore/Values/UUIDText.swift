import Foundation

/// The text form of a UUID: 36 characters. It is written in lower case, and parsed in any letter case.
enum UUIDText {
    /// Returns nil unless the text is hexadecimal digits with four hyphens at offsets 8, 13, 18 and 23.
    static func read(_ text: String) -> UUID? {
        guard text.utf8.count == 36 else { return nil }
        var value: (UInt64, UInt64) = (0, 0)
        for (offset, byte) in text.utf8.enumerated() {
            switch offset {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard let digit = Hex.value(of: byte) else { return nil }
                // The first 16 digits are before the third hyphen, at offset 18.
                if offset < 18 {
                    value.0 = value.0 << 4 | UInt64(digit)
                } else {
                    value.1 = value.1 << 4 | UInt64(digit)
                }
            }
        }
        return withUnsafeBytes(of: (value.0.bigEndian, value.1.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    /// Writes the 36 characters in lower case.
    static func write(_ uuid: UUID) -> String {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var offset = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[offset] = UInt8(ascii: "-")
                        offset += 1
                    }
                    text[offset] = Hex.digits[Int(byte >> 4)]
                    text[offset + 1] = Hex.digits[Int(byte & 15)]
                    offset += 2
                }
                return offset
            }
        }
    }
}
