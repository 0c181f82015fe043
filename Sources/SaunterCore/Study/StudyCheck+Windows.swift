extension StudyCheck {
    /// Compares the windows that one participant would have, arm by arm, for schedules of these places.
    mutating func checkWindows(of places: [Int]) {
        guard (1...Self.maximumDays).contains(study.days) else { return }
        let arms: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        var reported: Set<[Int]> = []
        for arm in arms {
            let mine = places.filter { study.schedules[$0].applies(to: arm) }
            for group in groups(of: mine) { checkOverlaps(in: group, &reported) }
            checkPrompts(of: mine, arm: arm)
        }
    }

    /// Only windows of one questionnaire that count from the same day 0 (or the same instant) can be
    /// compared.
    private struct Group: Hashable {
        var questionnaire: String
        var anchor: Anchor
        var afterAnchor: Bool
    }

    /// Phases that an event divides are never compared with each other: they do not meet.
    private func groups(of places: [Int]) -> [[Int]] {
        Dictionary(grouping: places) { place in
            let schedule = study.schedules[place]
            var anchor = schedule.anchor
            if case .studyDate = anchor { anchor = .studyDate(.minimum) }
            if study.followsEnrolment(schedule) { anchor = .enrolment }
            return Group(
                questionnaire: schedule.questionnaire, anchor: anchor,
                afterAnchor: schedule.slots.contains(where: \.opensAfterAnchor))
        }.values.sorted { $0[0] < $1[0] }.flatMap { byEventPhase($0) }
    }

    /// What can be asked of somebody at once, once for each phase that an event divides from others.
    private func byEventPhase(_ places: [Int]) -> [[Int]] {
        let phases = Set(places.map { study.eventPhase(of: study.schedules[$0]) })
        guard phases.contains(where: { $0 != nil }) else { return [places] }
        return phases.compactMap { $0 }.sorted().map { phase in
            places.filter { place in
                study.eventPhase(of: study.schedules[place]).map { $0 == phase } ?? true
            }
        }
    }

    private mutating func checkOverlaps(in places: [Int], _ reported: inout Set<[Int]>) {
        for start in starts(of: places) {
            let windows = places.flatMap { study.nominalWindows(of: $0, enrolledOn: start) }
                .sorted {
                    ($0.start, $0.end, $0.schedule, $0.slot) < ($1.start, $1.end, $1.schedule, $1.slot)
                }
            var longest: NominalWindow?
            for window in windows {
                if let longest, window.start < longest.end { report(window, after: longest, &reported) }
                if window.end > longest?.end ?? .min { longest = window }
            }
        }
    }

    /// The days 0 to try: one where the dates do not matter, each weekday where weeks do, and where months do as
    /// many as it takes for most dates, between them and the days of the study, to have fallen on most weekdays:
    /// four years less the study's days, at least 28 weeks, and less than that only for what would take seconds.
    private func starts(of places: [Int]) -> [LocalDate] {
        var count = 1
        if places.contains(where: { study.schedules[$0].followsMonths }) {
            count = min(max(1461 - study.days, 196), max(7, 4_000_000 / (study.days * places.count)))
        } else if places.contains(where: { study.schedules[$0].followsCalendar }) {
            count = 7
        }
        return (0..<count).map { Study.monday.adding(days: $0) }
    }

    private mutating func report(
        _ window: NominalWindow, after other: NominalWindow, _ reported: inout Set<[Int]>
    ) {
        let pair = [other.schedule, other.slot, window.schedule, window.slot]
        guard reported.insert(pair).inserted else { return }
        let pointer = "/schedules/\(window.schedule)/slots/\(window.slot)"
        if window.schedule == other.schedule, window.slot == other.slot {
            faults.add(
                "\(pointer)/close_after", "longer_than_repeat",
                "On day \(window.day) the window opens again before it has closed.")
        } else {
            faults.add(
                pointer, "windows_overlap",
                """
                On day \(window.day) it overlaps slot \(other.slot) of schedule \
                \(study.schedules[other.schedule].id), for the same questionnaire.
                """
            )
        }
    }

    private mutating func checkPrompts(of places: [Int], arm: String?) {
        let most =
            byEventPhase(places).map { places in
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
            var anchor = schedule.anchor
            if study.followsEnrolment(schedule) { anchor = .enrolment }
            if case .studyDate = anchor { anchor = .studyDate(.minimum) }
            for window in study.nominalWindows(of: place, enrolledOn: start) {
                days[anchor, default: [:]][window.day, default: 0] += window.count * (schedule.maxPerDay ?? 1)
            }
        }
        return days.values.reduce(0) { $0 + ($1.values.max() ?? 0) }
    }
}
