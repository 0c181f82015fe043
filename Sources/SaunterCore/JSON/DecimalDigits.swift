/// The exact decimal value of a JSON number: `digits` × 10^`exponent`, without leading or trailing zeros, so
/// that each value has one form. Binary floating point cannot tell 4503599627370496.3 from a whole number or
/// 0.1 from its neighbours; these digits can.
package struct DecimalDigits: Sendable, Hashable {
    package let isNegative: Bool
    /// ASCII digits; empty for zero.
    package let digits: [UInt8]
    /// Clamped to ±1,000,000, far outside of what a double can hold.
    package let exponent: Int

    /// The text follows JSON's grammar for numbers (or Swift's `description` of a finite double).
    init(literal: String) {
        var digits: [UInt8] = []
        var exponent = 0
        var afterPoint = false
        var written: (negative: Bool, value: Int)?
        for byte in literal.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let given = written {
                    let value = min(given.value * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000)
                    written = (given.negative, value)
                } else {
                    if afterPoint { exponent -= 1 }
                    if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
                }
            case UInt8(ascii: "."): afterPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): written = (false, 0)
            case UInt8(ascii: "-"): if let given = written { written = (true, given.value) }
            default: break
            }
        }
        if let written { exponent += written.negative ? -written.value : written.value }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        isNegative = !digits.isEmpty && literal.utf8.first == UInt8(ascii: "-")
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : min(max(exponent, -1_000_000), 1_000_000)
    }

    /// Digits after the decimal point; 0 for whole numbers.
    package var decimalPlaces: Int { max(0, -exponent) }

    package var isWhole: Bool { exponent >= 0 }
}

extension JSONNumber {
    package var decimalDigits: DecimalDigits { DecimalDigits(literal: literal) }
}
