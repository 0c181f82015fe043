/// Lays out the occasions of one participant. The same input gives the same plan wherever and whenever it is
/// asked for.
package struct Planner: Sendable {
    package let input: PlanInput
    let history: ZoneHistory
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
    /// out is what was over before the participant enrolled or before the moment that it counts from, what
    /// falls after the study's last day or out of its schedule's phase, and what counts from something that
    /// has not happened.
    package func occasions(from: LocalDate, through: LocalDate) -> [Occasion] {
        occasions(from: from, through: through) { _ in true }
    }

    /// What follows these instances (walks, sheets) before a date, and nothing else: what a plan from that date on leaves out of things that have
    /// become known late.
    package func occasions(following arrived: Set<String>, before date: LocalDate) -> [Occasion] {
        let events = input.anchors.filter { arrived.contains($0.instance) }
        guard let first = events.map(\.at).min() else { return [] }
        return occasions(from: horizon(from: first).lowerBound, through: date.adding(days: -1)) {
            arrived.contains($0.instance)
        }
    }

    private func occasions(
        from: LocalDate, through: LocalDate, of isMeant: (ScheduleInstance) -> Bool
    ) -> [Occasion] {
        let first = max(from, enrolmentDate.adding(days: -Self.maximumLead))
        let last = min(through, endDate)
        guard first <= last else { return [] }
        var occasions: [Occasion] = []
        let mine = input.study.schedules.filter { $0.applies(to: input.arm) }
        for group in InstanceGroup.groups(of: mine.flatMap(instances).filter(isMeant)) {
            occasions += plan(group, dates: first...last)
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

    /// The same, reaching as far as what is stored already: after a journey west it would else end a day
    /// earlier than the plan did.
    package func horizon(from now: Instant, stored: [Occasion]) -> ClosedRange<LocalDate> {
        let dates = horizon(from: now)
        let reached = stored.lazy.filter { $0.setAside != .cancelled }.map(\.localDate).max()
        return dates.lowerBound...max(dates.upperBound, reached ?? dates.upperBound)
    }

    /// How far a plan that was laid out up to this date is whole: up to the day before the next occasion;
    /// `LocalDate.maximum` when, as things stand, none is left to plan. Nobody needs to look at it before.
    package func plannedThrough(_ date: LocalDate) -> LocalDate {
        nextDate(after: date).map { $0.adding(days: -1) } ?? .maximum
    }

    /// The local date of the first occasion after this one, up to the study's end; nil when there is none as
    /// things stand.
    package func nextDate(after date: LocalDate) -> LocalDate? {
        var first = max(date.adding(days: 1), enrolmentDate)
        var days = 14
        while first <= endDate {
            let last = min(first.adding(days: days - 1), endDate)
            if let next = occasions(from: first, through: last).map(\.localDate).min() { return next }
            guard last < endDate else { return nil }
            first = last.adding(days: 1)
            days = min(days * 2, 4096)
        }
        return nil
    }

    /// The zone that the participant lives by at this moment.
    package func zone(at instant: Instant) -> Zone { history.zone(at: instant) }

    /// Schedules of this participant's arm that count from something, or are bound to a phase, that has not
    /// happened: as things stand they ask nothing.
    package var notApplicable: [String] {
        input.study.schedules.filter { schedule in
            guard schedule.applies(to: input.arm) else { return false }
            if let phase = schedule.phase, span(of: phase) == nil { return true }
            return instances(of: schedule).isEmpty
        }.map(\.id)
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
        case .studyDate(let date): [dated(schedule, date)]
        case .walk, .completion:
            counting(for: schedule).map { instance(schedule, $0.instance, at: $0.at) }
        case .firstCompletion, .event:
            moment(of: schedule.anchor).map { [instance(schedule, "", at: $0)] } ?? []
        case .phase(let code):
            span(of: code).map { span in
                [span.startAt.map { instance(schedule, "", at: $0) } ?? dated(schedule, span.firstDate)]
            } ?? []
        }
    }

    /// Counts from a day, which is no moment.
    private func dated(_ schedule: Schedule, _ date: LocalDate) -> ScheduleInstance {
        ScheduleInstance(
            schedule: schedule, instance: "", anchorDate: date, anchorAt: nil,
            anchorWall: (date, .midnight), enrolment: input.enrolmentID, seed: input.seed)
    }

    private func instance(_ schedule: Schedule, _ name: String, at: Instant) -> ScheduleInstance {
        let wall = zones(of: schedule).zone(at: at).local(of: at)
        return ScheduleInstance(
            schedule: schedule, instance: name, anchorDate: history.zone(at: at).local(of: at).date,
            anchorAt: at, anchorWall: (wall.date, wall.time), enrolment: input.enrolmentID, seed: input.seed)
    }

    private func plan(_ group: InstanceGroup, dates: ClosedRange<LocalDate>) -> [Occasion] {
        guard let alike = group.instances.first?.schedule else { return [] }
        var phase: PhaseSpan?
        if let code = alike.phase {
            guard let span = span(of: code) else { return [] }
            phase = span
        }
        let entries = group.entries(reaching: dates)
        let histories = group.instances.map { zones(of: $0.schedule) }
        var windows = group.windows(of: entries, zones: histories.map(\.initial))
        let isMoving = histories.contains { !$0.changes.isEmpty }
        for change in isMoving ? history.changes : [] {
            windows = group.windows(
                of: entries, zones: histories.map { $0.changes.isEmpty ? $0.initial : change.zone },
                movedFrom: windows, at: change.from)
        }
        return zip(entries, windows).compactMap { entry, resolved in
            let instance = group.instances[entry.place]
            let begunAt = max(input.enrolledAt, instance.anchorAt ?? .minimum)
            guard dates.contains(resolved.localDate), resolved.window.closeAt > begunAt,
                phase?.holds(resolved.localDate, openAt: resolved.window.openAt) ?? true
            else { return nil }
            return occasion(entry.entry.key, instance.schedule, resolved)
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
}

extension ResolvedWindow {
    /// Whether a window keeps its instants although the plan has moved it: it had opened, or travelling would
    /// cost it.
    func stays(ifMovedTo other: ResolvedWindow, at now: Instant) -> Bool {
        guard dayExists else { return false }
        return window.openAt <= now || other.window.closeAt <= now || !other.dayExists
    }
}
