/// A calendar date without a time zone, in the proleptic Gregorian calendar. The years are 0001 to 9999.
package struct LocalDate: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Days since 1970-01-01.
    package let days: Int

    /// 0001-01-01.
    package static let minimum = LocalDate(days: -719_162)
    /// 9999-12-31.
    package static let maximum = LocalDate(days: 2_932_896)

    /// Creates a date, clamped to the years 0001 to 9999. Arithmetic on hostile numbers therefore stays in the
    /// calendar.
    package init(days: Int) {
        self.days = Swift.min(Swift.max(days, -719_162), 2_932_896)
    }

    /// The date on a clock with this offset from UTC. The offset is clamped to ±24 hours.
    package init(of moment: Instant, offsetMinutes: Int) {
        let seconds = moment.adding(seconds: min(max(offsetMinutes, -1440), 1440) * 60).seconds
        self.init(days: Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400))
    }

    /// Returns nil if the day does not exist.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.days = Self.daysFromCivil(year: year, month: month, day: day)
    }

    /// Parses `yyyy-mm-dd`. Returns nil for any other text and for a day that does not exist.
    package init?(_ text: some StringProtocol) {
        self.init(DigitReader(text.utf8))
    }

    /// An overload for `String`, which avoids unspecialized generic code.
    package init?(_ text: String) {
        self.init(DigitReader(text.utf8))
    }

    private init?(_ reader: DigitReader) {
        var digits = reader
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"),
            let day = digits.number(2), digits.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The year, month and day. Formula: the era-based civil calendar, with 400-year cycles of 146,097 days that begin
    /// in March.
    package var components: (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The ISO weekday: 1 is Monday, 7 is Sunday.
    package var weekday: Int { ((days + 3) % 7 + 7) % 7 + 1 }

    /// The date this many days later, clamped to the years 0001 to 9999.
    package func adding(days count: Int) -> LocalDate {
        LocalDate(days: days + Swift.min(Swift.max(count, -4_000_000), 4_000_000))
    }

    /// The date as `YYYY-MM-DD`.
    package var description: String {
        DigitWriter.text(of: 10) { $0.write(self) }
    }

    /// Compares by date.
    package static func < (left: LocalDate, right: LocalDate) -> Bool { left.days < right.days }

    /// The number of days of a month, 28 to 31.
    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    private static func daysFromCivil(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
