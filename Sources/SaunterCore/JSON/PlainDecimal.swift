/// A number as most are written: a sign, at most fifteen digits with or without a point, no exponent. Numbers of this form are told without
/// C's parser and without memory of their own; all others go the general way.
struct PlainDecimal {
    /// The digits as a whole number, signed; within ±(10^15 − 1), so a double holds it exactly.
    let mantissa: Int
    /// Digits behind the point.
    let decimalPlaces: Int
    let isNegative: Bool
    /// The last digit is another than 0: what stands behind the point cannot be left out.
    let endsInDigit: Bool

    /// Nil for every other form. The text follows JSON's grammar for numbers.
    init?(_ literal: String) {
        var mantissa = 0
        var digits = 0
        var places = 0
        var isNegative = false
        var isBehindPoint = false
        var last: UInt8 = 0
        for byte in literal.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= 15 else { return nil }
                mantissa = mantissa &* 10 &+ Int(byte &- UInt8(ascii: "0"))
                if isBehindPoint { places += 1 }
                last = byte
            case UInt8(ascii: "."):
                guard !isBehindPoint, digits > 0 else { return nil }
                isBehindPoint = true
            case UInt8(ascii: "-"):
                guard digits == 0, !isNegative else { return nil }
                isNegative = true
            default: return nil
            }
        }
        guard digits > 0 else { return nil }
        self.mantissa = isNegative ? -mantissa : mantissa
        decimalPlaces = places
        self.isNegative = isNegative
        endsInDigit = last != UInt8(ascii: "0")
    }

    /// The nearest double: two numbers that doubles hold exactly, divided once (Clinger 1990, "How to read floating point numbers accurately").
    var double: Double {
        let value = Double(mantissa) / Self.powers[decimalPlaces]
        return mantissa == 0 && isNegative ? -0.0 : value
    }

    /// Whether the text is already the one that digests are made of: a whole number, or one that a double's shortest digits would repeat. Below
    /// 0.001 those have an exponent, and zero has one text.
    var isNormalised: Bool {
        if mantissa == 0 { return !isNegative && decimalPlaces == 0 }
        if decimalPlaces == 0 { return true }
        return endsInDigit && abs(double) >= 0.001
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
