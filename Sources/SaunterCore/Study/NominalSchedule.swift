/// When one schedule has windows on an ideal wall, where every day has 24 hours: what a definition can be judged by before anybody enrolled. Its days
/// are laid out once, however many dates of enrolment are tried.
struct NominalSchedule: Sendable {
    /// Occasions on each of its days.
    let windowsPerDay: Int
    private let pattern: Pattern
    /// From day 0 of the study (of a date of the calendar: from 1970-01-01) to what it counts from.
    private let shift: Int
    /// Its first and last day after that.
    private let indices: ClosedRange<Int>
    private let count: Int?
    /// The days of its phase; nil where these say nothing about it.
    private let span: ClosedRange<Int>?

    private enum Pattern: Sendable {
        /// The same days after the anchor, whatever its date.
        case fixed([Int])
        /// Days after the anchor by its weekday, Monday first: what comes every few weeks.
        case byWeekday([[Int]])
        /// Dates, as days since 1970-01-01, from which each anchor takes those after it.
        case dates([Int])
    }

    /// What did not pass its checks may have no days at all.
    /// - Parameter place: in `Study.schedules`.
    init(_ study: Study, place: Int) {
        let schedule = study.schedules[place]
        let days = min(max(study.days, 0), StudyCheck.maximumDays)
        var shift = 0
        var through = days
        var date: LocalDate?
        switch schedule.anchor {
        case .studyDate(let day):
            (shift, through, date) = (day.days, StudyCheck.maximumDays, day)
        case .phase(let code):
            if let phase = study.phase(code), case .day(let day) = phase.start {
                shift = min(max(day, 0), days)
            }
            through = days - shift
        case .enrolment, .walk, .completion, .firstCompletion, .event: break
        }
        windowsPerDay = schedule.slots.reduce(0) { $0 + $1.windowCount }
        span = schedule.phase.flatMap { study.phase($0) }.flatMap { study.span(of: $0, for: schedule) }
        count = schedule.count
        self.shift = shift
        let first = schedule.offsetDays
        let last = min(schedule.recurrence.lastDay(offset: first), through)
        guard (0...StudyCheck.maximumDays).contains(first), first <= last, schedule.count ?? 1 > 0 else {
            indices = 0...0
            pattern = .fixed([])
            return
        }
        indices = first...last
        pattern = Self.pattern(of: schedule, in: first...last, on: date, studyDays: days)
    }

    private static func pattern(
        of schedule: Schedule, in indices: ClosedRange<Int>, on date: LocalDate?, studyDays: Int
    ) -> Pattern {
        func days(from anchorDate: LocalDate) -> [Int] {
            let all = indices.filter {
                schedule.recurrence.falls(onDay: $0, offset: schedule.offsetDays, anchorDate: anchorDate)
            }
            return schedule.count.map { Array(all.prefix($0)) } ?? all
        }
        func dates(_ endless: Recurrence) -> Pattern {
            .dates(
                (0...StudyCheck.longestCalendar + studyDays).filter {
                    endless.falls(onDay: $0, offset: 0, anchorDate: Study.monday)
                }.map { Study.monday.days + $0 })
        }
        if let date { return .fixed(days(from: date)) }
        switch schedule.recurrence {
        case .once, .every, .cycle: return .fixed(days(from: Study.monday))
        case .weekly(let weekdays, 1, _): return dates(.weekly(weekdays: weekdays, weeks: 1, untilDay: .max))
        case .weekly: return .byWeekday((0..<7).map { days(from: Study.monday.adding(days: $0)) })
        case .monthly(let days, _): return dates(.monthly(days: days, untilDay: .max))
        }
    }

    /// Its days, day 0 being the day of enrolment where they can be told from it, 1970-01-01 for what is bound to a date, else the day of what it
    /// counts from. What its phase leaves out is not among them.
    /// - Parameter start: a made-up date of enrolment, one of `StudyCheck.starts(of:)`.
    func days(enrolledOn start: LocalDate) -> NominalDays {
        var days: NominalDays
        switch pattern {
        case .fixed(let list): days = NominalDays(numbers: list[...], origin: shift)
        case .byWeekday(let lists):
            let weekday = start.adding(days: shift).weekday
            days = NominalDays(numbers: lists[weekday - 1][...], origin: shift)
        case .dates(let list):
            days = NominalDays(numbers: list[...], origin: -start.days)
                .within(indices.lowerBound + shift...indices.upperBound + shift)
            if let count { days.numbers = days.numbers.prefix(count) }
        }
        return span.map { days.within($0) } ?? days
    }
}

/// Numbers of days in ascending order, some of a list that others share.
struct NominalDays: Sendable {
    /// Each a day less the origin.
    var numbers: ArraySlice<Int>
    var origin: Int

    var count: Int { numbers.count }
    var first: Int? { numbers.first.map { $0 + origin } }
    var last: Int? { numbers.last.map { $0 + origin } }

    func within(_ days: ClosedRange<Int>) -> NominalDays {
        let first = place(of: days.lowerBound)
        let end = max(first, place(of: days.upperBound + 1))
        return NominalDays(numbers: numbers[first..<end], origin: origin)
    }

    /// How many of them are no later than this day.
    func count(through day: Int) -> Int { place(of: day + 1) - numbers.startIndex }

    /// Of the first day that is not before this one.
    private func place(of day: Int) -> Int {
        var (low, high) = (numbers.startIndex, numbers.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[middle] + origin < day { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
