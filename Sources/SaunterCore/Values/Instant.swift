/// A moment in UTC, to the millisecond. Years 0001 to 9999.
package struct Instant: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    package static let minimum = Instant(milliseconds: .min)
    package static let maximum = Instant(milliseconds: .max)

    /// Clamped to the years 0001 to 9999.
    package init(milliseconds: Int64) {
        self.milliseconds = Swift.min(Swift.max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    }

    /// Reads RFC 3339 with a zone: `2026-11-21T08:00:00.000Z`, any number of fraction digits up to nine (cut to milliseconds),
    /// `Z` or an offset. Strict: days that do not exist, a second of 60, a missing offset and lower-case letters give nil, and so does
    /// a moment that its offset brings out of the calendar.
    package init?(_ text: some StringProtocol) {
        self.init(DigitReader(text.utf8))
    }

    /// As the other: whoever has a string needs no generic code.
    package init?(_ text: String) {
        self.init(DigitReader(text.utf8))
    }

    private init?(_ digits: DigitReader) {
        var reader = digits
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), let date = LocalDate(year: year, month: month, day: day),
            reader.skip("T"),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), let time = LocalTime(hour: hour, minute: minute, second: second)
        else { return nil }
        var millis = 0
        if reader.skip(".") {
            let fraction = reader.digits(atMost: 9)
            guard fraction.count > 0 else { return nil }
            var value = fraction.value
            for _ in fraction.count..<9 { value *= 10 }
            millis = value / 1_000_000
        }
        guard let offset = Self.offsetSeconds(&reader), reader.isAtEnd else { return nil }
        let utc = (Int64(date.days) * 86_400 + Int64(time.seconds) - Int64(offset)) * 1000 + Int64(millis)
        self.init(milliseconds: utc)
        guard milliseconds == utc else { return nil }
    }

    /// `Z` or `±hh:mm`, at most 18 hours, as seconds east of UTC.
    private static func offsetSeconds(_ reader: inout DigitReader) -> Int? {
        let sign: Int
        if reader.skip("Z") { return 0 }
        if reader.skip("+") { sign = 1 } else if reader.skip("-") { sign = -1 } else { return nil }
        guard let hours = reader.number(2), reader.skip(":"), let minutes = reader.number(2), hours <= 18,
            minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    package func adding(seconds: Int) -> Instant {
        adding(milliseconds: Int64(min(max(seconds, -400_000_000_000), 400_000_000_000)) * 1000)
    }

    package func adding(milliseconds count: Int64) -> Instant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(count)
        return Instant(milliseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// Milliseconds from an earlier moment to this one; negative when that is later.
    package func milliseconds(since other: Instant) -> Int64 { milliseconds - other.milliseconds }

    /// Our clock against a device's, in milliseconds: what the device says of its moments is corrected by it. At most a hundred years either way, so that
    /// the sum is a moment wherever it is made, also in the database.
    /// - Parameter clientNow: the device's clock when it sent; nil where it did not tell.
    package func skew(of clientNow: Instant?) -> Int64 {
        let most: Int64 = 100 * 365 * 86_400_000
        return clientNow.map { min(max(milliseconds(since: $0), -most), most) } ?? 0
    }

    /// RFC 3339 in UTC with three fraction digits: the only form that Saunter writes.
    package var description: String {
        let second = seconds
        let day = (second >= 0 ? second : second - 86_399) / 86_400
        let ofDay = Int(second - day * 86_400)
        let millis = Int(milliseconds - second * 1000)
        return DigitWriter.text(of: 24) { writer in
            writer.write(LocalDate(days: Int(day)))
            writer.write("T")
            writer.write(ofDay / 3600, 2)
            writer.write(":")
            writer.write(ofDay / 60 % 60, 2)
            writer.write(":")
            writer.write(ofDay % 60, 2)
            writer.write(".")
            writer.write(millis, 3)
            writer.write("Z")
        }
    }

    package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
}
