extension Recurrence {
    /// The last day index on which an occasion may fall.
    func lastDay(offset: Int) -> Int {
        switch self {
        case .once: offset
        case .every(_, let untilDay), .weekly(_, _, let untilDay), .monthly(_, let untilDay),
            .cycle(_, _, let untilDay):
            untilDay
        }
    }

    /// Whether an occasion falls on this day after the anchor's date. The offset is day 0 of the pattern:
    /// nothing falls before it, every n days and cycles count from it, and its ISO week is the first of every
    /// n weeks.
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

    /// More days than the calendar has; beyond it numbers are hostile.
    private static let farthestDay = 4_000_000
}

extension Schedule {
    /// The last day index on which an occasion may fall: that of the recurrence, or the day that makes the
    /// count full.
    func lastDay(anchorDate: LocalDate) -> Int {
        let last = recurrence.lastDay(offset: offsetDays)
        guard var left = count, last >= offsetDays else { return last }
        let (limit, isBeyond) = offsetDays.addingReportingOverflow(StudyCheck.maximumDays)
        guard left > 0, !isBeyond else { return .min }
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
    /// ISO weeks since the one that 0001-01-01, a Monday, began.
    fileprivate var week: Int { (days - LocalDate.minimum.days) / 7 }
}
