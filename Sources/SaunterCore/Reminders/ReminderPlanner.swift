/// Computes the reminders of one participant. The properties are all inputs of the computation.
package struct ReminderPlanner: Sendable {
    /// The version of the study that the participant follows.
    package var study: Study
    /// The stored occasions.
    package var occasions: [Occasion]
    /// The participant's present time zone.
    package var zone: Zone
    /// The participant's preferred time of the daily mail.
    package var preferredTime: LocalTime?
    /// When the participant enrolled.
    package var enrolledAt: Instant
    /// `LocalDate.maximum` if all occasions are planned.
    package var plannedThrough: LocalDate
    /// Whether no messages are sent, because the participant has paused or switched reminders off, or the study has
    /// ended.
    package var isMuted: Bool
    /// Records of all open occasions, of the last two days, and of all notifications.
    package var records: [ReminderRecord]
    /// The requests to be reminded later.
    package var snoozes: [Snooze]
    /// The activity and the events from which notifications count.
    package var facts: NotificationFacts
    /// Since when the participant follows this version of the study. `Instant.minimum` if since the enrolment.
    package var followedFrom: Instant
    /// The time of the stored next check. If it is in the past, the check has not happened yet.
    package var pendingCheckAt: Instant?

    /// Creates a planner for one moment; by default without records.
    package init(
        study: Study, occasions: [Occasion], zone: Zone, preferredTime: LocalTime? = nil, enrolledAt: Instant,
        plannedThrough: LocalDate, isMuted: Bool = false, records: [ReminderRecord] = [],
        snoozes: [Snooze] = [], facts: NotificationFacts = NotificationFacts(),
        followedFrom: Instant = .minimum,
        pendingCheckAt: Instant? = nil
    ) {
        self.study = study
        self.occasions = occasions
        self.zone = zone
        self.preferredTime = preferredTime
        self.enrolledAt = enrolledAt
        self.plannedThrough = plannedThrough
        self.isMuted = isMuted
        self.records = records
        self.snoozes = snoozes
        self.facts = facts
        self.followedFrom = followedFrom
        self.pendingCheckAt = pendingCheckAt
    }

    /// Number of days after the study's last day after which participants are not checked any more.
    package static let daysAfterStudyEnd = 60

    /// How often an unconfirmed message is sent again.
    static let maximumResends = 2

    /// Reminders of unanswered occasions that have not closed, and notifications, sorted by time. Claimed reminders are
    /// left out; overdue ones are included. In quiet hours a reminder is postponed to their end, or dropped if the
    /// window is closed by then.
    func reminders(at now: Instant) -> [Reminder] {
        guard let rule = study.reminder else { return [] }
        let schedules = Dictionary(study.schedules.map { ($0.id, $0) }) { first, _ in first }
        let claimed = Set(records.map(\.key))
        let recordsOf = Dictionary(grouping: records, by: \.key.subject)
        let snoozesOf = Dictionary(grouping: snoozes, by: \.occasion)
        // Reminders that were due before the participant switched to this version but are still pending are sent.
        let earliestTime = min(followedFrom, pendingCheckAt ?? .maximum)
        var found: [Reminder] = []
        for occasion in occasions
        where !occasion.isAnswered && occasion.exclusion == nil && occasion.window.closeAt > now {
            let snoozes = snoozesOf[occasion.id] ?? []
            let records = recordsOf[occasion.id.description] ?? []
            var own = schedules[occasion.key.schedule]?.reminders(of: occasion) ?? []
            // A participant who enrols sees the open occasions at once, so earlier reminders are not sent later.
            own.removeAll { $0.at < enrolledAt }
            // Reminders that were due before `earliestTime` are not sent.
            own.removeAll { rule.quietHours.postponed($0.at, zone: zone) < earliestTime }
            let ruleKeys = Set(own.map(\.key))
            // Only the last snooze counts. Earlier snoozes neither delay reminders nor cause one.
            let snooze = snoozes.active(at: now)
            if let snooze { own.append(reminder(.snoozed, snooze.ordinal, of: occasion, at: snooze.until)) }
            // A reminder is identified by its ordinal, which may change between versions of the study. The planned time
            // prevents a second reminder for the same instant.
            let usedTimes = Set(records.filter { !$0.isUnsent }.compactMap(\.plannedAt))
            if let again = resend(occasion, records, snoozes, rule) {
                own.append(again)
            }
            for var reminder in own where !claimed.contains(reminder.key) {
                reminder.at = rule.quietHours.postponed(reminder.at, zone: zone)
                // A snooze drops reminders before its end, including pending ones that have not been sent.
                let isSnoozed = snooze.map { reminder.at < $0.until } ?? false
                let isDuplicate = ruleKeys.contains(reminder.key) && usedTimes.contains(reminder.at)
                if reminder.at < reminder.expiresAt, !isSnoozed, !isDuplicate { found.append(reminder) }
            }
        }
        found += notifications().filter {
            $0.expiresAt > now && $0.at >= earliestTime && !claimed.contains($0.key) && !isRepetition($0)
        }
        return found.sorted(by: Self.comesBefore)
    }

    /// The next repetition of an unconfirmed message.
    private func resend(
        _ occasion: Occasion, _ records: [ReminderRecord], _ snoozes: [Snooze], _ rule: ReminderRule
    ) -> Reminder? {
        guard let wait = rule.resendAfter else { return nil }
        let sent = records.filter { $0.sentAt != nil }.sorted {
            ($0.sentAt ?? .minimum) < ($1.sentAt ?? .minimum)
        }
        let ordinal = sent.count { $0.key.kind == .resend } + 1
        // A confirmation of the message or of one of its repetitions is enough.
        let messageAndResends = sent[(sent.lastIndex { $0.key.kind != .resend } ?? 0)...]
        guard let last = sent.last, let sentAt = last.sentAt,
            !messageAndResends.contains(where: \.isConfirmed),
            ordinal <= Self.maximumResends,
            !snoozes.contains(where: { $0.askedAt >= sentAt })
        else { return nil }
        return reminder(.resend, ordinal, of: occasion, at: sentAt.adding(seconds: wait))
    }

    private func reminder(
        _ kind: ReminderKind, _ ordinal: Int, of occasion: Occasion, at moment: Instant
    ) -> Reminder {
        Reminder(
            key: ReminderKey(kind, of: occasion, ordinal: ordinal), at: moment,
            expiresAt: occasion.window.closeAt, occasions: [occasion])
    }

    static func comesBefore(_ left: Reminder, _ right: Reminder) -> Bool {
        (left.at, left.key.subject, left.key.kind.rawValue, left.key.ordinal)
            < (right.at, right.key.subject, right.key.kind.rawValue, right.key.ordinal)
    }

    /// The daily mail of a local date with the occasions that are due at this instant. Nil if none is due.
    func dailyMail(on date: LocalDate, mailTime: Instant, at moment: Instant) -> Reminder? {
        let due = self.due(at: moment)
        guard !due.isEmpty else { return nil }
        return Reminder(
            key: ReminderKey(kind: .dueToday, subject: date.description, ordinal: 1), at: mailTime,
            expiresAt: zone.startOfDay(date.adding(days: 1)), occasions: due)
    }

    /// Number of messages that were claimed on this local date and were sent, may have been sent, or will still be
    /// sent.
    func messageCount(on date: LocalDate) -> Int {
        Set(
            records.filter { !$0.isUnsent && zone.local(of: $0.claimedAt).date == date }.map(
                \.message)
        )
        .count
    }
}

/// The result of a check of one participant.
package struct ReminderDecision: Sendable, Hashable {
    /// The next check. Nil if there is none until the plan changes.
    package var next: Instant?
    /// Reminders to send now, in one message.
    package var send: [Reminder]
    /// Reminders above the daily maximum. They are never sent.
    package var drop: [Reminder]

    /// Creates a result; by default nothing is sent and nothing is dropped.
    package init(next: Instant?, send: [Reminder] = [], drop: [Reminder] = []) {
        self.next = next
        self.send = send
        self.drop = drop
    }
}

extension ReminderPlanner {
    /// The next check of this participant: the first unclaimed reminder, which may be overdue, or the next daily mail
    /// with a due occasion.
    package func nextCheck(at now: Instant) -> Instant? {
        let first = reminders(at: now).first { !isMuted || $0.at > now }?.at
        return [first, nextDailyMail(after: now)].compactMap { $0 }.min()
    }

    /// Decides what to send now.
    /// - Parameter scheduledAt: the time for which this check was scheduled. Daily mails before this time were handled
    ///   by an earlier check.
    package func decision(at now: Instant, scheduledAt: Instant) -> ReminderDecision {
        guard let rule = study.reminder else { return ReminderDecision(next: nil) }
        let reminders = reminders(at: now)
        let later = reminders.first { $0.at > now }?.at
        var next = [later, nextDailyMail(after: now)].compactMap { $0 }.min()
        guard !isMuted else { return ReminderDecision(next: next) }
        var pending = reminders.filter { $0.at <= now }
        let allowed = rule.quietHours.postponed(now, zone: zone)
        guard allowed == now else {
            // Overdue reminders wait until the quiet hours end. An overdue daily mail is not sent.
            if pending.contains(where: { allowed < $0.expiresAt }) { next = min(next ?? .maximum, allowed) }
            return ReminderDecision(next: next)
        }
        let today = zone.local(of: now).date
        if let mailTime = rule.mailTime(on: today, preferredTime: preferredTime, zone: zone),
            scheduledAt <= mailTime,
            mailTime <= now, let mail = dailyMail(on: today, mailTime: mailTime, at: now),
            !records.contains(where: { $0.key == mail.key })
        {
            pending.append(mail)
        }
        if let dailyMaximum = rule.maximumPerDay, messageCount(on: today) >= dailyMaximum {
            return ReminderDecision(next: next, drop: pending)
        }
        return ReminderDecision(next: next, send: pending)
    }

    private func nextDailyMail(after now: Instant) -> Instant? {
        study.nextDailyMail(
            after: now, preferredTime: preferredTime, zone: zone, occasions: unannounced,
            plannedThrough: plannedThrough)
    }
}
