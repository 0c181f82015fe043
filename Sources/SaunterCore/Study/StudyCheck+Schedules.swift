extension StudyCheck {
    /// Schedules with a fault of their own, and those not read in full, are left out where schedules are compared: it would
    /// mean nothing.
    mutating func checkSchedules() {
        guard study.schedules.count <= Self.maximumSchedules else {
            faults.add("/schedules", "too_many", "A study has at most \(Self.maximumSchedules) schedules.")
            return
        }
        var seen: Set<String> = []
        var sound: [Int] = []
        for (index, schedule) in study.schedules.enumerated() {
            let before = faults.count
            let pointer = "/schedules/\(index)"
            if !Self.isIdentifier(schedule.id) {
                faults.add("\(pointer)/id", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(schedule.id).inserted {
                faults.add("\(pointer)/id", "duplicate", "Another schedule has this id.")
            }
            checkReferences(of: schedule, pointer)
            checkDays(of: schedule, pointer)
            checkSlots(of: schedule, pointer)
            checkPrompts(of: schedule, pointer)
            guard faults.count == before, !unread.contains(index) else { continue }
            checkFalls(of: index, pointer)
            if faults.count == before { sound.append(index) }
        }
        checkFollowing(of: sound)
        checkWindows(of: sound)
    }

    private mutating func checkReferences(of schedule: Schedule, _ pointer: String) {
        if study.questionnaire(schedule.questionnaire) == nil {
            faults.add(
                "\(pointer)/questionnaire", "unknown_questionnaire",
                "The study has no questionnaire \(schedule.questionnaire).")
        }
        checkArms(schedule.arms, "\(pointer)/arms")
        checkAnchor(of: schedule, pointer)
        if let phase = schedule.phase, study.phase(phase) == nil {
            faults.add("\(pointer)/phase", "unknown_phase", "The study has no phase \(phase).")
        }
    }

    private mutating func checkDays(of schedule: Schedule, _ pointer: String) {
        let offset = schedule.offsetDays
        guard (0...Self.maximumDays).contains(offset) else {
            faults.add(
                "\(pointer)/offset_days", "out_of_range", "An offset is 0 to \(Self.maximumDays) days.")
            return
        }
        if schedule.anchor == .enrolment, offset > study.days {
            faults.add("\(pointer)/offset_days", "after_study_end", "The study ends on day \(study.days).")
        }
        checkRecurrence(schedule.recurrence, "\(pointer)/recurrence")
        guard schedule.recurrence != .once else { return }
        if let count = schedule.count {
            checkPositive(count, "\(pointer)/recurrence/count")
            if schedule.recurrence.lastDay(offset: offset) == Self.maximumDays { return }
        }
        let last = schedule.recurrence.lastDay(offset: offset)
        if last < offset || last > Self.maximumDays {
            faults.add(
                "\(pointer)/recurrence/until_day", "out_of_range",
                "The last day is at least the offset and at most \(Self.maximumDays).")
        } else if schedule.anchor == .enrolment, last > study.days {
            faults.add(
                "\(pointer)/recurrence/until_day", "after_study_end", "The study ends on day \(study.days).")
        }
    }

    private mutating func checkRecurrence(_ recurrence: Recurrence, _ pointer: String) {
        switch recurrence {
        case .once: break
        case .every(let days, _):
            checkPositive(days, "\(pointer)/days")
        case .weekly(let weekdays, let weeks, _):
            checkDistinct(weekdays, in: 1...7, "\(pointer)/weekdays")
            checkPositive(weeks, "\(pointer)/weeks")
        case .monthly(let days, _):
            checkDistinct(days, in: 1...31, "\(pointer)/days")
        case .cycle(let length, let dayOffsets, _):
            checkPositive(length, "\(pointer)/length")
            checkDistinct(
                dayOffsets, in: 0...min(max(length, 1), Self.maximumDays) - 1, "\(pointer)/day_offsets")
        }
    }

    mutating func checkPositive(_ value: Int, _ pointer: String) {
        if (1...Self.maximumDays).contains(value) { return }
        faults.add(pointer, "out_of_range", "It is a whole number from 1 to \(Self.maximumDays).")
    }

    private mutating func checkDistinct(_ values: [Int], in range: ClosedRange<Int>, _ pointer: String) {
        if values.isEmpty { faults.add(pointer, "required", "It names at least one day.") }
        var seen: Set<Int> = []
        for (index, value) in values.enumerated() {
            if !range.contains(value) {
                faults.add(
                    "\(pointer)/\(index)", "out_of_range", "It is \(range.lowerBound) to \(range.upperBound)."
                )
            } else if !seen.insert(value).inserted {
                faults.add("\(pointer)/\(index)", "duplicate", "The day stands here twice.")
            }
        }
    }

    private mutating func checkSlots(of schedule: Schedule, _ pointer: String) {
        if !(1...Self.maximumSlots).contains(schedule.slots.count) {
            faults.add("\(pointer)/slots", "out_of_range", "A schedule has 1 to \(Self.maximumSlots) slots.")
            return
        }
        for (index, slot) in schedule.slots.enumerated() {
            check(slot, of: schedule, "\(pointer)/slots/\(index)")
        }
    }

    private mutating func check(_ slot: Slot, of schedule: Schedule, _ pointer: String) {
        if !(60...Self.longestWindow).contains(slot.closeAfter) {
            faults.add("\(pointer)/close_after", "out_of_range", "A window lasts from a minute to 366 days.")
        }
        if slot.dueAfter < 0 || slot.dueAfter > slot.closeAfter {
            faults.add(
                "\(pointer)/due_after", "out_of_order", "A window opens, is due, and closes, in this order.")
        }
        if !(0...7 * 86_400).contains(slot.visibleBefore) {
            faults.add(
                "\(pointer)/visible_before", "out_of_range", "It is visible at most 7 days before it opens.")
        }
        switch slot.opening {
        case .fixed: break
        case .afterAnchor(let seconds):
            if !(0...30 * 86_400).contains(seconds) {
                faults.add("\(pointer)/open", "out_of_range", "It opens at most 30 days after its anchor.")
            }
            if case .studyDate = schedule.anchor {
                faults.add("\(pointer)/open", "no_instant", "A calendar date is no moment to count from.")
            }
        case .random(let from, let to, let count, let gap):
            checkRandom(
                slot, span: Slot.randomSpan(from: from, to: to), count: count, gap: gap, "\(pointer)/open")
        }
    }

    private mutating func checkRandom(_ slot: Slot, span: Int, count: Int, gap: Int, _ pointer: String) {
        guard (1...Self.maximumPromptsPerDay).contains(count) else {
            faults.add(
                "\(pointer)/count", "out_of_range",
                "A slot has 1 to \(Self.maximumPromptsPerDay) random moments.")
            return
        }
        guard (0...86_400).contains(gap), (count - 1) * gap <= span else {
            faults.add("\(pointer)/minimum_gap", "does_not_fit", "The gaps do not fit between the two times.")
            return
        }
        if count > 1, slot.closeAfter > gap {
            faults.add(
                "\(pointer)/minimum_gap", "windows_overlap",
                "Random windows could overlap: the gap must be at least as long as the window.")
        }
    }

    private static let longestWindow = 366 * 86_400
}
