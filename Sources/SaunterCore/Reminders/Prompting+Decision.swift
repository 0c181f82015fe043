/// What follows for a participant whose moment has come.
package struct ReminderDecision: Sendable, Hashable {
    /// When to look at them again; nil = not before their plan changes.
    package var next: Instant?
    /// These go out now, together in one message.
    package var send: [Prompt]
    /// These are over the day's count, and stay unsent for good.
    package var drop: [Prompt]

    package init(next: Instant?, send: [Prompt] = [], drop: [Prompt] = []) {
        self.next = next
        self.send = send
        self.drop = drop
    }
}

extension Prompting {
    /// When to look at this participant: at the first reminder that nobody claimed, which may have passed, or at the first daily hour with
    /// something due.
    package func next(at now: Instant) -> Instant? {
        let first = prompts(at: now).first { !isSilent || $0.at > now }?.at
        return [first, nextDaily(after: now)].compactMap { $0 }.min()
    }

    /// - Parameter waitedFor: the moment that was waited for: a daily hour before it was looked at then.
    package func decision(at now: Instant, waitedFor: Instant) -> ReminderDecision {
        guard let rule = study.reminder else { return ReminderDecision(next: nil) }
        let prompts = prompts(at: now)
        let later = prompts.first { $0.at > now }?.at
        var next = [later, nextDaily(after: now)].compactMap { $0 }.min()
        guard !isSilent else { return ReminderDecision(next: next) }
        var pending = prompts.filter { $0.at <= now }
        let awake = rule.awake(now, zone: zone)
        guard awake == now else {
            // What nobody sent in time waits for the morning; the daily mail has had its day.
            if pending.contains(where: { awake < $0.expiresAt }) { next = min(next ?? .maximum, awake) }
            return ReminderDecision(next: next)
        }
        let today = zone.local(of: now).date
        if let hour = rule.hour(of: today, chosen: chosen, zone: zone), waitedFor <= hour, hour <= now,
            let mail = daily(on: today, hour: hour, at: now),
            !records.contains(where: { $0.key == mail.key })
        {
            pending.append(mail)
        }
        if let most = rule.mostPerDay, messages(on: today) >= most {
            return ReminderDecision(next: next, drop: pending)
        }
        return ReminderDecision(next: next, send: pending)
    }

    private func nextDaily(after now: Instant) -> Instant? {
        study.nextReminder(
            after: now, chosen: chosen, zone: zone, occasions: unnamed, plannedThrough: plannedThrough)
    }
}
