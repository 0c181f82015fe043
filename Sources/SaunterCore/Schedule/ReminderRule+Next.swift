extension Study {
    /// The first hour of the daily mail after this moment at which, as things stand, something is due: between
    /// such hours nobody needs to look at this participant for its sake. Where nothing is in sight it is the first
    /// hour after the plan's end; nil when no more will be planned, and without such a mail.
    /// - Parameters:
    ///   - chosen: the participant's own time, if any.
    ///   - occasions: those that are stored.
    ///   - plannedThrough: `LocalDate.maximum` when they are all there will be.
    package func nextReminder(
        after now: Instant, chosen: LocalTime?, zone: Zone, occasions: [Occasion], plannedThrough: LocalDate
    ) -> Instant? {
        guard let rule = reminder, rule.at != nil else { return nil }
        let reminded = Set(schedules.filter(\.reminded).map(\.id))
        let hours = occasions.compactMap { occasion -> Instant? in
            guard reminded.contains(occasion.key.schedule), !occasion.isAnswered, occasion.setAside == nil,
                occasion.window.closeAt > now
            else { return nil }
            // It is due from the start of the day on which it opens.
            let date = zone.local(of: occasion.window.openAt).date
            let start = zone.startOfDay(date).adding(milliseconds: -1)
            let hour = rule.next(after: max(now, start), chosen: chosen, zone: zone)
            return occasion.isDueToday(at: hour, zone: zone) ? hour : nil
        }
        if let first = hours.min() { return first }
        guard plannedThrough < .maximum else { return nil }
        let end = zone.startOfDay(plannedThrough.adding(days: 1)).adding(milliseconds: -1)
        return rule.next(after: max(now, end), chosen: chosen, zone: zone)
    }
}

extension ReminderRule {
    /// The moment of the first daily mail after this one, strictly. There is one for each local date that
    /// exists: at the chosen time, else the study's, moved to the end of the quiet span where it falls into
    /// that. On a night when the clock changes it goes out once: at the first of two equal times, or right
    /// after the gap. `Instant.maximum` where there is no daily mail, or no such date any more.
    /// - Parameter chosen: the participant's own time, if any.
    package func next(after: Instant, chosen: LocalTime?, zone: Zone) -> Instant {
        let today = zone.local(of: after).date
        for ahead in -1...366 {
            let moment = hour(of: today.adding(days: ahead), chosen: chosen, zone: zone)
            if let moment, moment > after { return moment }
        }
        return .maximum
    }

    /// The moment of the daily mail on a local date; nil on a date that does not exist, and without such a mail.
    func hour(of date: LocalDate, chosen: LocalTime?, zone: Zone) -> Instant? {
        guard let at else { return nil }
        let time = awake(chosen ?? at)
        guard
            case .instants(let first, _, _) = LocalResolver.resolve(
                date: date, secondsOfDay: time.seconds, zone: zone)
        else { return nil }
        return first
    }

    /// The same moment, or the end of the quiet span that the participant's clock shows at it.
    package func awake(_ moment: Instant, zone: Zone) -> Instant {
        let local = zone.local(of: moment)
        guard isQuiet(local.time) else { return moment }
        for ahead in 0...3 {
            guard
                case .instants(let first, let last, _) = LocalResolver.resolve(
                    date: local.date.adding(days: ahead), secondsOfDay: quietTo.seconds, zone: zone)
            else { continue }
            if first > moment { return first }
            if last > moment { return last }
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
