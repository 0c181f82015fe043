import SaunterCore

extension PlanCase {
    /// Of somebody who stays in one place: whether the windows of a day are one schedule's, or two schedules' that ask the same by the participant's
    /// clock and by another that agrees with it, makes no difference to when they are.
    func splitViolations(_ plan: [Occasion]) -> [String] {
        let clock: ZonePolicy = seed % 2 == 0 ? .enrolment : .study(zone)
        return splits(rest: clock).compactMap { schedules, parts in
            let whole = Self.windows(of: [schedules.first], in: plan)
            guard Self.windows(of: [schedules.first, schedules.rest], in: parts) != whole else { return nil }
            return "split: \(schedules.first) (seed \(seed), \(zone))"
        }
    }

    /// Of somebody who travels: two schedules that ask the same in turn ask nothing at one time by one clock, whenever the journeys are.
    func splitJourneyViolations() -> [String] {
        let clock: ZonePolicy = seed % 2 == 0 ? .enrolment : .study(input.zones.last?.zone ?? zone)
        return splits(rest: clock).compactMap { schedules, parts in
            let asked = parts.filter {
                [schedules.first, schedules.rest].contains($0.key.schedule) && $0.setAside != .nonexistent
            }
            let meets = Dictionary(grouping: asked) { [$0.key.anchorInstance, $0.zone.id] }.values
                .contains { ofClock in
                    let windows = ofClock.map(\.window).sorted { $0.openAt < $1.openAt }
                    return zip(windows, windows.dropFirst()).contains { $0.closeAt > $1.openAt }
                }
            return meets ? "split: \(schedules.first) meets itself (seed \(seed), \(zone))" : nil
        }
    }

    /// The plan with one schedule made two: the second has all slots but the first, by a clock of its own.
    private func splits(
        rest clock: ZonePolicy
    ) -> [(schedules: (first: String, rest: String), parts: [Occasion])] {
        input.study.schedules.enumerated().compactMap { index, schedule in
            guard schedule.zonePolicy == .participant, schedule.slots.count > 1,
                schedule.slots.allSatisfy(\.opensAtFixedTime)
            else { return nil }
            var rest = schedule
            rest.id = "\(schedule.id)_rest"
            rest.zonePolicy = clock
            rest.slots = Array(schedule.slots.dropFirst())
            var split = input
            split.study.schedules[index].slots = Array(schedule.slots.prefix(1))
            split.study.schedules.append(rest)
            let parts = Planner(split).occasions(from: .minimum, through: .maximum)
            return (schedules: (first: schedule.id, rest: rest.id), parts: parts)
        }
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
