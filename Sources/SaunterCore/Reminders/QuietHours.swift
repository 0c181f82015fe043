/// The daily span of local time in which a participant receives no message. The span may pass midnight.
package struct QuietHours: Sendable, Hashable {
    /// Inclusive.
    package var from: LocalTime
    /// Exclusive. If it equals `from`, there are no quiet hours.
    package var to: LocalTime

    /// Creates quiet hours that may pass midnight.
    package init(from: LocalTime, to: LocalTime) {
        self.from = from
        self.to = to
    }

    /// Whether this time is in the quiet hours.
    package func contains(_ time: LocalTime) -> Bool {
        from <= to ? from <= time && time < to : time >= from || time < to
    }

    /// The same time, or the end of the quiet hours if the time is in them.
    package func postponed(_ time: LocalTime) -> LocalTime { contains(time) ? to : time }

    /// The same instant, or the end of the quiet hours if the participant's clock shows a quiet time at this instant.
    ///
    /// If a zone transition shows the end time twice, the result is the first of them that is after `moment`.
    package func postponed(_ moment: Instant, zone: Zone) -> Instant {
        let local = zone.local(of: moment)
        guard contains(local.time) else { return moment }
        for ahead in 0...3 {
            guard
                case .instants(let first, let last, _) = LocalResolver.resolve(
                    date: local.date.adding(days: ahead), secondsOfDay: to.seconds, zone: zone)
            else { continue }
            if first > moment { return first }
            if last > moment { return last }
        }
        return .maximum
    }
}

extension ReminderRule {
    /// The quiet hours of this rule.
    package var quietHours: QuietHours { QuietHours(from: quietFrom, to: quietTo) }
}
