/// A schedule together with one occurrence of its anchor.
struct ScheduleInstance {
    let schedule: Schedule
    /// Id of the walk or sheet. Empty for anchors that happen once.
    let instance: String
    /// Day 0, in the participant's calendar. The zone policy of the schedule has no effect on it.
    let anchorDate: LocalDate
    /// Nil if the anchor is a date.
    let anchorAt: Instant?
    /// Local date and time of the anchor in the schedule's zone. Slots that open some days after the anchor's instant
    /// use it. In another zone the local time would differ from the anchor by hours.
    let anchorLocal: (date: LocalDate, time: LocalTime)
    let enrolment: EnrolmentID
    let seed: [UInt8]

    /// One window that is not resolved yet, with its key.
    struct Entry {
        var key: OccasionKey
        var planned: PlannedSlot
    }

    /// The windows of a range of day indices, sorted by day and opening. They are the same for every zone.
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

    /// The window of a slot that opens after the anchor. On the anchor's day the opening counts elapsed seconds from
    /// the anchor's instant. On later days it counts from the same local time.
    func elapsedWindow(of entry: Entry, zone: Zone) -> ResolvedWindow {
        let delay = entry.planned.opening.seconds
        if entry.key.dayIndex == 0, let anchorAt {
            return entry.planned.slot.window(openAt: anchorAt.adding(seconds: delay), zone: zone)
        }
        let moment = LocalResolver.moment(
            date: anchorLocal.date.adding(days: entry.key.dayIndex), secondsOfDay: anchorLocal.time.seconds,
            zone: zone)
        var resolved = entry.planned.slot.window(openAt: moment.first.adding(seconds: delay), zone: zone)
        resolved.isAdjusted = moment.isAdjusted
        resolved.dayExists = moment.dayExists
        return resolved
    }
}
