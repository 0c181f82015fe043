/// Lays out the occasions of one participant. The same input gives the same plan wherever and whenever it is
/// asked for.
package struct Planner: Sendable {
    package let input: PlanInput
    private let history: ZoneHistory
    /// The participant's local date of enrolment.
    package let enrolmentDate: LocalDate
    /// The last local date on which an occasion may fall.
    package let endDate: LocalDate

    package init(_ input: PlanInput) {
        self.input = input
        history = ZoneHistory(input.zones, enrolledAt: input.enrolledAt, fallback: input.study.zone)
        enrolmentDate = history.initial.local(of: input.enrolledAt).date
        endDate = enrolmentDate.adding(days: input.study.days)
    }

    /// Every occasion that belongs to one of these local dates, those set aside included, by opening. Left
    /// out is what was over before the participant enrolled and what falls after the study's last day.
    package func occasions(from: LocalDate, through: LocalDate) -> [Occasion] {
        let first = max(from, enrolmentDate.adding(days: -Self.maximumLead))
        let last = min(through, endDate)
        guard first <= last else { return [] }
        var occasions: [Occasion] = []
        for schedule in input.study.schedules where schedule.applies(to: input.arm) {
            for instance in instances(of: schedule) {
                occasions += plan(instance, dates: first...last)
            }
        }
        return occasions.sorted(by: Self.inOrder)
    }

    /// The occasions of the rolling horizon: see `horizon(from:days:)`.
    package func occasions(horizonFrom now: Instant, days: Int = 14) -> [Occasion] {
        let dates = horizon(from: now, days: days)
        return occasions(from: dates.lowerBound, through: dates.upperBound)
    }

    /// The local dates that the horizon of this moment reaches: from the earliest date whose window could
    /// still be open, to this many days after today.
    package func horizon(from now: Instant, days: Int = 14) -> ClosedRange<LocalDate> {
        let today = history.zone(at: now).local(of: now).date
        let longest = input.study.schedules.flatMap(\.slots).map { Slot.bounded($0.closeAfter) }.max() ?? 0
        return today.adding(days: -(longest / 86_400 + 2))...today.adding(days: max(0, days))
    }

    /// A schedule that is bound to a date may have begun before somebody enrolled: windows are no longer than
    /// this.
    private static let maximumLead = Slot.maximumLength / 86_400

    private static func inOrder(_ left: Occasion, _ right: Occasion) -> Bool {
        if left.window.openAt != right.window.openAt { return left.window.openAt < right.window.openAt }
        if left.key.schedule != right.key.schedule { return left.key.schedule < right.key.schedule }
        if left.key.anchorInstance != right.key.anchorInstance {
            return left.key.anchorInstance < right.key.anchorInstance
        }
        return (left.key.dayIndex, left.key.slotIndex) < (right.key.dayIndex, right.key.slotIndex)
    }

    private func instances(of schedule: Schedule) -> [ScheduleInstance] {
        switch schedule.anchor {
        case .enrolment: [instance(schedule, "", at: input.enrolledAt)]
        case .studyDate(let date):
            [
                ScheduleInstance(
                    schedule: schedule, instance: "", anchorDate: date, anchorAt: nil, anchorTime: .midnight,
                    enrolment: input.enrolmentID, seed: input.seed)
            ]
        case .walk, .completion:
            input.anchors.filter { $0.anchor == schedule.anchor }.map {
                instance(schedule, $0.instance, at: $0.at)
            }
        }
    }

    private func instance(_ schedule: Schedule, _ name: String, at: Instant) -> ScheduleInstance {
        let local = history.zone(at: at).local(of: at)
        return ScheduleInstance(
            schedule: schedule, instance: name, anchorDate: local.date, anchorAt: at, anchorTime: local.time,
            enrolment: input.enrolmentID, seed: input.seed)
    }

    private func plan(_ instance: ScheduleInstance, dates: ClosedRange<LocalDate>) -> [Occasion] {
        let reach = instance.schedule.reachDays
        let days =
            dates.lowerBound.days - instance.anchorDate.days - reach...dates.upperBound.days
            - instance.anchorDate.days + 1
        let entries = instance.entries(days: days)
        let history = zones(of: instance.schedule)
        var windows = instance.windows(of: entries, zone: history.initial)
        for change in history.changes {
            let moved = instance.windows(of: entries, zone: change.zone)
            for index in windows.indices where !windows[index].stays(ifMovedTo: moved[index], at: change.from)
            {
                windows[index] = moved[index]
            }
        }
        return zip(entries, windows).compactMap { entry, resolved in
            guard dates.contains(resolved.localDate), resolved.window.closeAt > input.enrolledAt else {
                return nil
            }
            return occasion(entry.key, instance.schedule, resolved)
        }
    }

    private func zones(of schedule: Schedule) -> ZoneHistory {
        switch schedule.zonePolicy {
        case .participant: history
        case .enrolment: ZoneHistory(history.initial)
        case .study(let zone): ZoneHistory(zone)
        }
    }

    private func occasion(_ key: OccasionKey, _ schedule: Schedule, _ resolved: ResolvedWindow) -> Occasion {
        let setAside = input.status.setAside(resolved.window)
        return Occasion(
            id: key.id(of: input.enrolmentID), key: key, questionnaire: schedule.questionnaire,
            localDate: resolved.localDate, zone: resolved.zone, window: resolved.window,
            dstAdjusted: resolved.adjusted, setAside: resolved.dayExists ? setAside : .nonexistent)
    }
}

extension Schedule {
    /// Whether participants of this arm are asked; without an arm only what every arm is asked.
    package func applies(to arm: String?) -> Bool {
        guard !arms.isEmpty else { return true }
        return arm.map(arms.contains) ?? false
    }

    /// Days before a date that must be looked at to know it: windows that began earlier and reach into it,
    /// and slots that open days after their anchor.
    fileprivate var reachDays: Int {
        let longest =
            slots.map { slot in
                if case .afterAnchor(let seconds) = slot.opening { return Slot.bounded(seconds) }
                return Slot.bounded(slot.closeAfter)
            }.max() ?? 0
        return longest / 86_400 + 2
    }
}

extension ResolvedWindow {
    /// Whether a window keeps its instants although the plan has moved it: it had opened, or travelling would
    /// cost it.
    func stays(ifMovedTo other: ResolvedWindow, at now: Instant) -> Bool {
        guard dayExists else { return false }
        return window.openAt <= now || other.window.closeAt <= now || !other.dayExists
    }
}
