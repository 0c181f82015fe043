/// The exact decimal value of a JSON number: `digits` × 10^`exponent`, without leading or trailing zeros. Each value
/// has exactly one form. A `Double` cannot represent 0.1 exactly, and it cannot distinguish 4503599627370496.3 from
/// neighbouring numbers; these digits can.
package struct DecimalDigits: Sendable, Hashable {
    /// Whether the value is below zero. Zero is never negative.
    package let isNegative: Bool
    /// The ASCII digits without leading and trailing zeros; empty for zero.
    package let digits: [UInt8]
    /// The power of ten, clamped to ±1,000,000. A `Double` reaches about ±308.
    package let exponent: Int

    /// Parses a text that follows JSON's grammar for numbers, or Swift's `description` of a finite `Double`.
    init(literal: String) {
        var digits: [UInt8] = []
        var exponent = 0
        var afterPoint = false
        var writtenExponent: (negative: Bool, value: Int)?
        for byte in literal.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let current = writtenExponent {
                    let value = min(current.value * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000)
                    writtenExponent = (current.negative, value)
                } else {
                    if afterPoint { exponent -= 1 }
                    if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
                }
            case UInt8(ascii: "."): afterPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): writtenExponent = (false, 0)
            case UInt8(ascii: "-"):
                if let current = writtenExponent { writtenExponent = (true, current.value) }
            default: break
            }
        }
        if let writtenExponent {
            exponent += writtenExponent.negative ? -writtenExponent.value : writtenExponent.value
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        isNegative = !digits.isEmpty && literal.utf8.first == UInt8(ascii: "-")
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : min(max(exponent, -1_000_000), 1_000_000)
    }

    /// The number of digits after the decimal point; 0 for a whole number.
    package var decimalPlaces: Int { max(0, -exponent) }

    /// Whether the value is a whole number.
    package var isWhole: Bool { exponent >= 0 }
}

extension JSONNumber {
    /// The exact decimal value.
    package var decimalDigits: DecimalDigits { DecimalDigits(literal: literal) }
}
