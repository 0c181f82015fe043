extension StudyCheck {
    /// Checks the windows of the schedules at these positions, for each arm.
    mutating func checkWindows(of positions: [Int]) {
        guard (1...Self.maximumDays).contains(study.days) else { return }
        let arms: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        let schedulesByArm = arms.map { arm in
            (arm: arm, positions: positions.filter { study.schedules[$0].applies(to: arm) })
        }
        checkOccasionsPerDay(of: schedulesByArm)
        // Arms with the same schedules are compared once.
        var plans: Set<[Int]> = []
        var compared: Set<[Int]> = []
        checkOverlaps(
            in: schedulesByArm.filter { plans.insert($0.positions).inserted }
                .flatMap { groups(of: $0.positions) }
                .filter { compared.insert($0).inserted })
    }

    /// Windows are compared only if they have the same questionnaire and count from the same day 0 or instant.
    private struct Group: Hashable {
        var questionnaire: String
        var anchor: Anchor
    }

    private func groups(of positions: [Int]) -> [[Int]] {
        Dictionary(grouping: positions) { position in
            let schedule = study.schedules[position]
            return Group(questionnaire: schedule.questionnaire, anchor: study.dayZero(of: schedule))
        }.values.sorted { $0[0] < $1[0] }.flatMap { concurrentGroups($0) }
    }

    /// Phases that may be active at the same time, although events start or end them.
    private enum ConcurrentPhases: Hashable {
        /// All phases that start on a day, because the events that end them may never happen.
        case dayBased
        /// All phases that start with the same event or sheet.
        case startedBy(PhaseStart)
        /// All phases that start with any event and last until the end of the study.
        case openEnded
    }

    /// Groups of schedules that may be active at the same time, if events start or end phases. Two phases that start
    /// with different events, or one with an event and one with a day, are not compared, because their order is
    /// unknown.
    func concurrentGroups(_ positions: [Int]) -> [[Int]] {
        var groups: [ConcurrentPhases] = []
        var members: [ConcurrentPhases: Set<Int>] = [:]
        var bound: Set<Int> = []
        for position in positions {
            guard let phase = study.eventPhase(of: study.schedules[position]) else { continue }
            var keys = [phase.followsEvent ? ConcurrentPhases.startedBy(phase.start) : .dayBased]
            if phase.followsEvent, phase.end == .studyEnd { keys.append(.openEnded) }
            bound.insert(position)
            for group in keys {
                if members[group] == nil { groups.append(group) }
                members[group, default: []].insert(position)
            }
        }
        guard !groups.isEmpty else { return [positions] }
        return groups.map { group in
            let inGroup = members[group] ?? []
            return positions.filter { !bound.contains($0) || inGroup.contains($0) }
        }
    }

    /// How far the windows of a questionnaire were compared before the budget was used up.
    private struct Progress {
        /// Position of the first schedule.
        let position: Int
        /// Number of dates of enrolment that were compared completely, and number of all dates.
        let tried: Int
        let dates: Int
        /// The last compared day for the next date. Nil if no day was compared for it.
        let lastDay: Int?

        func isLess(than other: Progress) -> Bool {
            (tried, lastDay ?? .min) < (other.tried, other.lastDay ?? .min)
        }
    }

    private func description(of part: Progress) -> String {
        if part.tried > 0 { return "compared for \(part.tried) of \(part.dates) dates of enrolment" }
        guard let day = part.lastDay else { return "not compared" }
        let isDated = study.dayZero(of: study.schedules[part.position]) == .studyDate(.minimum)
        let until = isDated ? LocalDate(days: day).description : "day \(day)"
        return part.dates > 1
            ? "compared until \(until), for 1 of \(part.dates) dates of enrolment" : "compared until \(until)"
    }

    private mutating func checkOverlaps(in groups: [[Int]]) {
        var reported: Set<[Int]> = []
        var parts: [String: Progress] = [:]
        for (number, group) in cheapestFirst(groups).enumerated() {
            var share = budget.takeShare(among: groups.count - number)
            if let reached = checkOverlaps(in: group, &share, &reported) {
                let questionnaire = study.schedules[group[0]].questionnaire
                let known = parts[questionnaire]
                if known.map({ reached.isLess(than: $0) }) ?? true { parts[questionnaire] = reached }
            }
            budget.refund(share)
        }
        for (questionnaire, progress) in parts.sorted(by: { $0.value.position < $1.value.position }) {
            let progressText = description(of: progress)
            hints.add(
                "/schedules/\(progress.position)", "compared_in_part",
                "\(Self.tooLarge): windows of \(questionnaire) were \(progressText). Other overlaps are not reported."
            )
        }
    }

    /// Sorts groups by estimated cost. Cheap groups use less than their share of the budget, and the rest is available
    /// for expensive groups.
    func cheapestFirst(_ groups: [[Int]]) -> [[Int]] {
        let costs = groups.map { estimatedCost(of: $0) }
        return groups.indices.sorted { (costs[$0], $0) < (costs[$1], $1) }.map { groups[$0] }
    }

    /// Estimated cost of comparing these schedules for all dates of enrolment, if each date costs as much as the first.
    private func estimatedCost(of positions: [Int]) -> Int {
        let windows = positions.reduce(0) {
            $0 + nominal($1).days(enrolledOn: Study.monday).count * study.schedules[$1].slots.count
        }
        return starts(of: positions).count * (study.days + windows)
    }

    /// - Returns: how far the windows were compared. Nil if completely.
    private mutating func checkOverlaps(
        in positions: [Int], _ budget: inout WorkBudget, _ reported: inout Set<[Int]>
    ) -> Progress? {
        let starts = starts(of: positions)
        let slotCount = positions.reduce(0) { $0 + study.schedules[$1].slots.count }
        func reached(_ tried: Int, _ lastDay: Int?) -> Progress {
            Progress(position: positions[0], tried: tried, dates: starts.count, lastDay: lastDay)
        }
        // Sorting the slots costs more than visiting them.
        let isEnough = budget.remaining > slotCount * 16
        budget.spend(slotCount * 16)
        guard isEnough else { return reached(0, nil) }
        let (elapsed, byClock) = streams(of: positions)
        let schedules = positions.map { (position: $0, nominal: nominal($0)) }
        for (tried, start) in starts.enumerated() {
            budget.spend(slotCount)
            var days: [Int: NominalDays] = [:]
            for (position, nominal) in schedules { days[position] = nominal.days(enrolledOn: start) }
            for streams in [elapsed, byClock] {
                let outcome = WindowSweep(streams, days: days).overlaps(&budget)
                for (window, next) in outcome.overlaps {
                    report(next, after: window, from: starts.count > 1 ? start : nil, &reported)
                }
                if outcome.isIncomplete { return reached(tried, outcome.lastDay) }
            }
        }
        return nil
    }

    /// The slots of these schedules, sorted by time of day. Slots that open after an instant are compared with each
    /// other. With slots that open at a local time they are compared only from the instant at which they are certainly
    /// open.
    private func streams(of positions: [Int]) -> (elapsed: [WindowStream], byClock: [WindowStream]) {
        var elapsed: [WindowStream] = []
        var byClock: [WindowStream] = []
        for position in positions {
            for (index, slot) in study.schedules[position].slots.enumerated() {
                let span = slot.nominalSpan
                guard slot.opensAfterAnchor else {
                    byClock.append(WindowStream(schedule: position, slot: index, span: span))
                    continue
                }
                elapsed.append(WindowStream(schedule: position, slot: index, span: span))
                // Regardless of the anchor's time of day, the window is open by the next midnight.
                let certainlyOpen = span.lowerBound + 86_400
                if certainlyOpen < span.upperBound {
                    byClock.append(
                        WindowStream(schedule: position, slot: index, span: certainlyOpen..<span.upperBound))
                }
            }
        }
        return (elapsed.sorted(by: Self.inOrder), byClock.sorted(by: Self.inOrder))
    }

    private static func inOrder(_ left: WindowStream, _ right: WindowStream) -> Bool {
        (left.open, left.length, left.schedule, left.slot)
            < (right.open, right.length, right.schedule, right.slot)
    }

    /// The dates of day 0 to try:
    /// - one date, if the days do not depend on the date
    /// - seven dates, if they depend on the weekday
    /// - if they depend on months: four years minus the days of the study, but at least 28 weeks. Together with the
    ///   days of the study, these cover most combinations of date and weekday.
    func starts(of positions: [Int]) -> [LocalDate] {
        // A schedule with a calendar date has the same days for every participant.
        let schedules = positions.map { study.schedules[$0] }
            .filter { study.dayZero(of: $0) != .studyDate(.minimum) }
        var count = 1
        if schedules.contains(where: \.followsMonths) {
            count = max(Self.maximumStartDates - study.days, 196)
        } else if schedules.contains(where: \.followsCalendar) {
            count = 7
        }
        return (0..<count).map { Study.monday.adding(days: $0) }
    }

    /// Maximum number of dates of enrolment that are tried: the days of four years.
    static let maximumStartDates = 1461

    private mutating func report(
        _ window: NominalWindow, after other: NominalWindow, from start: LocalDate?,
        _ reported: inout Set<[Int]>
    ) {
        // Each pair of slots is reported once, regardless of which one opens first.
        let pair = [[other.schedule, other.slot], [window.schedule, window.slot]]
        let inOrder = pair.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
        guard reported.insert(inOrder).inserted else { return }
        let pointer = "/schedules/\(window.schedule)/slots/\(window.slot)"
        var when = "day \(window.day)"
        if let start { when += " (\(start.adding(days: window.day)), if \(start) is day 0)" }
        if case .studyDate = study.schedules[window.schedule].anchor {
            when = LocalDate(days: window.day).description
        }
        if window.schedule == other.schedule, window.slot == other.slot {
            faults.add(
                "\(pointer)/close_after", "longer_than_repeat",
                "On \(when) the window opens again before the previous one has closed.")
        } else {
            faults.add(
                pointer, "windows_overlap",
                """
                On \(when) the window overlaps slot \(other.slot) of schedule \
                \(study.schedules[other.schedule].id) for the same questionnaire.
                """
            )
        }
    }
}
