/// The days after the anchor on which occasions are planned.
package enum Recurrence: Sendable, Hashable {
    case once
    /// Every n-th day from the offset to the day index `untilDay`, inclusive.
    case every(days: Int, untilDay: Int)
    /// ISO weekdays (1 = Monday) of every n-th week.
    case weekly(weekdays: [Int], weeks: Int, untilDay: Int)
    /// Days of the month. A day that the month does not have becomes the last day of the month.
    case monthly(days: [Int], untilDay: Int)
    /// Bursts: the day offsets repeat every `length` days.
    case cycle(length: Int, dayOffsets: [Int], untilDay: Int)
}

extension Recurrence {
    /// The last possible day index of an occasion.
    func lastDay(offset: Int) -> Int {
        switch self {
        case .once: offset
        case .every(_, let untilDay), .weekly(_, _, let untilDay), .monthly(_, let untilDay),
            .cycle(_, _, let untilDay):
            untilDay
        }
    }

    /// Whether an occasion is planned on this day after the anchor date.
    ///
    /// The offset is day 0 of the pattern: no occasion is before it, and `every` and `cycle` count from it. The ISO
    /// week of the offset is the first week of `weekly`.
    func falls(onDay index: Int, offset: Int, anchorDate: LocalDate) -> Bool {
        guard (-Self.farthestDay...Self.farthestDay).contains(offset),
            (offset...Self.farthestDay).contains(index),
            index <= lastDay(offset: offset)
        else { return false }
        switch self {
        case .once: return true
        case .every(let days, _): return days > 0 && (index - offset) % days == 0
        case .weekly(let weekdays, let weeks, _):
            let date = anchorDate.adding(days: index)
            guard weeks > 0, weekdays.contains(date.weekday) else { return false }
            return (date.week - anchorDate.adding(days: offset).week) % weeks == 0
        case .monthly(let days, _):
            let (year, month, day) = anchorDate.adding(days: index).components
            let length = LocalDate.length(ofMonth: month, year: year)
            return days.contains { $0 >= 1 && min($0, length) == day }
        case .cycle(let length, let dayOffsets, _):
            return length > 0 && dayOffsets.contains((index - offset) % length)
        }
    }

    /// More days than the calendar has. This bound protects against overflow by hostile definitions.
    private static let farthestDay = 4_000_000
}

extension Schedule {
    /// The last possible day index of an occasion: the last day of the recurrence, or the day on which `count` is
    /// reached.
    func lastDay(anchorDate: LocalDate) -> Int {
        let last = recurrence.lastDay(offset: offsetDays)
        guard var left = count, last >= offsetDays else { return last }
        let (limit, overflows) = offsetDays.addingReportingOverflow(StudyCheck.maximumDays)
        guard left > 0, !overflows else { return .min }
        let farthest = min(last, limit)
        for day in stride(from: offsetDays, through: farthest, by: 1)
        where recurrence.falls(onDay: day, offset: offsetDays, anchorDate: anchorDate) {
            left -= 1
            if left == 0 { return day }
        }
        return farthest
    }
}

extension LocalDate {
    /// Number of ISO weeks since the week that begins on Monday, 0001-01-01.
    fileprivate var week: Int { (days - LocalDate.minimum.days) / 7 }
}
