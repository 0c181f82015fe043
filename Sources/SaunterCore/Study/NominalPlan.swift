extension Schedule {
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
    /// The days of a phase, on the scale of the days of this schedule; nil where that cannot be told.
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

    /// Whether the days of this schedule can be told from the day of enrolment.
    func followsEnrolment(_ schedule: Schedule) -> Bool {
        dayZero(of: schedule) == .enrolment
    }

    /// What the nominal days of this schedule count from: of what begins with a phase what the phase begins with, and the calendar itself for
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
