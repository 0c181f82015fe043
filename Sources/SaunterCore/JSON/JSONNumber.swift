/// A JSON number that keeps its digits, so that 9007199254740993 is not rounded.
package struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
    /// The stored form. A literal that fits `PlainDecimal` is always stored as `plain`, so that equal literals are
    /// equal.
    enum Form: Sendable, Hashable {
        case plain(PlainDecimal)
        case text(String)
    }

    let form: Form

    /// Creates a number from a literal whose grammar the caller has checked.
    init(checked literal: String) {
        form = PlainDecimal(literal.utf8).map(Form.plain) ?? .text(literal)
    }

    /// Creates a number from the bytes of a literal whose grammar the caller has checked.
    init(checked bytes: ArraySlice<UInt8>) {
        form = PlainDecimal(bytes).map(Form.plain) ?? .text(String(decoding: bytes, as: UTF8.self))
    }

    /// A whole number.
    package init(_ value: Int) {
        form = PlainDecimal(whole: value).map(Form.plain) ?? .text(String(value))
    }

    /// Creates a number with the fewest digits that parse to the same `Double`. Whole numbers below 2^53 are written
    /// without `.0`. The value must be finite.
    package init(_ value: Double) {
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 {
            self.init(Int(value))
        } else {
            self.init(checked: value.description)
        }
    }

    /// The JSON text.
    package var literal: String {
        switch form {
        case .plain(let plain): plain.literal
        case .text(let literal): literal
        }
    }

    /// The value if it is whole and within ±(2^53 − 1), otherwise nil. `1.0` and `1e2` are whole, as in JSON Schema.
    package var int: Int? {
        switch form {
        case .plain(let plain): return plain.int
        case .text(let literal):
            if let value = Int(literal) {
                return (-9_007_199_254_740_991...9_007_199_254_740_991).contains(value) ? value : nil
            }
            guard decimalDigits.isWhole, let value = Double(literal), abs(value) <= 9_007_199_254_740_991
            else { return nil }
            return Int(value)
        }
    }

    /// The nearest finite double; nil if the magnitude is too large, such as 1e400.
    package var double: Double? {
        switch form {
        case .plain(let plain): return plain.double
        case .text(let literal):
            guard let value = Double(literal), value.isFinite else { return nil }
            return value
        }
    }

    /// The number as JSON text.
    package var description: String { literal }
}
