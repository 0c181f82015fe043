/// Hexadecimal text: two digits for each byte.
package enum Hex {
    /// The sixteen digits in lower case, as ASCII.
    static let digits = Array("0123456789abcdef".utf8)

    /// Encodes bytes in lower case: `[0, 255]` becomes `00ff`.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes ASCII digits in either letter case.
    /// - Returns: nil for an odd number of digits and for any other character.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text {
            guard let value = value(of: character) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    /// The value of one ASCII digit in either letter case, 0 to 15; nil for any other character.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
    }
}
