/// A point in time in UTC, with millisecond precision. The years are 0001 to 9999.
package struct Instant: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    /// The first millisecond of the year 0001.
    package static let minimum = Instant(milliseconds: .min)
    /// The last millisecond of the year 9999.
    package static let maximum = Instant(milliseconds: .max)

    /// Creates an instant, clamped to the years 0001 to 9999.
    package init(milliseconds: Int64) {
        self.milliseconds = Swift.min(Swift.max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    }

    /// Parses RFC 3339 with `Z` or an offset, such as `2026-11-21T08:00:00.000Z`. It accepts up to nine fraction
    /// digits, and truncates them to milliseconds. Returns nil for a day that does not exist, a second of 60, a missing
    /// offset, lower-case letters, and an instant that its offset moves outside the years 0001 to 9999.
    package init?(_ text: some StringProtocol) {
        self.init(DigitReader(text.utf8))
    }

    /// An overload for `String`, which avoids unspecialized generic code.
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

    /// Reads `Z` or `±hh:mm`, and returns the seconds east of UTC. The offset is less than 19 hours.
    private static func offsetSeconds(_ reader: inout DigitReader) -> Int? {
        let sign: Int
        if reader.skip("Z") { return 0 }
        if reader.skip("+") { sign = 1 } else if reader.skip("-") { sign = -1 } else { return nil }
        guard let hours = reader.number(2), reader.skip(":"), let minutes = reader.number(2), hours <= 18,
            minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    /// Seconds since 1970-01-01T00:00:00Z, rounded down.
    package var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The instant this many seconds later, clamped to the years 0001 to 9999.
    package func adding(seconds: Int) -> Instant {
        adding(milliseconds: Int64(min(max(seconds, -400_000_000_000), 400_000_000_000)) * 1000)
    }

    /// The instant this many milliseconds later, clamped to the years 0001 to 9999.
    package func adding(milliseconds count: Int64) -> Instant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(count)
        return Instant(milliseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// The milliseconds from `other` to this instant; negative if `other` is later.
    package func milliseconds(since other: Instant) -> Int64 { milliseconds - other.milliseconds }

    /// The difference between the server's clock and a device's clock, in milliseconds. The server adds it to the times
    /// that the device reports. It is limited to ±100 years, so that the sum is a valid time in Swift and in
    /// PostgreSQL.
    /// - Parameter clientNow: the device's clock when it sent the request; nil if the request does not contain it.
    /// - Returns: this instant minus `clientNow`; 0 without `clientNow`.
    package func skew(of clientNow: Instant?) -> Int64 {
        let maximumSkew: Int64 = 100 * 365 * 86_400_000
        return clientNow.map { min(max(milliseconds(since: $0), -maximumSkew), maximumSkew) } ?? 0
    }

    /// RFC 3339 in UTC with three fraction digits. Saunter writes no other form.
    package var description: String {
        let second = seconds
        let day = (second >= 0 ? second : second - 86_399) / 86_400
        let secondOfDay = Int(second - day * 86_400)
        let millis = Int(milliseconds - second * 1000)
        return DigitWriter.text(of: 24) { writer in
            writer.write(LocalDate(days: Int(day)))
            writer.write("T")
            writer.write(secondOfDay / 3600, 2)
            writer.write(":")
            writer.write(secondOfDay / 60 % 60, 2)
            writer.write(":")
            writer.write(secondOfDay % 60, 2)
            writer.write(".")
            writer.write(millis, 3)
            writer.write("Z")
        }
    }

    /// Compares by time.
    package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
}
