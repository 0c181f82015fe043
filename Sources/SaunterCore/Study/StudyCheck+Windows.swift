extension StudyCheck {
    /// What schedules of these places ask of one participant, of each arm.
    mutating func checkWindows(of places: [Int]) {
        guard (1...Self.maximumDays).contains(study.days) else { return }
        let arms: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        let asked = arms.map { arm in
            (arm: arm, places: places.filter { study.schedules[$0].applies(to: arm) })
        }
        checkPromptsPerDay(of: asked)
        // What several arms are asked alike is compared once.
        var plans: Set<[Int]> = []
        var compared: Set<[Int]> = []
        checkOverlaps(
            in: asked.filter { plans.insert($0.places).inserted }.flatMap { groups(of: $0.places) }
                .filter { compared.insert($0).inserted })
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
    func atOnce(_ places: [Int]) -> [[Int]] {
        var meetings: [Meeting] = []
        var members: [Meeting: Set<Int>] = [:]
        var bound: Set<Int> = []
        for place in places {
            guard let phase = study.eventPhase(of: study.schedules[place]) else { continue }
            var mine = [phase.followsEvent ? Meeting.begun(phase.start) : .days]
            if phase.followsEvent, phase.end == .studyEnd { mine.append(.toTheEnd) }
            bound.insert(place)
            for meeting in mine {
                if members[meeting] == nil { meetings.append(meeting) }
                members[meeting, default: []].insert(place)
            }
        }
        guard !meetings.isEmpty else { return [places] }
        return meetings.map { meeting in
            let mine = members[meeting] ?? []
            return places.filter { !bound.contains($0) || mine.contains($0) }
        }
    }

    /// How far the windows of a questionnaire were compared where that takes too long.
    private struct Part {
        /// Of the first schedule.
        let place: Int
        /// Dates of enrolment that were tried in full, and all there are.
        let tried: Int
        let dates: Int
        /// The last day that was looked at on the date after them; nil where that was none.
        let lastDay: Int?

        func isLess(than other: Part) -> Bool {
            (tried, lastDay ?? .min) < (other.tried, other.lastDay ?? .min)
        }
    }

    private func words(_ part: Part) -> String {
        if part.tried > 0 { return "compared for \(part.tried) of \(part.dates) dates of enrolment" }
        guard let day = part.lastDay else { return "not compared" }
        let isDated = study.dayZero(of: study.schedules[part.place]) == .studyDate(.minimum)
        let until = isDated ? LocalDate(days: day).description : "day \(day)"
        return part.dates > 1
            ? "compared until \(until), for 1 of \(part.dates) dates of enrolment" : "compared until \(until)"
    }

    private mutating func checkOverlaps(in groups: [[Int]]) {
        var reported: Set<[Int]> = []
        var parts: [String: Part] = [:]
        for (number, group) in cheapestFirst(groups).enumerated() {
            var part = budget.part(among: groups.count - number)
            if let reached = checkOverlaps(in: group, &part, &reported) {
                let questionnaire = study.schedules[group[0]].questionnaire
                let known = parts[questionnaire]
                if known.map({ reached.isLess(than: $0) }) ?? true { parts[questionnaire] = reached }
            }
            budget.settle(part)
        }
        for (questionnaire, part) in parts.sorted(by: { $0.value.place < $1.value.place }) {
            let howFar = words(part)
            remarks.add(
                "/schedules/\(part.place)", "compared_in_part",
                "\(Self.tooLarge): windows of \(questionnaire) were \(howFar). What else overlaps is not found."
            )
        }
    }

    /// Groups of schedules that share what may be spent: what the cheap ones leave of their shares is for those that cost more.
    func cheapestFirst(_ groups: [[Int]]) -> [[Int]] {
        let costs = groups.map { roughCost(of: $0) }
        return groups.indices.sorted { (costs[$0], $0) < (costs[$1], $1) }.map { groups[$0] }
    }

    /// About what it costs to look at these schedules on all dates: each date as if it were the first.
    private func roughCost(of places: [Int]) -> Int {
        let windows = places.reduce(0) {
            $0 + nominal($1).days(enrolledOn: Study.monday).count * study.schedules[$1].slots.count
        }
        return starts(of: places).count * (study.days + windows)
    }

    /// - Returns: how far it was looked, where that is not to the end.
    private mutating func checkOverlaps(
        in places: [Int], _ budget: inout CheckBudget, _ reported: inout Set<[Int]>
    ) -> Part? {
        let starts = starts(of: places)
        let slotCount = places.reduce(0) { $0 + study.schedules[$1].slots.count }
        func reached(_ tried: Int, _ lastDay: Int?) -> Part {
            Part(place: places[0], tried: tried, dates: starts.count, lastDay: lastDay)
        }
        // To put slots in order is dearer than to look at one.
        let isEnough = budget.left > slotCount * 16
        budget.spend(slotCount * 16)
        guard isEnough else { return reached(0, nil) }
        let (elapsed, onWall) = streams(of: places)
        let schedules = places.map { (place: $0, nominal: nominal($0)) }
        for (tried, start) in starts.enumerated() {
            budget.spend(slotCount)
            var days: [Int: NominalDays] = [:]
            for (place, nominal) in schedules { days[place] = nominal.days(enrolledOn: start) }
            for streams in [elapsed, onWall] {
                let outcome = WindowSweep(streams, days: days).overlaps(&budget)
                for (window, next) in outcome.overlaps {
                    report(next, after: window, from: starts.count > 1 ? start : nil, &reported)
                }
                if outcome.isPart { return reached(tried, outcome.lastDay) }
            }
        }
        return nil
    }

    /// The slots of these schedules by their time of day: what opens some time after an instant beside its like, and, beside what opens by the clock,
    /// from where it has surely opened.
    private func streams(of places: [Int]) -> (elapsed: [WindowStream], onWall: [WindowStream]) {
        var elapsed: [WindowStream] = []
        var onWall: [WindowStream] = []
        for place in places {
            for (index, slot) in study.schedules[place].slots.enumerated() {
                let span = slot.nominalSpan
                guard slot.opensAfterAnchor else {
                    onWall.append(WindowStream(schedule: place, slot: index, span: span))
                    continue
                }
                elapsed.append(WindowStream(schedule: place, slot: index, span: span))
                // At whatever time of day the anchor falls, by the next midnight the window has opened.
                let surely = span.lowerBound + 86_400
                if surely < span.upperBound {
                    onWall.append(WindowStream(schedule: place, slot: index, span: surely..<span.upperBound))
                }
            }
        }
        return (elapsed.sorted(by: Self.inOrder), onWall.sorted(by: Self.inOrder))
    }

    private static func inOrder(_ left: WindowStream, _ right: WindowStream) -> Bool {
        (left.open, left.length, left.schedule, left.slot)
            < (right.open, right.length, right.schedule, right.slot)
    }

    /// The days 0 to try: one where the dates do not matter, each weekday where weeks do, and where months do as
    /// many as it takes for most dates, between them and the days of the study, to have fallen on most weekdays:
    /// four years less the study's days, at least 28 weeks.
    func starts(of places: [Int]) -> [LocalDate] {
        // What is bound to a date falls on the same days for everybody.
        let schedules = places.map { study.schedules[$0] }
            .filter { study.dayZero(of: $0) != .studyDate(.minimum) }
        var count = 1
        if schedules.contains(where: \.followsMonths) {
            count = max(Self.longestCalendar - study.days, 196)
        } else if schedules.contains(where: \.followsCalendar) {
            count = 7
        }
        return (0..<count).map { Study.monday.adding(days: $0) }
    }

    /// Days of four years, the most dates that are tried.
    static let longestCalendar = 1461

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
}
