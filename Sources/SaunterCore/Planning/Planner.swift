/// Plans the occasions of one participant. The same input always returns the same plan.
package struct Planner: Sendable {
    /// All inputs of the plan.
    package let input: PlanInput
    let history: ZoneHistory
    /// The participant's local date of enrolment.
    package let enrolmentDate: LocalDate
    /// The last local date on which an occasion is possible.
    package let endDate: LocalDate

    /// Prepares the zone history and the dates of the study.
    package init(_ input: PlanInput) {
        self.input = input
        history = ZoneHistory(input.zones, enrolledAt: input.enrolledAt, fallback: input.study.zone)
        enrolmentDate = history.initial.local(of: input.enrolledAt).date
        endDate = enrolmentDate.adding(days: input.study.days)
    }

    /// All occasions with one of these local dates, sorted by opening, including excluded ones.
    ///
    /// The plan does not contain:
    /// - windows that closed before the enrolment or before the anchor
    /// - windows after the last day of the study or outside the phase of their schedule
    /// - schedules whose anchor has not happened.
    package func occasions(from: LocalDate, through: LocalDate) -> [Occasion] {
        occasions(from: from, through: through) { _ in true }
    }

    /// The occasions before a date that follow these anchor instances (walks, sheets). A plan that begins at `date`
    /// does not contain them if the walk or sheet was uploaded late.
    package func occasions(following arrived: Set<String>, before date: LocalDate) -> [Occasion] {
        let events = input.anchors.filter { arrived.contains($0.instance) }
        guard let first = events.map(\.at).min() else { return [] }
        return occasions(from: horizon(from: first).lowerBound, through: date.adding(days: -1)) {
            arrived.contains($0.instance)
        }
    }

    private func occasions(
        from: LocalDate, through: LocalDate, of isIncluded: (ScheduleInstance) -> Bool
    ) -> [Occasion] {
        let first = max(from, enrolmentDate.adding(days: -Self.maximumLead))
        let last = min(through, endDate)
        guard first <= last else { return [] }
        var occasions: [Occasion] = []
        let applicable = input.study.schedules.filter { $0.applies(to: input.arm) }
        for group in WindowPlanner.groups(of: applicable.flatMap(instances).filter(isIncluded)) {
            occasions += plan(group, dates: first...last)
        }
        return occasions.sorted(by: Self.inOrder)
    }

    /// The occasions of the rolling horizon; see `horizon(from:days:)`.
    package func occasions(horizonFrom now: Instant, days: Int = 14) -> [Occasion] {
        let dates = horizon(from: now, days: days)
        return occasions(from: dates.lowerBound, through: dates.upperBound)
    }

    /// The local dates of the rolling horizon: from the earliest date whose window may still be open to `days` days
    /// after today.
    package func horizon(from now: Instant, days: Int = 14) -> ClosedRange<LocalDate> {
        let today = history.zone(at: now).local(of: now).date
        let longest = input.study.schedules.flatMap(\.slots).map { Slot.bounded($0.closeAfter) }.max() ?? 0
        return today.adding(days: -(longest / 86_400 + 2))...today.adding(days: max(0, days))
    }

    /// The same horizon, extended to the last stored occasion. Without this, the horizon would end one day too early
    /// after travel to the west.
    package func horizon(from now: Instant, stored: [Occasion]) -> ClosedRange<LocalDate> {
        let dates = horizon(from: now)
        let lastStored = stored.lazy.filter { $0.exclusion != .cancelled }.map(\.localDate).max()
        return dates.lowerBound...max(dates.upperBound, lastStored ?? dates.upperBound)
    }

    /// The date up to which a plan that was computed through `date` is complete: the day before the next occasion, or
    /// `LocalDate.maximum` if no occasion is left. No replanning is necessary before that date.
    package func plannedThrough(_ date: LocalDate) -> LocalDate {
        nextDate(after: date).map { $0.adding(days: -1) } ?? .maximum
    }

    /// The local date of the first occasion after this date, up to the end of the study. Nil if the current input has
    /// none.
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

    /// The participant's zone at this instant.
    package func zone(at instant: Instant) -> Zone { history.zone(at: instant) }

    /// Ids of schedules of this participant's arm that have no occasions yet, because their anchor has not happened or
    /// their phase has not started.
    package var notApplicable: [String] {
        input.study.schedules.filter { schedule in
            guard schedule.applies(to: input.arm) else { return false }
            if let phase = schedule.phase, span(of: phase) == nil { return true }
            return instances(of: schedule).isEmpty
        }.map(\.id)
    }

    /// The number of days before the enrolment from which windows are computed. A schedule with a calendar date may
    /// begin before the participant enrols, and no window is longer than this.
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
        case .walk, .completion, .completionOfAny, .completionOfPractice:
            countedOccurrences(for: schedule).map { instance(schedule, $0.instance, at: $0.at) }
        case .firstCompletion, .event:
            moment(of: schedule.anchor).map { [instance(schedule, "", at: $0)] } ?? []
        case .phase(let code):
            span(of: code).map { span in
                [span.startAt.map { instance(schedule, "", at: $0) } ?? dated(schedule, span.firstDate)]
            } ?? []
        }
    }

    /// An instance that counts from a date and has no instant.
    private func dated(_ schedule: Schedule, _ date: LocalDate) -> ScheduleInstance {
        ScheduleInstance(
            schedule: schedule, instance: "", anchorDate: date, anchorAt: nil,
            anchorLocal: (date, .midnight), enrolment: input.enrolmentID, seed: input.seed)
    }

    private func instance(_ schedule: Schedule, _ name: String, at: Instant) -> ScheduleInstance {
        let wall = zones(of: schedule).zone(at: at).local(of: at)
        return ScheduleInstance(
            schedule: schedule, instance: name, anchorDate: history.zone(at: at).local(of: at).date,
            anchorAt: at, anchorLocal: (wall.date, wall.time), enrolment: input.enrolmentID, seed: input.seed)
    }

    private func plan(_ group: WindowPlanner, dates: ClosedRange<LocalDate>) -> [Occasion] {
        guard let first = group.instances.first?.schedule else { return [] }
        var phase: PhaseSpan?
        if let code = first.phase {
            guard let span = span(of: code) else { return [] }
            phase = span
        }
        let entries = group.entries(overlapping: dates)
        let histories = group.instances.map { zones(of: $0.schedule) }
        let starts = group.instances.map {
            max(input.enrolledAt, $0.anchorAt ?? .minimum, phase?.startAt ?? .minimum)
        }
        // A zone change affects only instances that have started. A later instance uses only the new zone.
        var windows = group.windows(of: entries, zones: zip(histories, starts).map { $0.zone(at: $1) })
        let hasZoneChanges = histories.contains { !$0.changes.isEmpty }
        for change in hasZoneChanges ? history.changes : [] {
            windows = group.windows(
                of: entries, zones: zip(histories, starts).map { $0.zone(at: max(change.from, $1)) },
                movedFrom: windows, at: change.from, starts: starts)
        }
        return zip(entries, windows).compactMap { entry, resolved in
            let instance = group.instances[entry.instanceIndex]
            let begunAt = max(input.enrolledAt, instance.anchorAt ?? .minimum)
            // Phases count in the participant's calendar. A window that opens at a local time belongs to its nominal
            // date. A window that opens after an anchor may have another date in the zone of its schedule.
            let phaseDate = entry.opensByClock ? resolved.localDate : localDate(of: resolved.window.openAt)
            guard dates.contains(resolved.localDate), resolved.window.closeAt > begunAt,
                phase?.contains(phaseDate, openAt: resolved.window.openAt) ?? true
            else { return nil }
            return occasion(entry.unresolved.key, instance.schedule, resolved)
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
        let exclusion = input.status.exclusion(of: resolved.window)
        return Occasion(
            id: key.id(of: input.enrolmentID), key: key, questionnaire: schedule.questionnaire,
            localDate: resolved.localDate, zone: resolved.zone, window: resolved.window,
            isDSTAdjusted: resolved.isAdjusted, exclusion: resolved.dayExists ? exclusion : .nonexistent)
    }
}

extension ResolvedWindow {
    /// Whether a window keeps its instants although the plan has moved it: it has already opened, or the participant
    /// would miss it because of travel.
    func stays(ifMovedTo other: ResolvedWindow, at now: Instant) -> Bool {
        guard dayExists else { return false }
        return window.openAt <= now || other.window.closeAt <= now || !other.dayExists
    }
}
