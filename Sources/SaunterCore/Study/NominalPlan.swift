/// A window on an ideal wall, where every day has 24 hours: what a definition can be judged by before anybody
/// enrolled.
struct NominalWindow: Sendable {
    /// Places in `Study.schedules` and in the schedule's slots.
    var schedule: Int
    var slot: Int
    var day: Int
    /// Seconds since 00:00 of day 0. For a random slot the window is the whole span in which one of its
    /// windows may lie.
    var start: Int
    var end: Int
    /// Occasions that it stands for.
    var count: Int
}

extension Schedule {
    /// The windows of this schedule up to a day, were day 0 this date. The definition must have passed its
    /// checks.
    func nominalWindows(at place: Int, anchorDate: LocalDate, through lastDay: Int) -> [NominalWindow] {
        let last = min(self.lastDay(anchorDate: anchorDate), lastDay)
        let first = max(offsetDays, 0)
        guard first <= last else { return [] }
        var windows: [NominalWindow] = []
        for day in first...last
        where recurrence.falls(onDay: day, offset: offsetDays, anchorDate: anchorDate) {
            for (index, slot) in slots.enumerated() {
                let span = slot.nominalSpan
                windows.append(
                    NominalWindow(
                        schedule: place, slot: index, day: day, start: day * 86_400 + span.lowerBound,
                        end: day * 86_400 + span.upperBound, count: slot.windowCount))
            }
        }
        return windows
    }

    /// Whether the days depend on the date of day 0.
    var followsCalendar: Bool {
        switch recurrence {
        case .once, .every, .cycle: false
        case .weekly, .monthly: true
        }
    }

    /// Whether the days depend on where the months end, which no number of weeks repeats.
    var followsMonths: Bool {
        if case .monthly = recurrence { return true }
        return false
    }
}

extension Study {
    /// The windows of a schedule at this place, day 0 being the day of enrolment where the days can be told
    /// from it, the date itself (as days since 1970) for one that is bound to a date, else the day of what it
    /// counts from. What its phase leaves out is not among them.
    /// - Parameter enrolledOn: a made-up date of enrolment.
    func nominalWindows(of place: Int, enrolledOn: LocalDate) -> [NominalWindow] {
        let schedule = schedules[place]
        let days = min(max(self.days, 0), StudyCheck.maximumDays)
        var shift = 0
        var windows: [NominalWindow]
        switch schedule.anchor {
        case .studyDate(let date):
            shift = date.days
            windows = schedule.nominalWindows(at: place, anchorDate: date, through: StudyCheck.maximumDays)
        case .phase(let code):
            if let phase = phase(code), case .day(let day) = phase.start { shift = min(max(day, 0), days) }
            windows = schedule.nominalWindows(
                at: place, anchorDate: enrolledOn.adding(days: shift), through: days - shift)
        default: windows = schedule.nominalWindows(at: place, anchorDate: enrolledOn, through: days)
        }
        for index in windows.indices {
            windows[index].day += shift
            windows[index].start += shift * 86_400
            windows[index].end += shift * 86_400
        }
        guard let phase = schedule.phase.flatMap({ phase($0) }), let span = span(of: phase, for: schedule)
        else { return windows }
        return windows.filter { span.contains($0.day) }
    }

    /// The days of a phase, on the scale of the windows of this schedule; nil where that cannot be told.
    private func span(of phase: Phase, for schedule: Schedule) -> ClosedRange<Int>? {
        guard dayZero(of: schedule) == dayZero(of: phase) else { return nil }
        var first = 0
        if case .day(let day) = phase.start { first = min(max(day, 0), StudyCheck.maximumDays) }
        let last: Int
        switch phase.end {
        case .studyEnd, .event: last = days
        case .day(let day): last = phase.followsEvent ? days : day
        case .length(let length): last = first + min(max(length, 0), StudyCheck.maximumDays) - 1
        }
        return first...max(first, last)
    }

    func phase(_ code: String) -> Phase? {
        phases.first { $0.code == code }
    }

    /// Whether the days of this schedule can be told from the day of enrolment.
    func followsEnrolment(_ schedule: Schedule) -> Bool {
        dayZero(of: schedule) == .enrolment
    }

    /// What the nominal windows of this schedule count from: of what begins with a phase what the phase begins with, and the calendar itself for
    /// all dates.
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

    /// The phase of this schedule, where an event decides how it lies to others.
    func eventPhase(of schedule: Schedule) -> Phase? {
        guard let phase = schedule.phase.flatMap({ phase($0) }) else { return nil }
        if phase.followsEvent { return phase }
        if case .event = phase.end { return phase }
        return nil
    }
}

extension Slot {
    /// Seconds since 00:00 of its day, or since its anchor.
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
