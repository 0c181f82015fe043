extension Study {
    /// Open occasions whose schedule this version does not contain. Until they close, they follow the version under
    /// which they opened, including its reminders.
    package func openOccasionsOfFormerSchedules(_ occasions: [Occasion], at now: Instant) -> [Occasion] {
        let own = Set(schedules.map(\.id))
        return occasions.filter { !own.contains($0.key.schedule) && $0.state(at: now).isAnswerable }
    }

    /// This version with the schedules of earlier versions that still have open occasions. Reminders are planned with
    /// it.
    package func addingReminders(of former: [Schedule]) -> Study {
        let own = Set(schedules.map(\.id))
        var study = self
        study.schedules += former.filter { !own.contains($0.id) }
        return study
    }

    /// The next check of a participant if only this version is loaded. The reminders of former schedules are unknown
    /// then. If such a schedule has open occasions, an existing check keeps its time. If there is none, the check
    /// happens now, because the worker loads the former versions.
    /// - Parameters:
    ///   - next: the time of the next check according to this version; nil if there is none until the plan changes.
    ///   - pending: the time of the existing check; nil if there is none.
    package func nextCheck(
        _ next: Instant?, pending: Instant?, occasions: [Occasion], at now: Instant
    ) -> Instant? {
        guard reminder != nil, !openOccasionsOfFormerSchedules(occasions, at: now).isEmpty else {
            return next
        }
        return min(next ?? .maximum, pending ?? now)
    }
}
