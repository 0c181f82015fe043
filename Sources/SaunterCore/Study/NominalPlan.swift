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
        let last = min(recurrence.lastDay(offset: offsetDays), lastDay)
        let first = max(offsetDays, 0)
        guard first <= last else { return [] }
        return (first...last).flatMap { day -> [NominalWindow] in
            guard recurrence.falls(onDay: day, offset: offsetDays, anchorDate: anchorDate) else { return [] }
            return slots.enumerated().map { index, slot in
                let span = slot.nominalSpan
                return NominalWindow(
                    schedule: place, slot: index, day: day, start: day * 86_400 + span.lowerBound,
                    end: day * 86_400 + span.upperBound, count: slot.windowCount)
            }
        }
    }

    /// Whether the days depend on the date of day 0.
    var followsCalendar: Bool {
        switch recurrence {
        case .once, .every, .cycle: false
        case .weekly, .monthly: true
        }
    }
}

extension Slot {
    fileprivate var nominalSpan: Range<Int> {
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
