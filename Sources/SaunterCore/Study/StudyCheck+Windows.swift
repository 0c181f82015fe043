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

    private func groups(of places: [Int]) -> [[Int]] {
        Dictionary(grouping: places) { place in
            let schedule = study.schedules[place]
            var anchor = schedule.anchor
            if case .studyDate = anchor { anchor = .studyDate(.minimum) }
            return Group(
                questionnaire: schedule.questionnaire, anchor: anchor,
                afterAnchor: schedule.slots.contains(where: \.opensAfterAnchor))
        }.values.sorted { $0[0] < $1[0] }
    }

    /// What repeats by the calendar is tried with a day 0 on each weekday.
    private mutating func checkOverlaps(in places: [Int], _ reported: inout Set<[Int]>) {
        let weekdays = places.contains { study.schedules[$0].followsCalendar } ? 7 : 1
        for weekday in 0..<weekdays {
            let windows = places.flatMap {
                self.windows(of: $0, anchorDate: Study.monday.adding(days: weekday))
            }
            .sorted { ($0.start, $0.end, $0.schedule, $0.slot) < ($1.start, $1.end, $1.schedule, $1.slot) }
            var longest: NominalWindow?
            for window in windows {
                if let longest, window.start < longest.end { report(window, after: longest, &reported) }
                if window.end > longest?.end ?? .min { longest = window }
            }
        }
    }

    private func windows(of place: Int, anchorDate: LocalDate) -> [NominalWindow] {
        let schedule = study.schedules[place]
        guard case .studyDate(let date) = schedule.anchor else {
            return schedule.nominalWindows(at: place, anchorDate: anchorDate, through: study.days)
        }
        return schedule.nominalWindows(at: place, anchorDate: date, through: Self.maximumDays).map { window in
            var absolute = window
            absolute.start += date.days * 86_400
            absolute.end += date.days * 86_400
            return absolute
        }
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
        var fromEnrolment: [Int: Int] = [:]
        var onDate: [Int: Int] = [:]
        for place in places {
            let schedule = study.schedules[place]
            for window in windows(of: place, anchorDate: Study.monday) {
                switch schedule.anchor {
                case .enrolment: fromEnrolment[window.day, default: 0] += window.count
                case .studyDate(let date): onDate[date.days + window.day, default: 0] += window.count
                case .walk, .completion: break
                }
            }
        }
        let most = (fromEnrolment.values.max() ?? 0) + (onDate.values.max() ?? 0)
        guard most > Self.maximumPromptsPerDay else { return }
        let whom = arm.map { "Arm \($0) gets" } ?? "Participants get"
        faults.add(
            "/schedules", "too_many_prompts",
            "\(whom) up to \(most) prompts a day; \(Self.maximumPromptsPerDay) are the limit.")
    }
}
