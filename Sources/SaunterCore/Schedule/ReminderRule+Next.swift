extension ReminderRule {
    /// The moment of the first daily mail after this one, strictly. There is one for each local date that
    /// exists: at the chosen time, else the study's, moved to the end of the quiet span where it falls into
    /// that. On a night when the clock changes it goes out once: at the first of two equal times, or right
    /// after the gap.
    /// - Parameter chosen: the participant's own time, if any.
    package func next(after: Instant, chosen: LocalTime?, zone: Zone) -> Instant {
        let time = awake(chosen ?? at)
        let today = zone.local(of: after).date
        for ahead in -1...366 {
            let date = today.adding(days: ahead)
            guard
                case .instants(let first, _, _) = LocalResolver.resolve(
                    date: date, secondsOfDay: time.seconds, zone: zone)
            else { continue }
            if first > after { return first }
        }
        return .maximum
    }

    /// The same time, or the end of the quiet span.
    package func awake(_ time: LocalTime) -> LocalTime { isQuiet(time) ? quietTo : time }

    /// Whether the time falls into the quiet span, whose end is outside of it. From and to alike mean no quiet at all.
    package func isQuiet(_ time: LocalTime) -> Bool {
        quietFrom <= quietTo
            ? quietFrom <= time && time < quietTo : time >= quietFrom || time < quietTo
    }
}
