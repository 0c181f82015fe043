/// A growing buffer of CSV text in the format of PostgreSQL's `COPY`.
struct CSVBuffer: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// - Parameter capacity: initial capacity in bytes; above 0.
    init(capacity: Int) {
        memory = .allocate(byteCount: max(64, capacity), alignment: 1)
    }

    deinit {
        memory.deallocate()
    }

    /// The bytes that were written.
    var bytes: [UInt8] { Array(memory[..<count]) }

    mutating func put(_ byte: UInt8) {
        makeRoom(for: 1)
        memory[count] = byte
        count += 1
    }

    /// Appends bytes unchanged.
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        makeRoom(for: bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Appends a copy of bytes that were written before.
    /// - Parameter range: a range of the written bytes.
    mutating func repeatBytes(_ range: Range<Int>) {
        makeRoom(for: range.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range]))
        count += range.count
    }

    /// Appends a field, with quotation marks if necessary.
    mutating func putField(_ text: UnsafeRawBufferPointer) {
        let needsQuotes =
            text.isEmpty
            || text.contains {
                $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
                    || $0 == UInt8(ascii: "\r")
            }
        guard needsQuotes else { return put(text) }
        put(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { put(byte) }
            put(byte)
        }
        put(UInt8(ascii: "\""))
    }

    mutating func put(_ number: Int64) {
        if number < 0 { put(UInt8(ascii: "-")) }
        put(number.magnitude, digits: 1)
    }

    /// - Parameter digits: the minimum number of digits; leading zeros are added.
    mutating func put(_ number: UInt64, digits: Int) {
        var rest = number
        var length = 1
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        length = max(length, digits)
        makeRoom(for: length)
        rest = number
        for index in stride(from: count + length - 1, through: count, by: -1) {
            memory[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += length
    }

    /// Appends a UUID of 16 bytes in its usual text form.
    mutating func putUUID(_ bytes: UnsafeRawBufferPointer) {
        makeRoom(for: 36)
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { put(UInt8(ascii: "-")) }
            put(Self.digit(byte >> 4))
            put(Self.digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    private mutating func makeRoom(for more: Int) {
        guard more > memory.count - count else { return }
        let grown = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(memory.count * 2, count + more), alignment: 1)
        grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        memory.deallocate()
        memory = grown
    }
}

extension CSVBuffer {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// Appends `yyyy-mm-ddThh:mm:ss.sss` for microseconds since 2000-01-01T00:00. Microseconds are truncated to
    /// milliseconds. Nothing is appended for PostgreSQL's infinities.
    mutating func putMoment(_ microseconds: Int64) {
        guard microseconds != .max, microseconds != .min else { return }
        let days = microseconds.dividedFloor(by: Self.microsecondsPerDay)
        let rest = UInt64(microseconds - days * Self.microsecondsPerDay)
        putDate(days)
        put(UInt8(ascii: "T"))
        put(rest / 3_600_000_000, digits: 2)
        put(UInt8(ascii: ":"))
        put(rest / 60_000_000 % 60, digits: 2)
        put(UInt8(ascii: ":"))
        put(rest / 1_000_000 % 60, digits: 2)
        put(UInt8(ascii: "."))
        put(rest / 1000 % 1000, digits: 3)
    }

    /// Appends the Gregorian date for a number of days after 2000-01-01, computed in eras of 400 years that begin in
    /// March. A year before the year 1 is written as its number without a sign, as `to_char` does.
    private mutating func putDate(_ days: Int64) {
        // 0000-03-01 is 730,425 days before 2000-01-01. An era has 146,097 days.
        let sinceEpoch = days + 730_425
        let era = sinceEpoch.dividedFloor(by: 146_097)
        let dayOfEra = sinceEpoch - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        put((year > 0 ? year : 1 - year).magnitude, digits: 4)
        put(UInt8(ascii: "-"))
        put(month.magnitude, digits: 2)
        put(UInt8(ascii: "-"))
        put((dayOfYear - (153 * shifted + 2) / 5 + 1).magnitude, digits: 2)
    }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func dividedFloor(by divisor: Int64) -> Int64 {
        self % divisor < 0 ? self / divisor - 1 : self / divisor
    }
}
