/// A JSON number by its digits, so that 9007199254740993 stays what it is.
package struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
    /// Each text has one form: what can be plain is.
    enum Form: Sendable, Hashable {
        case plain(PlainDecimal)
        case text(String)
    }

    let form: Form

    /// The caller has checked the grammar.
    init(checked literal: String) {
        form = PlainDecimal(literal.utf8).map(Form.plain) ?? .text(literal)
    }

    /// As the other, from bytes.
    init(checked bytes: ArraySlice<UInt8>) {
        form = PlainDecimal(bytes).map(Form.plain) ?? .text(String(decoding: bytes, as: UTF8.self))
    }

    package init(_ value: Int) {
        form = PlainDecimal(whole: value).map(Form.plain) ?? .text(String(value))
    }

    /// Shortest digits that read back as the same number; whole numbers below 2^53 without `.0`. The value
    /// must be finite.
    package init(_ value: Double) {
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 {
            self.init(Int(value))
        } else {
            self.init(checked: value.description)
        }
    }

    /// As JSON writes it.
    package var literal: String {
        switch form {
        case .plain(let plain): plain.literal
        case .text(let literal): literal
        }
    }

    /// The value if it is whole and within ±(2^53 − 1); `1.0` and `1e2` are whole, as JSON Schema has it.
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

    /// The nearest finite double; nil when the magnitude is beyond that (1e400).
    package var double: Double? {
        switch form {
        case .plain(let plain): return plain.double
        case .text(let literal):
            guard let value = Double(literal), value.isFinite else { return nil }
            return value
        }
    }

    package var description: String { literal }
}
