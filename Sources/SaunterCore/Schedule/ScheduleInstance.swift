/// A schedule together with one thing that it counts from.
struct ScheduleInstance {
    let schedule: Schedule
    /// The walk's or sheet's id, empty for anchors that happen once.
    let instance: String
    /// Day 0, by the participant's calendar whatever the schedule's zone.
    let anchorDate: LocalDate
    /// Nil for a date of the calendar, which is no moment.
    let anchorAt: Instant?
    /// The date and the wall clock at the anchor in the schedule's zone, for slots that open a number of days
    /// after its instant: read in another zone, that clock would be hours away from the anchor.
    let anchorWall: (date: LocalDate, time: LocalTime)
    let enrolment: EnrolmentID
    let seed: [UInt8]

    /// One window to come, with what it is.
    struct Entry {
        var key: OccasionKey
        var planned: PlannedSlot
    }

    /// The windows of a span of day indices in the order of their days, in a day by their opening. The same
    /// for every zone.
    func entries(days: ClosedRange<Int>) -> [Entry] {
        let first = max(days.lowerBound, schedule.offsetDays)
        let last = min(days.upperBound, schedule.lastDay(anchorDate: anchorDate))
        guard first <= last else { return [] }
        return (first...last).flatMap { index -> [Entry] in
            guard schedule.recurrence.falls(onDay: index, offset: schedule.offsetDays, anchorDate: anchorDate)
            else {
                return []
            }
            return slots(day: index).map { Entry(key: key(day: index, slot: $0.index), planned: $0) }
        }
    }

    private func slots(day: Int) -> [PlannedSlot] {
        var planned: [PlannedSlot] = []
        for slot in schedule.slots {
            let first = planned.count
            planned += slot.openings(firstIndex: first) {
                SeededDraw(seed: seed, label: key(day: day, slot: first).fields(of: enrolment))
            }
        }
        return planned.sorted { ($0.opening.seconds, $0.index) < ($1.opening.seconds, $1.index) }
    }

    private func key(day: Int, slot: Int) -> OccasionKey {
        OccasionKey(schedule: schedule.id, anchorInstance: instance, dayIndex: day, slotIndex: slot)
    }

    /// On the anchor's own day the opening counts from its instant, on later ones from the same time on the
    /// wall.
    func elapsedWindow(of entry: Entry, zone: Zone) -> ResolvedWindow {
        let delay = entry.planned.opening.seconds
        if entry.key.dayIndex == 0, let anchorAt {
            return entry.planned.slot.window(openAt: anchorAt.adding(seconds: delay), zone: zone)
        }
        let moment = LocalResolver.moment(
            date: anchorWall.date.adding(days: entry.key.dayIndex), secondsOfDay: anchorWall.time.seconds,
            zone: zone)
        var resolved = entry.planned.slot.window(openAt: moment.first.adding(seconds: delay), zone: zone)
        resolved.adjusted = moment.adjusted
        resolved.dayExists = moment.dayExists
        return resolved
    }
}
