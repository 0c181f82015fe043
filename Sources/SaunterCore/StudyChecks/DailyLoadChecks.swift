extension StudyCheck {
    /// Checks that no arm has more occasions per day than the limit.
    /// - Parameter schedulesByArm: the positions of the schedules of each arm. The arm is nil if the study has no arms.
    mutating func checkOccasionsPerDay(of schedulesByArm: [(arm: String?, positions: [Int])]) {
        let sets = schedulesByArm.map { concurrentGroups($0.positions) }
        var maximum: [[Int]: Int] = [:]
        let distinct = sets.joined().filter { maximum.updateValue(0, forKey: $0) == nil }
        // The other half of the budget is for the overlap checks.
        var half = budget.takeShare(among: 2)
        var leastComplete: (checked: Int, dates: Int)?
        for (number, positions) in cheapestFirst(distinct).enumerated() {
            var share = half.takeShare(among: distinct.count - number)
            let (occasions, checked, dates) = maximumPerDay(of: positions, &share)
            half.refund(share)
            maximum[positions] = occasions
            if checked < dates, checked < leastComplete?.checked ?? Int.max {
                leastComplete = (checked, dates)
            }
        }
        budget.refund(half)
        for (index, arm) in schedulesByArm.map(\.arm).enumerated() {
            let occasions = sets[index].compactMap { maximum[$0] }.max() ?? 0
            guard occasions > Self.maximumOccasionsPerDay else { continue }
            let subject = arm.map { "Arm \($0) has" } ?? "Participants have"
            faults.add(
                "/schedules", "too_many_prompts",
                "\(subject) up to \(occasions) occasions per day. The limit is \(Self.maximumOccasionsPerDay)."
            )
        }
        guard let leastComplete else { return }
        hints.add(
            "/schedules", "counted_in_part",
            """
            \(Self.tooLarge): the occasions per day were counted for \(leastComplete.checked) of \(leastComplete.dates) dates of enrolment. \
            Busier days for the other dates are not reported.
            """
        )
    }

    /// Maximum number of occasions per day. If schedules count from different anchors, their busiest days are assumed
    /// to coincide. Schedules that follow walks or sheets are included if `maxPerDay` limits them.
    /// - Returns: the maximum for the checked dates of enrolment, the number of checked dates, and the number of all
    ///   dates. If the sum of all schedules does not exceed the limit, the maximum is this sum, and all dates count as
    ///   checked. If the budget is used up, the later dates are not checked.
    private func maximumPerDay(
        of positions: [Int], _ budget: inout WorkBudget
    ) -> (maximum: Int, checked: Int, dates: Int) {
        let counted = positions.filter {
            !study.schedules[$0].anchor.isRepeated || study.schedules[$0].maxPerDay != nil
        }
        let starts = starts(of: counted)
        let upperBound = counted.reduce(0) { $0 + occasionsPerDay(of: $1) }
        guard upperBound > Self.maximumOccasionsPerDay else {
            return (upperBound, starts.count, starts.count)
        }
        var anchors: [Anchor: Int] = [:]
        for position in counted {
            let anchor = study.dayZero(of: study.schedules[position])
            if anchors[anchor] == nil { anchors[anchor] = anchors.count }
        }
        let parts = counted.map { position in
            let anchor = study.dayZero(of: study.schedules[position])
            return DailyLoad(
                tally: anchors[anchor] ?? 0, occasions: occasionsPerDay(of: position),
                nominal: nominal(position),
                isMoving: study.schedules[position].followsCalendar && anchor != .studyDate(.minimum))
        }
        let fixed = parts.filter { !$0.isMoving }
        let moving = parts.filter(\.isMoving)
        let fixedDays = fixed.reduce(0) { $0 + $1.nominal.days(enrolledOn: starts[0]).count }
        guard fixedDays <= budget.remaining else { return (0, 0, starts.count) }
        budget.spend(fixedDays)
        var tallies = Array(repeating: DayTally(), count: anchors.count)
        for part in fixed {
            tallies[part.tally].add(part.nominal.days(enrolledOn: starts[0]), part.occasions)
        }
        // The tallies that do not depend on the date are copied for each date.
        let copyCost = tallies.reduce(0) { $0 + $1.dayCount }
        var maximum = 0
        for (checked, start) in starts.enumerated() {
            let days = moving.map { $0.nominal.days(enrolledOn: start) }
            let cost = days.reduce(copyCost + days.count) { $0 + $1.count }
            guard cost <= budget.remaining else { return (maximum, checked, starts.count) }
            budget.spend(cost)
            var dateTallies = tallies
            for (part, list) in zip(moving, days) { dateTallies[part.tally].add(list, part.occasions) }
            maximum = max(maximum, dateTallies.reduce(0) { $0 + $1.maximum })
        }
        return (maximum, starts.count, starts.count)
    }

    /// The number of occasions of one schedule on one of its days.
    private func occasionsPerDay(of position: Int) -> Int {
        nominal(position).windowsPerDay * (study.schedules[position].maxPerDay ?? 1)
    }
}

/// The occasions of one schedule.
private struct DailyLoad {
    /// Index of the tally for the schedule's anchor.
    let tally: Int
    /// The number of occasions on each of its days.
    let occasions: Int
    let nominal: NominalSchedule
    /// Whether the days depend on the date of enrolment.
    let isMoving: Bool
}

/// Occasions per day of all schedules that count from the same anchor.
private struct DayTally {
    private var occasions: [Int: Int] = [:]
    /// The number of occasions on the busiest day.
    private(set) var maximum = 0

    var dayCount: Int { occasions.count }

    mutating func add(_ days: NominalDays, _ count: Int) {
        for number in days.numbers {
            let sum = occasions[number + days.origin, default: 0] + count
            occasions[number + days.origin] = sum
            maximum = max(maximum, sum)
        }
    }
}
