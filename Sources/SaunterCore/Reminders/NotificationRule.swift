/// A rule for messages that do not belong to an occasion: some time after an event, or after a period of inactivity.
package struct NotificationRule: Sendable, Hashable {
    /// The start from which a rule counts.
    package enum Trigger: Sendable, Hashable {
        /// Counts from the instant of a named event.
        case event(String)
        /// Counts from the last sheet or walk, or from the enrolment if there is none. Pauses do not count. A new sheet
        /// or walk restarts the period.
        case inactivity
    }

    /// Unique in the study.
    package var code: String
    /// The start from which the messages count.
    package var trigger: Trigger
    /// Seconds from the start to the first message.
    package var firstAfter: Int
    /// Seconds between two messages.
    package var repeatEvery: Int
    /// Maximum number of messages, including the first.
    package var maximumMessages: Int
    /// A completed sheet of this questionnaire after the start stops the messages.
    package var until: String?

    /// Creates a rule; by default it sends one message per start.
    package init(
        code: String, trigger: Trigger, firstAfter: Int, repeatEvery: Int = NotificationRule.lifetime,
        maximumMessages: Int = 1,
        until: String? = nil
    ) {
        self.code = code
        self.trigger = trigger
        self.firstAfter = firstAfter
        self.repeatEvery = repeatEvery
        self.maximumMessages = maximumMessages
        self.until = until
    }

    /// Seconds for which the only message of a rule stays useful: one week.
    package static let lifetime = 7 * 86_400
}

/// The activity of a participant from which notifications count.
package struct NotificationFacts: Sendable, Hashable {
    /// The last sheet or walk.
    package var lastActivity: Instant?
    /// Code of the named event -> its instant.
    package var events: [String: Instant]
    /// Code of the questionnaire -> completion of its last sheet.
    package var completions: [String: Instant]
    /// Pauses in chronological order. Time in a pause does not count as inactivity.
    package var pauses: [Pause]

    /// Creates the facts; by default nothing has happened.
    package init(
        lastActivity: Instant? = nil, events: [String: Instant] = [:],
        completions: [String: Instant] = [:], pauses: [Pause] = []
    ) {
        self.lastActivity = lastActivity
        self.events = events
        self.completions = completions
        self.pauses = pauses
    }

    /// The instant at which this number of seconds outside pauses has passed since `start`. Nil if an open-ended pause
    /// prevents it.
    func instant(_ seconds: Int, ofInactivitySince start: Instant) -> Instant? {
        var instant = start.adding(seconds: seconds)
        for pause in pauses where pause.from <= instant {
            guard let end = pause.to else { return nil }
            instant = instant.adding(milliseconds: max(0, end.milliseconds(since: max(pause.from, start))))
        }
        return instant
    }
}

extension Study {
    /// The earliest inactivity notification, if the participant has been inactive since this instant. Nil if the study
    /// has no such rule.
    package func firstNotification(ofInactivitySince start: Instant) -> Instant? {
        guard reminder != nil else { return nil }
        return notificationRules.filter { $0.trigger == .inactivity }.map {
            start.adding(seconds: $0.firstAfter)
        }.min()
    }
}

extension ReminderPlanner {
    /// All messages of the study's notification rules, postponed by quiet hours, including messages that were already
    /// claimed. The subject contains the start, so a new period of inactivity has separate messages.
    package func notifications() -> [Reminder] {
        guard let rule = study.reminder else { return [] }
        let end = zone.startOfDay(zone.local(of: enrolledAt).date.adding(days: study.days + 1))
        return study.notificationRules.flatMap { notification -> [Reminder] in
            let start: Instant
            switch notification.trigger {
            case .inactivity: start = max(facts.lastActivity ?? enrolledAt, enrolledAt)
            case .event(let code):
                guard let instant = facts.events[code] else { return [] }
                start = instant
            }
            if let until = notification.until, let done = facts.completions[until], done >= start {
                return []
            }
            func after(_ seconds: Int) -> Instant? {
                notification.trigger == .inactivity
                    ? facts.instant(seconds, ofInactivitySince: start) : start.adding(seconds: seconds)
            }
            return (0..<max(0, notification.maximumMessages)).compactMap { number -> Reminder? in
                let seconds = notification.firstAfter + number * notification.repeatEvery
                guard let nominal = after(seconds) else { return nil }
                let expiry = min(after(seconds + notification.repeatEvery) ?? end, end)
                let sendAt = rule.quietHours.postponed(nominal, zone: zone)
                guard nominal >= enrolledAt, sendAt < expiry else { return nil }
                let key = ReminderKey(
                    kind: .notification, subject: "\(notification.code)/\(start)", ordinal: number + 1)
                return Reminder(key: key, at: sendAt, expiresAt: expiry, occasions: [])
            }
        }
    }
}

extension ReminderPlanner {
    /// Whether an equivalent message was already sent after the start from which this notification counts. This happens
    /// if the start became known late:
    /// - Event: the instant of the event was corrected. A message with the same ordinal is a repetition.
    /// - Inactivity: a sheet or walk was uploaded late and splits a period of inactivity. Messages of the other period
    ///   count too: two messages of a rule are at least `repeatEvery` apart.
    ///
    /// An event or activity after the sent message is new and not a repetition.
    func isRepetition(_ notification: Reminder) -> Bool {
        guard
            let rule = study.notificationRules.first(where: { $0.code == notification.key.notificationCode }),
            let start = notification.key.notificationStart
        else { return false }
        return records.contains { record in
            guard !record.isUnsent, record.key.notificationCode == rule.code, start <= record.claimedAt else {
                return false
            }
            switch rule.trigger {
            case .event: return record.key.ordinal == notification.key.ordinal
            case .inactivity:
                let sentAt = record.plannedAt ?? record.claimedAt
                return record.key.subject != notification.key.subject
                    && notification.at < sentAt.adding(seconds: rule.repeatEvery)
            }
        }
    }
}

extension ReminderKey {
    /// The code of the notification rule. Nil for other kinds.
    package var notificationCode: String? {
        kind == .notification ? subject.split(separator: "/").first.map(String.init) : nil
    }

    /// The instant from which the notification counts. Nil for other kinds.
    fileprivate var notificationStart: Instant? {
        kind == .notification ? subject.split(separator: "/").last.flatMap { Instant(String($0)) } : nil
    }
}
