extension StudyCheck {
    /// No arm gets more prompts on any day than the limit.
    /// - Parameter asked: of each arm the places of its schedules.
    mutating func checkPromptsPerDay(of asked: [(arm: String?, places: [Int])]) {
        let sets = asked.map { atOnce($0.places) }
        var most: [[Int]: Int] = [:]
        let distinct = sets.joined().filter { most.updateValue(0, forKey: $0) == nil }
        // The other half is for windows that overlap.
        var half = budget.part(among: 2)
        var least: (tried: Int, dates: Int)?
        for (number, places) in cheapestFirst(distinct).enumerated() {
            var part = half.part(among: distinct.count - number)
            let (prompts, tried, dates) = mostPrompts(of: places, &part)
            half.settle(part)
            most[places] = prompts
            if tried < dates, tried < least?.tried ?? Int.max { least = (tried, dates) }
        }
        budget.settle(half)
        for (index, arm) in asked.map(\.arm).enumerated() {
            let prompts = sets[index].compactMap { most[$0] }.max() ?? 0
            guard prompts > Self.maximumPromptsPerDay else { continue }
            let whom = arm.map { "Arm \($0) gets" } ?? "Participants get"
            faults.add(
                "/schedules", "too_many_prompts",
                "\(whom) up to \(prompts) prompts a day; \(Self.maximumPromptsPerDay) are the limit.")
        }
        guard let least else { return }
        remarks.add(
            "/schedules", "counted_in_part",
            """
            \(Self.tooLarge): the prompts of each day were counted for \(least.tried) of \(least.dates) dates of enrolment. \
            Fuller days on the others are not found.
            """
        )
    }

    /// Prompts of the fullest day, were the fullest days of everything that schedules count from to fall
    /// together. What follows walks and sheets is in it where it is limited.
    /// - Returns: also for how many of the dates of enrolment it was counted. No more than the limit is told as any number up to it.
    private func mostPrompts(
        of places: [Int], _ budget: inout CheckBudget
    ) -> (most: Int, tried: Int, dates: Int) {
        let counted = places.filter {
            !study.schedules[$0].anchor.isRepeated || study.schedules[$0].maxPerDay != nil
        }
        let starts = starts(of: counted)
        let whole = counted.reduce(0) { $0 + promptsPerDay(of: $1) }
        guard whole > Self.maximumPromptsPerDay else { return (whole, starts.count, starts.count) }
        var anchors: [Anchor: Int] = [:]
        for place in counted {
            let anchor = study.dayZero(of: study.schedules[place])
            if anchors[anchor] == nil { anchors[anchor] = anchors.count }
        }
        let parts = counted.map { place in
            let anchor = study.dayZero(of: study.schedules[place])
            return PromptShare(
                tally: anchors[anchor] ?? 0, prompts: promptsPerDay(of: place), nominal: nominal(place),
                isMoving: study.schedules[place].followsCalendar && anchor != .studyDate(.minimum))
        }
        let fixed = parts.filter { !$0.isMoving }
        let moving = parts.filter(\.isMoving)
        let laid = fixed.reduce(0) { $0 + $1.nominal.days(enrolledOn: starts[0]).count }
        guard laid <= budget.left else { return (0, 0, starts.count) }
        budget.spend(laid)
        var tallies = Array(repeating: DayTally(), count: anchors.count)
        for part in fixed {
            tallies[part.tally].add(part.nominal.days(enrolledOn: starts[0]), part.prompts)
        }
        // What does not depend on the date is copied for each.
        let copied = tallies.reduce(0) { $0 + $1.dayCount }
        var most = 0
        for (tried, start) in starts.enumerated() {
            let days = moving.map { $0.nominal.days(enrolledOn: start) }
            let cost = days.reduce(copied + days.count) { $0 + $1.count }
            guard cost <= budget.left else { return (most, tried, starts.count) }
            budget.spend(cost)
            var whole = tallies
            for (part, list) in zip(moving, days) { whole[part.tally].add(list, part.prompts) }
            most = max(most, whole.reduce(0) { $0 + $1.most })
        }
        return (most, starts.count, starts.count)
    }

    /// Of one schedule, on one of its days.
    private func promptsPerDay(of place: Int) -> Int {
        nominal(place).windowsPerDay * (study.schedules[place].maxPerDay ?? 1)
    }
}

/// The prompts of one schedule.
private struct PromptShare {
    /// Which of the things that schedules count from.
    let tally: Int
    /// On each of its days.
    let prompts: Int
    let nominal: NominalSchedule
    /// Whether its days depend on the date of enrolment.
    let isMoving: Bool
}

/// Prompts by day, of everything that counts from the same.
private struct DayTally {
    private var prompts: [Int: Int] = [:]
    /// Those of the fullest day.
    private(set) var most = 0

    var dayCount: Int { prompts.count }

    mutating func add(_ days: NominalDays, _ count: Int) {
        for number in days.numbers {
            let sum = prompts[number + days.origin, default: 0] + count
            prompts[number + days.origin] = sum
            most = max(most, sum)
        }
    }
}
