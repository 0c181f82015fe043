/// Instances whose windows are laid out together, since they ask one questionnaire in turn by the same clock: where two of
/// them touch on the wall, they share no time in the night that has an hour twice.
struct InstanceGroup {
    let instances: [ScheduleInstance]

    /// What instances of one group have in common.
    private struct Kind: Hashable {
        let questionnaire: String
        /// What one phase asks says nothing about another's windows: of those only one may be asked.
        let phase: String?
        let zonePolicy: ZonePolicy
        let instance: String
    }

    /// In the order of the first of each.
    static func groups(of instances: [ScheduleInstance]) -> [InstanceGroup] {
        var places: [Kind: Int] = [:]
        var groups: [[ScheduleInstance]] = []
        for instance in instances {
            let schedule = instance.schedule
            let kind = Kind(
                questionnaire: schedule.questionnaire, phase: schedule.phase,
                zonePolicy: schedule.zonePolicy, instance: instance.instance)
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

    /// The windows of these entries as a person in this zone would have them.
    func windows(of entries: [Entry], zone: Zone) -> [ResolvedWindow] {
        /// Where the windows so far end, on the wall and in truth.
        var nominalClose = Int.min
        var close: Instant?
        return entries.map { entry in
            let instance = instances[entry.place]
            let slot = entry.entry.planned.slot
            guard case .clock(let seconds) = entry.entry.planned.opening else {
                return instance.elapsedWindow(of: entry.entry, zone: zone)
            }
            let resolved = slot.window(
                date: instance.anchorDate.adding(days: entry.entry.key.dayIndex), opening: seconds,
                zone: zone, floor: entry.nominalOpen >= nominalClose ? close : nil)
            if resolved.dayExists {
                nominalClose = max(nominalClose, entry.nominalOpen + Slot.bounded(slot.closeAfter))
                close = max(close ?? .minimum, resolved.window.closeAt)
            }
            return resolved
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
