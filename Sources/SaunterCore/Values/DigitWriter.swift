/// Writes decimal fields of a fixed width, as dates and times have them.
struct DigitWriter {
    private var bytes: [UInt8] = []

    /// A text that is written by the block.
    /// - Parameter size: about how many bytes it has.
    static func text(of size: Int, _ write: (inout DigitWriter) -> Void) -> String {
        var writer = DigitWriter()
        writer.bytes.reserveCapacity(size)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A number that is not negative, with zeros before it up to this width; wider ones are written whole.
    mutating func write(_ number: Int, _ width: Int) {
        let digits = String(number).utf8
        for _ in digits.count..<max(width, digits.count) { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: digits)
    }

    mutating func write(_ scalar: Unicode.Scalar) {
        bytes.append(UInt8(ascii: scalar))
    }

    /// `yyyy-mm-dd`.
    mutating func write(_ date: LocalDate) {
        let (year, month, day) = date.components
        write(year, 4)
        write("-")
        write(month, 2)
        write("-")
        write(day, 2)
    }
}
