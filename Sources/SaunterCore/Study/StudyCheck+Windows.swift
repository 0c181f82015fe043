extension StudyCheck {
    /// Compares the windows that one participant would have, arm by arm, for schedules of these places.
    mutating func checkWindows(of places: [Int]) {
        guard (1...Self.maximumDays).contains(study.days) else { return }
        let arms: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        var reported: Set<[Int]> = []
        var compared: Set<[Int]> = []
        for arm in arms {
            let mine = places.filter { study.schedules[$0].applies(to: arm) }
            // What several arms are asked alike is looked at once.
            for group in groups(of: mine) where compared.insert(group).inserted {
                checkOverlaps(in: group, &reported)
            }
            checkPrompts(of: mine, arm: arm)
        }
    }

    /// Only windows of one questionnaire that count from the same day 0 (or the same instant) can be
    /// compared.
    private struct Group: Hashable {
        var questionnaire: String
        var anchor: Anchor
    }

    private func groups(of places: [Int]) -> [[Int]] {
        Dictionary(grouping: places) { place in
            let schedule = study.schedules[place]
            return Group(questionnaire: schedule.questionnaire, anchor: study.dayZero(of: schedule))
        }.values.sorted { $0[0] < $1[0] }.flatMap { atOnce($0) }
    }

    /// What phases that events divide go on at once.
    private enum Meeting: Hashable {
        /// All that begin with a day, for their events may never happen; as far as their days meet.
        case days
        /// All that begin with the same event.
        case begun(PhaseStart)
        /// All that begin with whatever event and last to the end of the study.
        case toTheEnd
    }

    /// What can be asked of somebody at once, where events divide phases. Of two phases that begin with different events, or one with an
    /// event and the other with a day, nobody can tell how they lie to each other: they are not compared.
    private func atOnce(_ places: [Int]) -> [[Int]] {
        var meetings: [Meeting] = []
        var phases: [Int: [Meeting]] = [:]
        for place in places {
            guard let phase = study.eventPhase(of: study.schedules[place]) else { continue }
            var mine = [phase.followsEvent ? Meeting.begun(phase.start) : .days]
            if phase.followsEvent, phase.end == .studyEnd { mine.append(.toTheEnd) }
            phases[place] = mine
            for meeting in mine where !meetings.contains(meeting) { meetings.append(meeting) }
        }
        guard !meetings.isEmpty else { return [places] }
        return meetings.map { meeting in
            places.filter { phases[$0]?.contains(meeting) ?? true }
        }
    }

    private mutating func checkOverlaps(in places: [Int], _ reported: inout Set<[Int]>) {
        let starts = starts(of: places)
        for start in starts {
            let told = starts.count > 1 ? start : nil
            let windows = places.flatMap { study.nominalWindows(of: $0, enrolledOn: start) }
            let elapsed = windows.filter { isElapsed($0) }
            sweep(elapsed, from: told, &reported)
            // At whatever time of day the anchor falls, by the next midnight the window has opened.
            let surely = elapsed.map { window in
                var window = window
                window.start += 86_400
                return window
            }
            sweep(
                windows.filter { !isElapsed($0) } + surely.filter { $0.start < $0.end }, from: told, &reported
            )
        }
    }

    /// Whether its times count from an instant, not from a midnight.
    private func isElapsed(_ window: NominalWindow) -> Bool {
        study.schedules[window.schedule].slots[window.slot].opensAfterAnchor
    }

    /// - Parameter start: the day 0 that is tried; nil where the dates do not matter.
    private mutating func sweep(
        _ windows: [NominalWindow], from start: LocalDate?, _ reported: inout Set<[Int]>
    ) {
        let inOrder = windows.sorted {
            ($0.start, $0.end, $0.schedule, $0.slot) < ($1.start, $1.end, $1.schedule, $1.slot)
        }
        var longest: NominalWindow?
        for window in inOrder {
            if let longest, window.start < longest.end {
                report(window, after: longest, from: start, &reported)
            }
            if window.end > longest?.end ?? .min { longest = window }
        }
    }

    /// The days 0 to try: one where the dates do not matter, each weekday where weeks do, and where months do as
    /// many as it takes for most dates, between them and the days of the study, to have fallen on most weekdays:
    /// four years less the study's days, at least 28 weeks, and less than that only for what would take seconds.
    func starts(of places: [Int]) -> [LocalDate] {
        // What is bound to a date falls on the same days for everybody.
        let schedules = places.map { study.schedules[$0] }
            .filter { study.dayZero(of: $0) != .studyDate(.minimum) }
        var count = 1
        if schedules.contains(where: \.followsMonths) {
            count = min(max(1461 - study.days, 196), max(7, 4_000_000 / (study.days * places.count)))
        } else if schedules.contains(where: \.followsCalendar) {
            count = 7
        }
        return (0..<count).map { Study.monday.adding(days: $0) }
    }

    private mutating func report(
        _ window: NominalWindow, after other: NominalWindow, from start: LocalDate?,
        _ reported: inout Set<[Int]>
    ) {
        // Two slots are told once, whichever opens first on other days.
        let pair = [[other.schedule, other.slot], [window.schedule, window.slot]]
        let inOrder = pair.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
        guard reported.insert(inOrder).inserted else { return }
        let pointer = "/schedules/\(window.schedule)/slots/\(window.slot)"
        var when = "day \(window.day)"
        if let start { when += " (\(start.adding(days: window.day)), were \(start) day 0)" }
        if case .studyDate = study.schedules[window.schedule].anchor {
            when = LocalDate(days: window.day).description
        }
        if window.schedule == other.schedule, window.slot == other.slot {
            faults.add(
                "\(pointer)/close_after", "longer_than_repeat",
                "On \(when) the window opens again before it has closed.")
        } else {
            faults.add(
                pointer, "windows_overlap",
                """
                On \(when) it overlaps slot \(other.slot) of schedule \
                \(study.schedules[other.schedule].id), for the same questionnaire.
                """
            )
        }
    }

    private mutating func checkPrompts(of places: [Int], arm: String?) {
        let most =
            atOnce(places).map { places in
                starts(of: places).map { mostPrompts(of: places, enrolledOn: $0) }.max() ?? 0
            }.max() ?? 0
        guard most > Self.maximumPromptsPerDay else { return }
        let whom = arm.map { "Arm \($0) gets" } ?? "Participants get"
        faults.add(
            "/schedules", "too_many_prompts",
            "\(whom) up to \(most) prompts a day; \(Self.maximumPromptsPerDay) are the limit.")
    }

    /// Prompts of the fullest day, were the fullest days of everything that schedules count from to fall
    /// together. What follows walks and sheets is in it where it is limited.
    private func mostPrompts(of places: [Int], enrolledOn start: LocalDate) -> Int {
        var days: [Anchor: [Int: Int]] = [:]
        for place in places {
            let schedule = study.schedules[place]
            if schedule.anchor.isRepeated, schedule.maxPerDay == nil { continue }
            let anchor = study.dayZero(of: schedule)
            for window in study.nominalWindows(of: place, enrolledOn: start) {
                days[anchor, default: [:]][window.day, default: 0] += window.count * (schedule.maxPerDay ?? 1)
            }
        }
        return days.values.reduce(0) { $0 + ($1.values.max() ?? 0) }
    }
}
