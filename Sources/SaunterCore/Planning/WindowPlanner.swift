/// Computes the windows of schedule instances that ask the same questionnaire. Consecutive windows do not overlap in a
/// night in which an hour occurs twice, even if one schedule uses the participant's zone and another uses a fixed zone.
/// Windows in zones with different clocks may overlap.
struct WindowPlanner {
    let instances: [ScheduleInstance]

    /// The properties that all instances of one group share.
    private struct GroupKey: Hashable {
        let questionnaire: String
        /// Windows of different phases are independent, because only one of the phases is active.
        let phase: String?
        let instance: String
    }

    /// Groups the instances. The groups have the order of their first instances.
    static func groups(of instances: [ScheduleInstance]) -> [WindowPlanner] {
        var indexByKey: [GroupKey: Int] = [:]
        var groups: [[ScheduleInstance]] = []
        for instance in instances {
            let schedule = instance.schedule
            let key = GroupKey(
                questionnaire: schedule.questionnaire, phase: schedule.phase, instance: instance.instance)
            if let index = indexByKey[key] {
                groups[index].append(instance)
            } else {
                indexByKey[key] = groups.count
                groups.append([instance])
            }
        }
        return groups.map(WindowPlanner.init)
    }

    /// One window that is not resolved yet, with the index of its instance.
    struct Entry {
        let instanceIndex: Int
        let unresolved: ScheduleInstance.Entry
        /// Local time in seconds since 1970-01-01 00:00.
        let nominalOpen: Int
        /// The close, in the same unit.
        var nominalClose: Int { nominalOpen + Slot.bounded(unresolved.planned.slot.closeAfter) }
        /// Whether the window opens at a local time, not after an anchor.
        var opensByClock: Bool {
            if case .clock = unresolved.planned.opening { return true }
            return false
        }
    }

    /// The windows that may overlap these dates, sorted by local opening time. They are the same for every zone.
    func entries(overlapping dates: ClosedRange<LocalDate>) -> [Entry] {
        let lookBackDays = instances.map(\.schedule.lookBackDays).max() ?? 0
        let entries = instances.enumerated().flatMap { instanceIndex, instance in
            let anchor = instance.anchorDate.days
            return instance.entries(
                days: dates.lowerBound.days - anchor - lookBackDays...dates.upperBound.days - anchor + 2
            ).map {
                let day = anchor + $0.key.dayIndex
                return Entry(
                    instanceIndex: instanceIndex, unresolved: $0,
                    nominalOpen: day * 86_400 + $0.planned.opening.seconds)
            }
        }
        guard instances.count > 1 else { return entries }
        return entries.sorted { ($0.nominalOpen, $0.instanceIndex) < ($1.nominalOpen, $1.instanceIndex) }
    }

    /// The end of the windows so far in one zone: as local time and as an instant.
    private struct ClockEnd {
        let zone: Zone
        var nominalClose: Int
        var close: Instant
    }

    /// The windows of these entries.
    /// - Parameter zones: zone of each instance, in the order of `instances`.
    func windows(of entries: [Entry], zones: [Zone]) -> [ResolvedWindow] {
        windows(of: entries, zones: zones) { _, resolved in resolved }
    }

    /// The windows of these entries after a zone change.
    ///
    /// 1. A window that has already opened, or that the participant would miss because of the change, keeps its
    ///    instants. It still occupies its time: the next window in a zone with the same clock starts after its close.
    /// 2. A window also keeps its instants if a later window is already open, and the zone to which the earlier window
    ///    would move has the same clock as the zone of the open window.
    /// 3. A window of an instance that starts at the change or later is computed only from `zones`.
    ///
    /// - Parameters:
    ///   - zones: zone of each instance after the change, or at its start if that is later, in the order of
    ///     `instances`.
    ///   - earlier: windows of the same entries before the change.
    ///   - starts: the instant at which each instance starts to ask.
    func windows(
        of entries: [Entry], zones: [Zone], movedFrom earlier: [ResolvedWindow], at now: Instant,
        starts: [Instant]
    ) -> [ResolvedWindow] {
        let open = zip(entries, earlier).filter { entry, resolved in
            entry.opensByClock && resolved.dayExists && resolved.window.openAt <= now
                && now < resolved.window.closeAt && starts[entry.instanceIndex] < now
        }
        return windows(of: entries, zones: zones) { index, moved in
            let (entry, old) = (entries[index], earlier[index])
            guard starts[entry.instanceIndex] < now else { return moved }
            if old.stays(ifMovedTo: moved, at: now) { return old }
            let isLaterOpen = open.contains { later, resolved in
                entry.opensByClock && later.nominalOpen >= entry.nominalClose
                    && moved.zone.hasSameClock(as: resolved.zone, upTo: moved.window.closeAt)
            }
            return isLaterOpen && old.dayExists ? old : moved
        }
    }

    /// The random windows of one slot on one day.
    private struct DrawKey: Hashable {
        let instanceIndex: Int
        let dayIndex: Int
        let firstSlotIndex: Int
    }

    /// - Parameter choose: returns the final window of the entry with this index. Its argument is the window in the
    ///   entry's zone.
    private func windows(
        of entries: [Entry], zones: [Zone],
        choose: (_ index: Int, _ resolved: ResolvedWindow) -> ResolvedWindow
    ) -> [ResolvedWindow] {
        var ends: [ClockEnd] = []
        var previousDraws: [DrawKey: ResolvedWindow] = [:]
        return entries.enumerated().map { index, entry in
            let instance = instances[entry.instanceIndex]
            let zone = zones[entry.instanceIndex]
            let slot = entry.unresolved.planned.slot
            guard case .clock(let seconds) = entry.unresolved.planned.opening else {
                return choose(index, instance.elapsedWindow(of: entry.unresolved, zone: zone))
            }
            var floor: Instant?
            for end in ends
            where entry.nominalOpen >= end.nominalClose && zone.hasSameClock(as: end.zone, upTo: end.close) {
                floor = max(floor ?? .minimum, end.close)
            }
            let date = instance.anchorDate.adding(days: entry.unresolved.key.dayIndex)
            let randomPosition = entry.unresolved.planned.randomPosition
            let key = DrawKey(
                instanceIndex: entry.instanceIndex, dayIndex: entry.unresolved.key.dayIndex,
                firstSlotIndex: entry.unresolved.key.slotIndex - (randomPosition?.index ?? 0))
            if let randomPosition, let previous = previousDraws[key], previous.zone == zone {
                floor = max(
                    floor ?? .minimum, previous.window.openAt.adding(seconds: randomPosition.minimumGap))
            }
            let resolved = choose(
                index,
                slot.window(
                    date: date, opening: seconds, zone: zone, floor: floor,
                    ceiling: randomPosition?.latestOpening(on: date, zone: zone)))
            if randomPosition != nil { previousDraws[key] = resolved }
            if resolved.dayExists {
                let close = resolved.window.closeAt
                Self.record(
                    ClockEnd(zone: resolved.zone, nominalClose: entry.nominalClose, close: close), in: &ends)
            }
            return resolved
        }
    }

    private static func record(_ end: ClockEnd, in ends: inout [ClockEnd]) {
        if let index = ends.firstIndex(where: { $0.zone == end.zone }) {
            ends[index].nominalClose = max(ends[index].nominalClose, end.nominalClose)
            ends[index].close = max(ends[index].close, end.close)
        } else {
            ends.append(end)
        }
    }
}

extension RandomPosition {
    /// The latest instant that leaves room for the later windows of the same draw.
    fileprivate func latestOpening(on date: LocalDate, zone: Zone) -> Instant {
        LocalResolver.moment(date: date, secondsOfDay: latest, zone: zone).last
            .adding(seconds: -(count - 1 - index) * minimumGap)
    }
}

extension Schedule {
    /// Number of days before a date that may have windows on that date. Windows that began earlier may reach the date.
    /// Slots that open days after their anchor may have another date in the schedule's zone.
    fileprivate var lookBackDays: Int {
        let longest =
            slots.map { slot in
                if case .afterAnchor(let seconds) = slot.opening { return Slot.bounded(seconds) + 86_400 }
                return Slot.bounded(slot.closeAfter)
            }.max() ?? 0
        return longest / 86_400 + 2
    }
}
