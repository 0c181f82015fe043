/// Writes the decimal fields of dates and times.
struct DigitWriter {
    private var bytes: [UInt8] = []

    /// Returns the text that the closure writes.
    /// - Parameter size: an estimate of its length in bytes.
    static func text(of size: Int, _ write: (inout DigitWriter) -> Void) -> String {
        var writer = DigitWriter()
        writer.bytes.reserveCapacity(size)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes a non-negative number, padded with zeros to `width` digits. A longer number is written completely.
    mutating func write(_ number: Int, _ width: Int) {
        let digits = String(number).utf8
        for _ in digits.count..<max(width, digits.count) { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: digits)
    }

    mutating func write(_ scalar: Unicode.Scalar) {
        bytes.append(UInt8(ascii: scalar))
    }

    /// Writes `yyyy-mm-dd`.
    mutating func write(_ date: LocalDate) {
        let (year, month, day) = date.components
        write(year, 4)
        write("-")
        write(month, 2)
        write("-")
        write(day, 2)
    }
}
