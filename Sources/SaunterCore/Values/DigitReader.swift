/// Reads decimal fields from ASCII bytes.
struct DigitReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// Reads a number of exactly `width` digits. Returns nil if the input has fewer digits here.
    mutating func number(_ width: Int) -> Int? {
        var value = 0
        for _ in 0..<width {
            guard let digit = peek(), (48...57).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 48)
            offset += 1
        }
        return value
    }

    /// Reads at most `limit` digits, and returns their value and their count. The count may be 0.
    mutating func digits(atMost limit: Int) -> (value: Int, count: Int) {
        var value = 0
        var count = 0
        while count < limit, let digit = peek(), (48...57).contains(digit) {
            value = value * 10 + Int(digit - 48)
            count += 1
            offset += 1
        }
        return (value, count)
    }

    /// Skips one character and returns true, if it is the next one.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: scalar) else { return false }
        offset += 1
        return true
    }

    private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }
}
