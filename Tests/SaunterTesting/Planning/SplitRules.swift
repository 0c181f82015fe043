import SaunterCore

extension PlanCase {
    /// For a participant who does not travel: it makes no difference whether the windows of a day belong to one
    /// schedule, or to two schedules with the same questionnaire, of which the second uses another zone with the same
    /// clock.
    func splitViolations(_ plan: [Occasion]) -> [String] {
        let zonePolicy: ZonePolicy = seed % 2 == 0 ? .enrolment : .study(zone)
        return splits(restPolicy: zonePolicy).compactMap { schedules, parts in
            let whole = Self.windows(of: [schedules.first], in: plan)
            guard Self.windows(of: [schedules.first, schedules.rest], in: parts) != whole else { return nil }
            return "split: \(schedules.first) (seed \(seed), \(zone))"
        }
    }

    /// For a participant who travels: windows of two schedules with the same questionnaire never overlap in one zone.
    func splitTravelViolations() -> [String] {
        let zonePolicy: ZonePolicy = seed % 2 == 0 ? .enrolment : .study(input.zones.last?.zone ?? zone)
        return splits(restPolicy: zonePolicy).compactMap { schedules, parts in
            let planned = parts.filter {
                [schedules.first, schedules.rest].contains($0.key.schedule) && $0.exclusion != .nonexistent
            }
            let overlaps = Dictionary(grouping: planned) { [$0.key.anchorInstance, $0.zone.id] }.values
                .contains { ofZone in
                    let windows = ofZone.map(\.window).sorted { $0.openAt < $1.openAt }
                    return zip(windows, windows.dropFirst()).contains { $0.closeAt > $1.openAt }
                }
            return overlaps ? "split: \(schedules.first) overlaps itself (seed \(seed), \(zone))" : nil
        }
    }

    /// The plan after one schedule is split into two. The second has all slots except the first, and its own zone
    /// policy.
    private func splits(
        restPolicy: ZonePolicy
    ) -> [(schedules: (first: String, rest: String), parts: [Occasion])] {
        input.study.schedules.enumerated().compactMap { index, schedule in
            guard schedule.zonePolicy == .participant, schedule.slots.count > 1,
                schedule.slots.allSatisfy(\.opensAtFixedTime)
            else { return nil }
            var rest = schedule
            rest.id = "\(schedule.id)_rest"
            rest.zonePolicy = restPolicy
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
