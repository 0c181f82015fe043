/// Reads a `numeric` in PostgreSQL's binary format (`numeric_send`): the number of digits to base 10,000, the power of
/// 10,000 of the first digit, a sign, the number of displayed decimal places, and the digits.
struct NumericReader {
    /// Decimal text that `Double` parses: "-00125000e-4", "nan", "inf".
    let text: String

    init?(_ value: BinaryValue) {
        guard let count = value.integer(at: 0, as: Int16.self),
            let weight = value.integer(at: 2, as: Int16.self),
            let sign = value.integer(at: 4, as: UInt16.self), count >= 0, value.count == 8 + 2 * Int(count)
        else { return nil }
        switch sign {
        case 0xC000: text = "nan"
        case 0xD000: text = "inf"
        case 0xF000: text = "-inf"
        case 0x0000, 0x4000:
            var digits = ""
            for index in 0..<Int(count) {
                guard let digit = value.integer(at: 8 + 2 * index, as: UInt16.self), digit < 10_000 else {
                    return nil
                }
                let decimal = String(digit)
                digits += String(repeating: "0", count: 4 - decimal.count) + decimal
            }
            // One integer of all digits, times a power of ten. This is exact for each size.
            let exponent = 4 * (Int(weight) - Int(count) + 1)
            text = (sign == 0x4000 ? "-" : "") + (digits.isEmpty ? "0" : "\(digits)e\(exponent)")
        default: return nil
        }
    }
}
