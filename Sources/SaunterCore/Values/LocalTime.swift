/// A wall-clock time of day, to the second. 24:00 is not a time of day; it is 00:00 of the next.
package struct LocalTime: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Seconds since midnight by the clock face, 0 ..< 86,400.
    package let seconds: Int

    /// Nil outside the day.
    package init?(seconds: Int) {
        guard (0..<86_400).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    package init?(hour: Int, minute: Int, second: Int = 0) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
            return nil
        }
        seconds = hour * 3600 + minute * 60 + second
    }

    /// Reads `hh:mm` or `hh:mm:ss`; nil for anything else, a second of 60 included.
    package init?(_ text: some StringProtocol) {
        self.init(DigitReader(text.utf8))
    }

    /// As the other: whoever has a string needs no generic code.
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

    package static let midnight = LocalTime(unchecked: 0)

    private init(unchecked seconds: Int) {
        self.seconds = seconds
    }

    package var hour: Int { seconds / 3600 }
    package var minute: Int { seconds / 60 % 60 }
    package var second: Int { seconds % 60 }

    /// `hh:mm`, with seconds only where there are any.
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

    package static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }
}
