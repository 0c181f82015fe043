/// The days of one schedule on an ideal calendar in which every day has 24 hours. The checks use it before any
/// participant enrols. The days are computed only once, although the checks assume many dates of enrolment.
struct NominalSchedule: Sendable {
    /// Number of occasions on each day.
    let windowsPerDay: Int
    private let pattern: DayPattern
    /// Days from day 0 of the study to day 0 of the schedule. For schedules with a calendar date: days since
    /// 1970-01-01.
    private let shift: Int
    /// First and last day index after the anchor.
    private let indices: ClosedRange<Int>
    /// The maximum number of days; nil if the schedule does not limit it.
    private let count: Int?
    /// Days of the schedule's phase. Nil if the phase does not restrict the days.
    private let span: ClosedRange<Int>?

    private enum DayPattern: Sendable {
        /// The days after the anchor, the same for every anchor date.
        case fixed([Int])
        /// The days after the anchor for each weekday of the anchor, Monday first. For patterns of several weeks.
        case byWeekday([[Int]])
        /// Calendar dates as days since 1970-01-01. Each anchor uses the dates after it.
        case dates([Int])
    }

    /// A schedule with faults may have no days.
    /// - Parameter position: index in `Study.schedules`.
    init(_ study: Study, position: Int) {
        let schedule = study.schedules[position]
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
        case .enrolment, .walk, .completion, .completionOfAny, .completionOfPractice, .firstCompletion,
            .event:
            break
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
    ) -> DayPattern {
        func days(from anchorDate: LocalDate) -> [Int] {
            let all = indices.filter {
                schedule.recurrence.falls(onDay: $0, offset: schedule.offsetDays, anchorDate: anchorDate)
            }
            return schedule.count.map { Array(all.prefix($0)) } ?? all
        }
        func dates(_ unlimited: Recurrence) -> DayPattern {
            .dates(
                (0...StudyCheck.maximumStartDates + studyDays).filter {
                    unlimited.falls(onDay: $0, offset: 0, anchorDate: Study.monday)
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

    /// The days of the schedule. Day 0 is the day of enrolment if the days count from it, 1970-01-01 for calendar
    /// dates, and otherwise the day of the anchor. Days outside the schedule's phase are left out.
    /// - Parameter start: assumed date of enrolment, one of `StudyCheck.starts(of:)`.
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

/// Ascending day numbers: a slice of a shared list.
struct NominalDays: Sendable {
    /// The day numbers, each minus `origin`.
    var numbers: ArraySlice<Int>
    var origin: Int

    var count: Int { numbers.count }
    var first: Int? { numbers.first.map { $0 + origin } }
    var last: Int? { numbers.last.map { $0 + origin } }

    func within(_ days: ClosedRange<Int>) -> NominalDays {
        let first = position(of: days.lowerBound)
        let end = max(first, position(of: days.upperBound + 1))
        return NominalDays(numbers: numbers[first..<end], origin: origin)
    }

    /// Number of days up to and including this day.
    func count(through day: Int) -> Int { position(of: day + 1) - numbers.startIndex }

    /// Index of the first day that is not before this day. Binary search.
    private func position(of day: Int) -> Int {
        var (low, high) = (numbers.startIndex, numbers.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[middle] + origin < day { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Schedule {
    /// Whether the days depend on the date of day 0.
    var followsCalendar: Bool {
        switch recurrence {
        case .once, .every, .cycle: false
        case .weekly, .monthly: true
        }
    }

    /// Whether the days depend on the lengths of months, so that they do not repeat after any number of weeks.
    var followsMonths: Bool {
        if case .monthly = recurrence { return true }
        return false
    }
}

extension Study {
    /// The days of a phase, counted from day 0 of this schedule. Nil if the two do not count from the same anchor.
    func span(of phase: Phase, for schedule: Schedule) -> ClosedRange<Int>? {
        guard dayZero(of: schedule) == dayZero(of: phase) else { return nil }
        let days = min(max(self.days, 0), StudyCheck.maximumDays)
        var first = 0
        if case .day(let day) = phase.start { first = min(max(day, 0), StudyCheck.maximumDays) }
        let last: Int
        switch phase.end {
        case .studyEnd, .event: last = days
        case .day(let day): last = phase.followsEvent ? days : min(day, StudyCheck.maximumDays)
        case .length(let length): last = first + min(max(length, 0), StudyCheck.maximumDays) - 1
        }
        return first...max(first, last)
    }

    func phase(_ code: String) -> Phase? {
        phases.first { $0.code == code }
    }

    /// Whether the days of this schedule count from the day of enrolment.
    func followsEnrolment(_ schedule: Schedule) -> Bool {
        dayZero(of: schedule) == .enrolment
    }

    /// The anchor from which the nominal days of this schedule count. A schedule that begins with a phase counts from
    /// the start of the phase. All calendar dates count from one common day 0.
    func dayZero(of schedule: Schedule) -> Anchor {
        if case .studyDate = schedule.anchor { return .studyDate(.minimum) }
        guard case .phase(let code) = schedule.anchor, let phase = phase(code) else { return schedule.anchor }
        return dayZero(of: phase)
    }

    private func dayZero(of phase: Phase) -> Anchor {
        switch phase.start {
        case .day: .enrolment
        case .event(let event): .event(event)
        case .firstCompletion(let questionnaire): .firstCompletion(questionnaire: questionnaire)
        }
    }

    /// The phase of this schedule, if an event starts or ends it.
    func eventPhase(of schedule: Schedule) -> Phase? {
        guard let phase = schedule.phase.flatMap({ phase($0) }) else { return nil }
        if phase.followsEvent { return phase }
        if case .event = phase.end { return phase }
        return nil
    }
}

extension Slot {
    /// Seconds since 00:00 of the day, or since the anchor.
    var nominalSpan: Range<Int> {
        let close = Self.bounded(closeAfter)
        switch opening {
        case .fixed(let time): return time.seconds..<time.seconds + close
        case .afterAnchor(let seconds):
            let open = Self.bounded(seconds)
            return open..<open + close
        case .random(let from, let to, _, _):
            return from.seconds..<from.seconds + Self.randomSpan(from: from, to: to) + close
        }
    }

    var opensAfterAnchor: Bool {
        if case .afterAnchor = opening { return true }
        return false
    }
}
