extension Study {
    /// The time of the next daily mail with at least one due occasion. The daily mail needs no earlier check of this
    /// participant. If no stored occasion is due, it is the first mail time after the end of the plan. Nil if no
    /// further occasions will be planned, or if the study has no daily mail.
    /// - Parameters:
    ///   - preferredTime: the participant's preferred time, if any.
    ///   - occasions: the stored occasions.
    ///   - plannedThrough: `LocalDate.maximum` if all occasions are planned.
    package func nextDailyMail(
        after now: Instant, preferredTime: LocalTime?, zone: Zone, occasions: [Occasion],
        plannedThrough: LocalDate
    ) -> Instant? {
        guard let rule = reminder, rule.at != nil else { return nil }
        let reminded = Set(schedules.filter(\.isInDailyMail).map(\.id))
        let mailTimes = occasions.compactMap { occasion -> Instant? in
            guard reminded.contains(occasion.key.schedule), !occasion.isAnswered, occasion.exclusion == nil,
                occasion.window.closeAt > now
            else { return nil }
            // An occasion is due from the start of the day on which it opens.
            let date = zone.local(of: occasion.window.openAt).date
            let start = zone.startOfDay(date).adding(milliseconds: -1)
            let mailTime = rule.nextDailyMail(
                after: max(now, start), preferredTime: preferredTime, zone: zone)
            return occasion.isDueToday(at: mailTime, zone: zone) ? mailTime : nil
        }
        if let first = mailTimes.min() { return first }
        guard plannedThrough < .maximum else { return nil }
        let end = zone.startOfDay(plannedThrough.adding(days: 1)).adding(milliseconds: -1)
        return rule.nextDailyMail(after: max(now, end), preferredTime: preferredTime, zone: zone)
    }
}

extension ReminderRule {
    /// The time of the first daily mail after (not at) this instant. There is one mail per existing local date, at the
    /// preferred time or otherwise at the study's time. In quiet hours it is postponed to their end. If a zone
    /// transition shows the time twice, the mail is sent at the first; if it skips the time, right after the gap.
    /// `Instant.maximum` if there is no daily mail or no later date.
    /// - Parameter preferredTime: the participant's preferred time, if any.
    package func nextDailyMail(after: Instant, preferredTime: LocalTime?, zone: Zone) -> Instant {
        let today = zone.local(of: after).date
        for ahead in -1...366 {
            let moment = mailTime(on: today.adding(days: ahead), preferredTime: preferredTime, zone: zone)
            if let moment, moment > after { return moment }
        }
        return .maximum
    }

    /// The time of the daily mail on a local date. Nil if the date does not exist or the study has no daily mail.
    func mailTime(on date: LocalDate, preferredTime: LocalTime?, zone: Zone) -> Instant? {
        guard let at else { return nil }
        let time = quietHours.postponed(preferredTime ?? at)
        guard
            case .instants(let first, _, _) = LocalResolver.resolve(
                date: date, secondsOfDay: time.seconds, zone: zone)
        else { return nil }
        return first
    }
}

extension Study {
    /// The occasions in the daily mail: those that are due today and whose schedule is in the daily mail. Sorted by
    /// opening.
    package func dueToday(_ occasions: [Occasion], at now: Instant, zone: Zone) -> [Occasion] {
        let reminded = Set(schedules.filter(\.isInDailyMail).map(\.id))
        return occasions.filter { reminded.contains($0.key.schedule) && $0.isDueToday(at: now, zone: zone) }
            .sorted { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
    }
}

extension ReminderKey {
    /// Marks that a daily mail announced the occasion for a day from which it was moved. No further daily mail includes
    /// it.
    package static func announcement(of occasion: Occasion) -> ReminderKey {
        ReminderKey(.dueToday, of: occasion, ordinal: 1)
    }
}

extension ReminderPlanner {
    /// The occasions in the daily mail at this instant; see `Study.dueToday`.
    package func due(at now: Instant) -> [Occasion] { study.dueToday(unannounced, at: now, zone: zone) }

    /// Occasions that the daily mail may include: all but those that it announced before an edit moved them to another
    /// day.
    var unannounced: [Occasion] {
        // The subject of a daily mail itself is a date, so it is not an occasion id.
        let announced = Set(
            records.filter { $0.key.kind == .dueToday }.compactMap { OccasionID($0.key.subject) })
        return announced.isEmpty ? occasions : occasions.filter { !announced.contains($0.id) }
    }

    /// Occasions that a daily mail has announced and that replanning now moves to another day or cancels. The
    /// caller stores an `announcement` key for each, because otherwise the mail of the new day would announce them
    /// again. Open occasions do not change and are not included.
    /// - Parameters:
    ///   - difference: changes that are not written yet. `occasions` are in the state before.
    ///   - plannedAt: when the occasion was planned for its day, if known. Earlier mails did not announce it.
    package func announced(before difference: Reconciliation, plannedAt: [OccasionID: Instant] = [:])
        -> [Occasion]
    {
        let mails = Dictionary(
            records.filter { $0.key.kind == .dueToday && !$0.isUnsent && !$0.isRetrying }
                .map { ($0.key.subject, $0.claimedAt) }, uniquingKeysWith: max)
        guard !mails.isEmpty else { return [] }
        let after = Dictionary(difference.move.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let cancelledIDs = Set(
            difference.cancel + difference.move.filter { $0.exclusion == .cancelled }.map(\.id))
        return occasions.filter { occasion in
            guard occasion.exclusion == nil, cancelledIDs.contains(occasion.id) || after[occasion.id] != nil
            else {
                return false
            }
            // After a zone change the mail may have used the zone of the occasion.
            let days = [occasion.zone, zone].map { day(of: occasion, in: $0) }
            let planned = plannedAt[occasion.id] ?? .minimum
            guard days.contains(where: { mails[$0].map { planned <= $0 } ?? false }) else { return false }
            guard !cancelledIDs.contains(occasion.id), let next = after[occasion.id] else { return true }
            return mails[day(of: next, in: zone)] == nil
        }
    }

    /// The date of the first mail that includes the occasion.
    private func day(of occasion: Occasion, in zone: Zone) -> String {
        zone.local(of: occasion.window.openAt).date.description
    }
}
