/// One planned message. All reminders of the same instant are sent as one message.
package struct PlannedMessage: Sendable, Hashable {
    /// When the message is sent.
    package var at: Instant
    /// The reminders that are sent together, at least one.
    package var reminders: [Reminder]

    /// The occasions of all reminders, without duplicates, sorted by opening.
    package var occasions: [Occasion] { reminders.distinctOccasions }
}

extension ReminderPlanner {
    /// The next messages if nothing is answered until then. Devices use them to schedule local notifications. Messages
    /// above the daily maximum are left out. If the study has no reminder rule, there is one message per opening.
    package func upcomingMessages(after now: Instant, limit: Int) -> [PlannedMessage] {
        guard !isMuted, limit > 0 else { return [] }
        guard let rule = study.reminder else {
            return messages(openings(after: now), limit: limit, dailyMaximum: nil)
        }
        let reminders =
            reminders(at: now).filter { $0.at > now } + dailyMails(after: now)
        return messages(
            reminders.sorted(by: Self.comesBefore), limit: limit, dailyMaximum: rule.maximumPerDay)
    }

    private func messages(_ reminders: [Reminder], limit: Int, dailyMaximum: Int?) -> [PlannedMessage] {
        var found: [PlannedMessage] = []
        var counts: [LocalDate: Int] = [:]
        var rest = reminders[...]
        while let first = rest.first, found.count < limit {
            let simultaneous = rest.prefix { $0.at == first.at }
            rest = rest.dropFirst(simultaneous.count)
            let date = zone.local(of: first.at).date
            let count = counts[date] ?? messageCount(on: date)
            if let dailyMaximum, count >= dailyMaximum { continue }
            counts[date] = count + 1
            found.append(PlannedMessage(at: first.at, reminders: Array(simultaneous)))
        }
        return found
    }

    /// Daily mails for the days with stored occasions.
    private func dailyMails(after now: Instant) -> [Reminder] {
        let occasions = unannounced
        guard let last = occasions.map(\.window.closeAt).max() else { return [] }
        let claimed = Set(records.map(\.key))
        var found: [Reminder] = []
        var before = now
        for _ in 0..<Self.maximumDailyMails {
            // Continues at the next mail time with a due occasion, even if it is many days later.
            guard
                let mailTime = study.nextDailyMail(
                    after: before, preferredTime: preferredTime, zone: zone, occasions: occasions,
                    plannedThrough: .maximum),
                mailTime < last
            else { break }
            let mail = dailyMail(on: zone.local(of: mailTime).date, mailTime: mailTime, at: mailTime)
            if let mail, !claimed.contains(mail.key) { found.append(mail) }
            before = mailTime
        }
        return found
    }

    private func openings(after now: Instant) -> [Reminder] {
        occasions.filter { $0.state(at: now) == .upcoming }.map { occasion in
            Reminder(
                key: ReminderKey(.atOpen, of: occasion, ordinal: 1), at: occasion.window.openAt,
                expiresAt: occasion.window.closeAt, occasions: [occasion])
        }.sorted(by: Self.comesBefore)
    }

    private static let maximumDailyMails = 60
}
