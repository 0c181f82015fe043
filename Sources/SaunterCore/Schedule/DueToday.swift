extension Occasion {
    /// Due today: open or overdue, or opening later on today's local date in the participant's zone.
    package func isDueToday(at now: Instant, zone: Zone) -> Bool {
        switch state(at: now) {
        case .open, .overdue: true
        case .upcoming: zone.local(of: window.openAt).date == zone.local(of: now).date
        default: false
        }
    }
}

extension Study {
    /// What the due-today mail counts: due today, and of a schedule that is reminded. In the order of
    /// opening.
    package func dueToday(_ occasions: [Occasion], at now: Instant, zone: Zone) -> [Occasion] {
        let reminded = Set(schedules.filter(\.reminded).map(\.id))
        return occasions.filter { reminded.contains($0.key.schedule) && $0.isDueToday(at: now, zone: zone) }
            .sorted { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
    }
}
