import SaunterCore

extension PlanCase {
    /// Of somebody who stays in one place: whether the windows of a day are one schedule's, or two schedules' that ask the same by the participant's
    /// clock and by another that agrees with it, makes no difference to when they are.
    func splitViolations(_ plan: [Occasion]) -> [String] {
        var found: [String] = []
        for (index, schedule) in input.study.schedules.enumerated()
        where schedule.zonePolicy == .participant && schedule.slots.count > 1
            && schedule.slots.allSatisfy(\.opensAtFixedTime)
        {
            var rest = schedule
            rest.id = "\(schedule.id)_rest"
            rest.zonePolicy = seed % 2 == 0 ? .enrolment : .study(zone)
            rest.slots = Array(schedule.slots.dropFirst())
            var split = input
            split.study.schedules[index].slots = Array(schedule.slots.prefix(1))
            split.study.schedules.append(rest)
            let parts = Planner(split).occasions(from: .minimum, through: .maximum)
            let whole = Self.windows(of: [schedule.id], in: plan)
            if Self.windows(of: [schedule.id, rest.id], in: parts) != whole {
                found.append("split: \(schedule.id) (seed \(seed), \(zone))")
            }
        }
        return found
    }

    private static func windows(of schedules: Set<String>, in plan: [Occasion]) -> [[Instant]] {
        plan.filter { schedules.contains($0.key.schedule) }
            .map { [$0.window.openAt, $0.window.dueAt, $0.window.closeAt, $0.window.visibleAt] }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension Slot {
    fileprivate var opensAtFixedTime: Bool {
        if case .fixed = opening { return true }
        return false
    }
}
