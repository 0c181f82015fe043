/// Instances whose windows are laid out together, since they ask one questionnaire in turn: where two of them touch on the
/// wall, they share no time in the night that has an hour twice, be the clock the participant's or one that the study names.
/// Windows by clocks that differ stand side by side.
struct InstanceGroup {
    let instances: [ScheduleInstance]

    /// What instances of one group have in common.
    private struct Kind: Hashable {
        let questionnaire: String
        /// What one phase asks says nothing about another's windows: of those only one may be asked.
        let phase: String?
        let instance: String
    }

    /// In the order of the first of each.
    static func groups(of instances: [ScheduleInstance]) -> [InstanceGroup] {
        var places: [Kind: Int] = [:]
        var groups: [[ScheduleInstance]] = []
        for instance in instances {
            let schedule = instance.schedule
            let kind = Kind(
                questionnaire: schedule.questionnaire, phase: schedule.phase, instance: instance.instance)
            if let place = places[kind] {
                groups[place].append(instance)
            } else {
                places[kind] = groups.count
                groups.append([instance])
            }
        }
        return groups.map(InstanceGroup.init)
    }

    /// One window to come, with the place of its instance.
    struct Entry {
        let place: Int
        let entry: ScheduleInstance.Entry
        /// On the wall, in seconds since 1970-01-01 00:00.
        let nominalOpen: Int
        /// The same of its close.
        var nominalClose: Int { nominalOpen + Slot.bounded(entry.planned.slot.closeAfter) }
        /// Not so long after an anchor.
        var opensByClock: Bool {
            if case .clock = entry.planned.opening { return true }
            return false
        }
    }

    /// The windows that can reach into these dates, in the order in which they open on the wall. The same for every zone.
    func entries(reaching dates: ClosedRange<LocalDate>) -> [Entry] {
        let reach = instances.map(\.schedule.reachDays).max() ?? 0
        let entries = instances.enumerated().flatMap { place, instance in
            let anchor = instance.anchorDate.days
            return instance.entries(
                days: dates.lowerBound.days - anchor - reach...dates.upperBound.days - anchor + 2
            ).map {
                let day = anchor + $0.key.dayIndex
                return Entry(
                    place: place, entry: $0, nominalOpen: day * 86_400 + $0.planned.opening.seconds)
            }
        }
        guard instances.count > 1 else { return entries }
        return entries.sorted { ($0.nominalOpen, $0.place) < ($1.nominalOpen, $1.place) }
    }

    /// Where the windows so far end by one clock, on its wall and in truth.
    private struct End {
        let zone: Zone
        var nominalClose: Int
        var close: Instant
    }

    /// The windows of these entries.
    /// - Parameter zones: by which each instance is asked, in the order of the instances.
    func windows(of entries: [Entry], zones: [Zone]) -> [ResolvedWindow] {
        windows(of: entries, zones: zones) { _, resolved in resolved }
    }

    /// The windows of these entries after a journey. What stays as it was still holds its time: the next one on the wall, by
    /// a clock that agrees with its own, waits for its close. Where a later one on the wall is open already, an earlier one
    /// does not come beside it by such a clock: there it is over, so it keeps the instants that it had.
    /// - Parameters:
    ///   - zones: by which each instance is asked from now on, in the order of the instances.
    ///   - earlier: the windows of the same entries before the journey.
    func windows(
        of entries: [Entry], zones: [Zone], movedFrom earlier: [ResolvedWindow], at now: Instant
    ) -> [ResolvedWindow] {
        let open = zip(entries, earlier).filter { entry, resolved in
            entry.opensByClock && resolved.dayExists && resolved.window.openAt <= now
                && now < resolved.window.closeAt
        }
        return windows(of: entries, zones: zones) { place, moved in
            let (entry, old) = (entries[place], earlier[place])
            if old.stays(ifMovedTo: moved, at: now) { return old }
            let isPassed = open.contains { later, resolved in
                entry.opensByClock && later.nominalOpen >= entry.nominalClose
                    && moved.zone.agrees(with: resolved.zone, upTo: moved.window.closeAt)
            }
            return isPassed && old.dayExists ? old : moved
        }
    }

    /// - Parameter choose: what stands in the end at the place of an entry, of which this is the window by its zone.
    private func windows(
        of entries: [Entry], zones: [Zone],
        choose: (_ place: Int, _ resolved: ResolvedWindow) -> ResolvedWindow
    ) -> [ResolvedWindow] {
        var ends: [End] = []
        return entries.enumerated().map { place, entry in
            let instance = instances[entry.place]
            let zone = zones[entry.place]
            let slot = entry.entry.planned.slot
            guard case .clock(let seconds) = entry.entry.planned.opening else {
                return choose(place, instance.elapsedWindow(of: entry.entry, zone: zone))
            }
            var floor: Instant?
            for end in ends
            where entry.nominalOpen >= end.nominalClose && zone.agrees(with: end.zone, upTo: end.close) {
                floor = max(floor ?? .minimum, end.close)
            }
            let resolved = choose(
                place,
                slot.window(
                    date: instance.anchorDate.adding(days: entry.entry.key.dayIndex), opening: seconds,
                    zone: zone, floor: floor))
            if resolved.dayExists {
                let close = resolved.window.closeAt
                Self.note(End(zone: resolved.zone, nominalClose: entry.nominalClose, close: close), in: &ends)
            }
            return resolved
        }
    }

    private static func note(_ end: End, in ends: inout [End]) {
        if let place = ends.firstIndex(where: { $0.zone == end.zone }) {
            ends[place].nominalClose = max(ends[place].nominalClose, end.nominalClose)
            ends[place].close = max(ends[place].close, end.close)
        } else {
            ends.append(end)
        }
    }
}

extension Schedule {
    /// Days before a date that must be looked at to know it: windows that began earlier and reach into it,
    /// and slots that open days after their anchor, whose day may be another one in the schedule's zone.
    fileprivate var reachDays: Int {
        let longest =
            slots.map { slot in
                if case .afterAnchor(let seconds) = slot.opening { return Slot.bounded(seconds) + 86_400 }
                return Slot.bounded(slot.closeAfter)
            }.max() ?? 0
        return longest / 86_400 + 2
    }
}
