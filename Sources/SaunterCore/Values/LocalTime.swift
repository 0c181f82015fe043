/// A wall-clock time of day, with second precision. 24:00 is not a time of day, but 00:00 of the next day.
package struct LocalTime: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Seconds since midnight on the clock face, 0 ..< 86,400.
    package let seconds: Int

    /// Returns nil for a number outside 0 ..< 86,400.
    package init?(seconds: Int) {
        guard (0..<86_400).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Returns nil for an hour, minute or second outside its range.
    package init?(hour: Int, minute: Int, second: Int = 0) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
            return nil
        }
        seconds = hour * 3600 + minute * 60 + second
    }

    /// Parses `hh:mm` or `hh:mm:ss`. Returns nil for any other text and for a second of 60.
    package init?(_ text: some StringProtocol) {
        self.init(DigitReader(text.utf8))
    }

    /// An overload for `String`, which avoids unspecialized generic code.
    package init?(_ text: String) {
        self.init(DigitReader(text.utf8))
    }

    private init?(_ reader: DigitReader) {
        var digits = reader
        guard let hour = digits.number(2), digits.skip(":"), let minute = digits.number(2) else { return nil }
        var second = 0
        if !digits.isAtEnd {
            guard digits.skip(":"), let value = digits.number(2), digits.isAtEnd else { return nil }
            second = value
        }
        self.init(hour: hour, minute: minute, second: second)
    }

    /// 00:00.
    package static let midnight = LocalTime(unchecked: 0)

    private init(unchecked seconds: Int) {
        self.seconds = seconds
    }

    /// The hour, 0 to 23.
    package var hour: Int { seconds / 3600 }
    /// The minute, 0 to 59.
    package var minute: Int { seconds / 60 % 60 }
    /// The second, 0 to 59.
    package var second: Int { seconds % 60 }

    /// `hh:mm`, or `hh:mm:ss` if the seconds are not 0.
    package var description: String {
        DigitWriter.text(of: 8) { writer in
            writer.write(hour, 2)
            writer.write(":")
            writer.write(minute, 2)
            guard second != 0 else { return }
            writer.write(":")
            writer.write(second, 2)
        }
    }

    /// Compares by the seconds since midnight.
    package static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }
}
