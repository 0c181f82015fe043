extension Study {
    /// Occasions that can be answered now, of schedules that this version has no more. They keep to the version under which they opened until they close, also
    /// in when they are reminded of.
    package func leftUnscheduled(_ occasions: [Occasion], at now: Instant) -> [Occasion] {
        let own = Set(schedules.map(\.id))
        return occasions.filter { !own.contains($0.key.schedule) && $0.state(at: now).isAnswerable }
    }

    /// This version as reminders follow it: its own schedules, and those of versions before of which something is still open.
    package func reminding(of former: [Schedule]) -> Study {
        let own = Set(schedules.map(\.id))
        var study = self
        study.schedules += former.filter { !own.contains($0.id) }
        return study
    }

    /// When to look at a participant where only this version is at hand: the rules of what it has left out are not in it, so whoever waits goes on waiting, and
    /// where nobody does, somebody who knows them looks at once.
    /// - Parameters:
    ///   - next: as far as this version goes; nil = not before the plan changes.
    ///   - waiting: the moment that is waited for.
    package func nextLook(
        _ next: Instant?, waiting: Instant?, occasions: [Occasion], at now: Instant
    ) -> Instant? {
        guard reminder != nil, !leftUnscheduled(occasions, at: now).isEmpty else { return next }
        return min(next ?? .maximum, waiting ?? now)
    }
}
