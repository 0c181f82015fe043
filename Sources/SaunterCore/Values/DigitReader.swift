/// Reads fixed-width decimal fields from bytes; ASCII digits only.
struct DigitReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    var isAtEnd: Bool { at == bytes.count }

    /// A number of exactly this many digits.
    mutating func number(_ width: Int) -> Int? {
        var value = 0
        for _ in 0..<width {
            guard let digit = peek(), (48...57).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 48)
            at += 1
        }
        return value
    }

    /// Takes digits up to this many; the count is returned with the value.
    mutating func digits(atMost limit: Int) -> (value: Int, count: Int) {
        var value = 0
        var count = 0
        while count < limit, let digit = peek(), (48...57).contains(digit) {
            value = value * 10 + Int(digit - 48)
            count += 1
            at += 1
        }
        return (value, count)
    }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: scalar) else { return false }
        at += 1
        return true
    }

    private func peek() -> UInt8? { at < bytes.count ? bytes[at] : nil }
}
