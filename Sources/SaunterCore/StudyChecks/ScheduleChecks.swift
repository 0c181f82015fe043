extension StudyCheck {
    /// Checks each schedule, then compares schedules with each other. Schedules with faults and unreadable schedules
    /// are not compared, because the result would be meaningless.
    mutating func checkSchedules() {
        guard study.schedules.count <= Self.maximumSchedules else {
            faults.add("/schedules", "too_many", "A study has at most \(Self.maximumSchedules) schedules.")
            return
        }
        var seen: Set<String> = []
        var validPositions: [Int] = []
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
            checkReminders(of: schedule, pointer)
            guard faults.count == before, !unreadable.contains(index) else { continue }
            checkHasDays(of: index, pointer)
            if faults.count == before { validPositions.append(index) }
        }
        checkFollowUps(of: validPositions)
        checkWindows(of: validPositions)
    }

    private mutating func checkReferences(of schedule: Schedule, _ pointer: String) {
        if study.questionnaire(schedule.questionnaire) == nil {
            faults.add(
                "\(pointer)/questionnaire", "unknown_questionnaire",
                "The study has no questionnaire \(schedule.questionnaire).", naming: schedule.questionnaire)
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
                "\(pointer)/offset_days", "out_of_range", "An offset must be 0 to \(Self.maximumDays) days.")
            return
        }
        if schedule.anchor == .enrolment, offset > study.days {
            faults.add("\(pointer)/offset_days", "after_study_end", "The study ends on day \(study.days).")
        }
        checkRecurrence(schedule.recurrence, "\(pointer)/recurrence")
        guard schedule.recurrence != .once else { return }
        if let count = schedule.count {
            checkPositive(count, "\(pointer)/recurrence/count")
            // Without `until_day` the last day is the maximum.
            if schedule.recurrence.lastDay(offset: offset) == Self.maximumDays { return }
        }
        let last = schedule.recurrence.lastDay(offset: offset)
        if last < offset || last > Self.maximumDays {
            faults.add(
                "\(pointer)/recurrence/until_day", "out_of_range",
                "The last day must be at least the offset and at most \(Self.maximumDays).")
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
        faults.add(pointer, "out_of_range", "The value must be a whole number from 1 to \(Self.maximumDays).")
    }

    private mutating func checkDistinct(_ values: [Int], in range: ClosedRange<Int>, _ pointer: String) {
        if values.isEmpty { faults.add(pointer, "required", "At least one day is required.") }
        var seen: Set<Int> = []
        for (index, value) in values.enumerated() {
            if !range.contains(value) {
                faults.add(
                    "\(pointer)/\(index)", "out_of_range",
                    "The day must be \(range.lowerBound) to \(range.upperBound)."
                )
            } else if !seen.insert(value).inserted {
                faults.add("\(pointer)/\(index)", "duplicate", "The list already has this day.")
            }
        }
    }

    private mutating func checkSlots(of schedule: Schedule, _ pointer: String) {
        if !(1...Self.maximumSlots).contains(schedule.slots.count) {
            faults.add(
                "\(pointer)/slots", "out_of_range", "A schedule must have 1 to \(Self.maximumSlots) slots.")
            return
        }
        for (index, slot) in schedule.slots.enumerated() {
            check(slot, of: schedule, "\(pointer)/slots/\(index)")
        }
    }

    private mutating func check(_ slot: Slot, of schedule: Schedule, _ pointer: String) {
        if !(60...Self.longestWindow).contains(slot.closeAfter) {
            faults.add("\(pointer)/close_after", "out_of_range", "A window must last 1 minute to 366 days.")
        }
        if slot.dueAfter < 0 || slot.dueAfter > slot.closeAfter {
            faults.add(
                "\(pointer)/due_after", "out_of_order", "The due time must be between opening and close.")
        }
        if !(0...7 * 86_400).contains(slot.visibleBefore) {
            faults.add(
                "\(pointer)/visible_before", "out_of_range",
                "A window can be visible at most 7 days before it opens.")
        }
        switch slot.opening {
        case .fixed: break
        case .afterAnchor(let seconds):
            if !(0...30 * 86_400).contains(seconds) {
                faults.add(
                    "\(pointer)/open", "out_of_range", "A window must open at most 30 days after its anchor.")
            }
            if case .studyDate = schedule.anchor {
                faults.add(
                    "\(pointer)/open", "no_instant",
                    "A calendar date has no time of day, so an opening cannot count from it.")
            }
        case .random(let from, let to, let count, let gap):
            checkRandom(
                slot, span: Slot.randomSpan(from: from, to: to), count: count, gap: gap, "\(pointer)/open")
        }
    }

    private mutating func checkRandom(_ slot: Slot, span: Int, count: Int, gap: Int, _ pointer: String) {
        guard (1...Self.maximumOccasionsPerDay).contains(count) else {
            faults.add(
                "\(pointer)/count", "out_of_range",
                "A slot must have 1 to \(Self.maximumOccasionsPerDay) random instants.")
            return
        }
        guard (0...86_400).contains(gap), (count - 1) * gap <= span else {
            faults.add("\(pointer)/minimum_gap", "does_not_fit", "The gaps do not fit between the two times.")
            return
        }
        if count > 1, slot.closeAfter > gap {
            faults.add(
                "\(pointer)/minimum_gap", "windows_overlap",
                "Random windows could overlap. The gap must be at least as long as the window.")
        }
    }

    private static let longestWindow = 366 * 86_400
}

/// Checks anchors, phases and events: that they exist, and that they can happen.
extension StudyCheck {
    mutating func checkAnchor(of schedule: Schedule, _ pointer: String) {
        switch schedule.anchor {
        case .enrolment, .studyDate: break
        case .walk:
            if study.walking == nil { faults.add("\(pointer)/anchor", "no_walks", "The study has no walks.") }
        case .completion, .completionOfAny, .completionOfPractice:
            checkFollowed(by: schedule, "\(pointer)/anchor")
        case .firstCompletion(let code): checkAnswered(code, by: schedule.arms, "\(pointer)/anchor")
        case .event(let code): checkEvent(code, "\(pointer)/anchor")
        case .phase(let code):
            if study.phase(code) == nil {
                faults.add("\(pointer)/anchor", "unknown_phase", "The study has no phase \(code).")
            }
        }
        guard let maximum = schedule.maxPerDay else { return }
        checkPositive(maximum, "\(pointer)/max_per_day")
        if !schedule.anchor.isRepeated {
            faults.add(
                "\(pointer)/max_per_day", "not_repeated",
                "Only schedules that follow walks or sheets can have a daily maximum.")
        }
    }

    /// Checks the questionnaires whose sheets start instances of the schedule.
    private mutating func checkFollowed(by schedule: Schedule, _ pointer: String) {
        let codes = study.questionnaires(followedBy: schedule.anchor)
        if codes.isEmpty {
            let isPractice = schedule.anchor == .completionOfPractice
            faults.add(
                pointer, isPractice ? "no_practices" : "required",
                isPractice
                    ? "No questionnaire of the study has `practice: true`."
                    : "The list needs at least one questionnaire.")
        }
        if case .completionOfAny(let listed) = schedule.anchor, listed.count > codes.count {
            faults.add(pointer, "duplicate", "The list has a questionnaire twice.")
        }
        for code in codes { checkAnswered(code, by: schedule.arms, pointer) }
        if codes.contains(schedule.questionnaire), schedule.offsetDays < 1 {
            faults.add(
                pointer, "endless",
                "The schedule would trigger itself without end. It needs an offset of at least 1 day.")
        }
    }

    /// Checks that the schedule has at least one day, and as many days as its count, for at least one date of day 0.
    mutating func checkHasDays(of position: Int, _ pointer: String) {
        guard (1...Self.maximumDays).contains(study.days) else { return }
        let schedule = study.schedules[position]
        let nominal = NominalSchedule(study, position: position)
        nominalSchedules[position] = nominal
        var maximum = 0
        for start in starts(of: [position]) {
            maximum = max(maximum, nominal.days(enrolledOn: start).count)
            if maximum >= schedule.count ?? 1 { return }
        }
        let whole = schedule.phase.map { "in phase \($0)" } ?? "in the study"
        if maximum == 0 {
            faults.add("\(pointer)/recurrence", "never_falls", "None of its days is \(whole).")
        } else {
            faults.add(
                "\(pointer)/recurrence/count", "does_not_fit",
                "The count is never reached: at most \(maximum) of its days are \(whole).")
        }
    }

    mutating func checkEventsAndPhases() {
        var seen: Set<String> = []
        let used = usedEvents
        for (index, event) in study.events.enumerated() {
            // An event's code is part of URLs, so it has no underscore.
            checkCode(
                event.code, "/events/\(index)/code", &seen, isValid: Self.isCode,
                rule: "An event's code has 1 to 40 characters of a-z, 0-9 and -, and begins with a letter.")
            if !used.contains(event.code) {
                faults.add(
                    "/events/\(index)", "never_used", "No schedule, phase or notice counts from this event.")
            }
        }
        seen = []
        for (index, phase) in study.phases.enumerated() {
            checkCode(
                phase.code, "/phases/\(index)/code", &seen, isValid: Self.isIdentifier,
                rule: Self.identifierRule)
            check(phase, "/phases/\(index)")
        }
    }

    private mutating func checkCode(
        _ code: String, _ pointer: String, _ seen: inout Set<String>, isValid: (String) -> Bool, rule: String
    ) {
        if !isValid(code) { faults.add(pointer, "invalid_name", rule) }
        if !seen.insert(code).inserted {
            faults.add(pointer, "duplicate", "The list already has this code.")
        }
    }

    private var usedEvents: Set<String> {
        var used: Set<String> = []
        for schedule in study.schedules { if case .event(let code) = schedule.anchor { used.insert(code) } }
        for notification in study.notificationRules {
            if case .event(let code) = notification.trigger { used.insert(code) }
        }
        for rule in study.rules {
            if case .after(let after) = rule.point, case .event(let code) = after.start { used.insert(code) }
        }
        for phase in study.phases {
            if case .event(let code) = phase.start { used.insert(code) }
            if case .event(let code) = phase.end { used.insert(code) }
        }
        return used
    }

    private mutating func check(_ phase: Phase, _ pointer: String) {
        var first: Int?
        switch phase.start {
        case .day(let day):
            first = day
            if !(0...Self.maximumDays).contains(day) || day > study.days {
                faults.add(
                    "\(pointer)/start", "out_of_range", "A phase must begin on day 0 to \(study.days).")
            }
        case .event(let code): checkEvent(code, "\(pointer)/start")
        case .firstCompletion(let code): checkAnswered(code, by: [], "\(pointer)/start")
        }
        switch phase.end {
        case .studyEnd: break
        case .day(let day):
            if day < first ?? 0 || day > study.days {
                faults.add(
                    "\(pointer)/end", "out_of_range",
                    "A phase must end on its first day or later, and not after day \(study.days).")
            }
        case .length(let length):
            checkPositive(length, "\(pointer)/end")
            let begin = first ?? 0
            if (1...Self.maximumDays).contains(length), (0...Self.maximumDays).contains(begin),
                begin <= study.days, begin + length - 1 > study.days
            {
                faults.add(
                    "\(pointer)/end", "after_study_end",
                    "The phase would end after the study, which ends on day \(study.days).")
            }
        case .event(let code):
            checkEvent(code, "\(pointer)/end")
            if phase.start == .event(code) {
                faults.add("\(pointer)/end", "empty", "The phase would end at its start.")
            }
        }
    }

    mutating func checkEvent(_ code: String, _ pointer: String) {
        if study.events.contains(where: { $0.code == code }) { return }
        faults.add(pointer, "unknown_event", "The study has no event \(code).")
    }

    /// Checks that the study has the questionnaire, and that all arms that wait for it are asked it.
    private mutating func checkAnswered(_ code: String, by arms: [String], _ pointer: String) {
        guard study.questionnaire(code) != nil else {
            faults.add(
                pointer, "unknown_questionnaire", "The study has no questionnaire \(code).", naming: code)
            return
        }
        if study.isAnsweredAnyTime(code) { return }
        let concerned = arms.isEmpty ? study.arms.map(\.code) : arms
        for arm in concerned
        where !study.schedules.contains(where: { $0.questionnaire == code && $0.applies(to: arm) }) {
            faults.add(
                pointer, "never_asked", "No schedule asks arm \(arm) the questionnaire \(code).", naming: code
            )
        }
    }
}
