/// Everything from which one participant's reminders follow.
package struct Prompting: Sendable {
    package var study: Study
    /// Those that are stored.
    package var occasions: [Occasion]
    package var zone: Zone
    /// The participant's own time for the daily mail.
    package var chosen: LocalTime?
    package var enrolledAt: Instant
    /// `LocalDate.maximum` when the occasions are all there will be.
    package var plannedThrough: LocalDate
    /// Nothing goes out: a break, a switch, the end.
    package var isSilent: Bool
    /// Of all occasions that are still open, and of the last two days; of notices all.
    package var records: [ReminderRecord]
    package var snoozes: [Snooze]
    package var facts: NoticeFacts
    /// Since when this version of the study is followed; `Instant.minimum` for as long as they have been enrolled.
    package var followedFrom: Instant
    /// The moment that is waited for; where it has passed, nobody has looked since.
    package var waitingSince: Instant?

    package init(
        study: Study, occasions: [Occasion], zone: Zone, chosen: LocalTime? = nil, enrolledAt: Instant,
        plannedThrough: LocalDate, isSilent: Bool = false, records: [ReminderRecord] = [],
        snoozes: [Snooze] = [], facts: NoticeFacts = NoticeFacts(), followedFrom: Instant = .minimum,
        waitingSince: Instant? = nil
    ) {
        self.study = study
        self.occasions = occasions
        self.zone = zone
        self.chosen = chosen
        self.enrolledAt = enrolledAt
        self.plannedThrough = plannedThrough
        self.isSilent = isSilent
        self.records = records
        self.snoozes = snoozes
        self.facts = facts
        self.followedFrom = followedFrom
        self.waitingSince = waitingSince
    }

    /// So long after the study's last day nobody is looked at any more.
    package static let daysAfterTheEnd = 60

    /// A message that nobody's device confirms goes out so many times more.
    static let mostResends = 2

    /// Reminders that nobody claimed yet, of occasions that can still be answered and by rules that no occasion asks for, in the order of their moments. Those whose moment has passed
    /// are among them. In quiet hours a moment is moved to their end, and dropped where the window is closed by then.
    func prompts(at now: Instant) -> [Prompt] {
        guard let rule = study.reminder else { return [] }
        let schedules = Dictionary(study.schedules.map { ($0.id, $0) }) { first, _ in first }
        let claimed = Set(records.map(\.key))
        let recordsOf = Dictionary(grouping: records, by: \.key.subject)
        let snoozesOf = Dictionary(grouping: snoozes, by: \.occasion)
        // What waited to go out when a version came was the former one's word, and goes out yet.
        let origin = min(followedFrom, waitingSince ?? .maximum)
        var found: [Prompt] = []
        for occasion in occasions
        where !occasion.isAnswered && occasion.setAside == nil && occasion.window.closeAt > now {
            let snoozes = snoozesOf[occasion.id] ?? []
            let records = recordsOf[occasion.id.description] ?? []
            var own = schedules[occasion.key.schedule]?.prompts(of: occasion) ?? []
            // What opened before somebody enrolled is in front of them.
            own.removeAll { $0.at < enrolledAt }
            // What a version would have said before somebody followed it is not made up for.
            own.removeAll { rule.awake($0.at, zone: zone) < origin }
            let ruled = Set(own.map(\.key))
            // Whoever changes their mind means the last word: an earlier end neither holds anything back nor reminds.
            let snooze = snoozes.standing(at: now)
            if let snooze { own.append(prompt(.snoozed, snooze.ordinal, of: occasion, at: snooze.until)) }
            // A rule is known by its place among its kind, which another version of the study may move: then the same moment has another name, but
            // nobody is told twice.
            let used = Set(records.filter { !$0.isUnsent }.compactMap(\.plannedAt))
            if let again = resend(occasion, records, snoozes, rule) {
                own.append(again)
            }
            for var prompt in own where !claimed.contains(prompt.key) {
                prompt.at = rule.awake(prompt.at, zone: zone)
                // A snooze holds back what would come before its end, and what nobody has sent yet when it is asked for.
                let isHeld = snooze.map { prompt.at < $0.until } ?? false
                let isTold = ruled.contains(prompt.key) && used.contains(prompt.at)
                if prompt.at < prompt.expiresAt, !isHeld, !isTold { found.append(prompt) }
            }
        }
        found += notices().filter {
            $0.expiresAt > now && $0.at >= origin && !claimed.contains($0.key) && !wasSaid($0)
        }
        return found.sorted(by: Self.comesBefore)
    }

    /// A second, third message after one whose arrival is unconfirmed.
    private func resend(
        _ occasion: Occasion, _ records: [ReminderRecord], _ snoozes: [Snooze], _ rule: ReminderRule
    ) -> Prompt? {
        guard let wait = rule.resendAfter else { return nil }
        let sent = records.filter { $0.sentAt != nil }.sorted {
            ($0.sentAt ?? .minimum) < ($1.sentAt ?? .minimum)
        }
        let ordinal = sent.count { $0.key.kind == .resend } + 1
        // Whoever confirms one of a message and its repetitions has been told.
        let alike = sent[(sent.lastIndex { $0.key.kind != .resend } ?? 0)...]
        guard let last = sent.last, let sentAt = last.sentAt, !alike.contains(where: \.isConfirmed),
            ordinal <= Self.mostResends,
            !snoozes.contains(where: { $0.askedAt >= sentAt })
        else { return nil }
        return prompt(.resend, ordinal, of: occasion, at: sentAt.adding(seconds: wait))
    }

    private func prompt(
        _ kind: PromptKind, _ ordinal: Int, of occasion: Occasion, at moment: Instant
    ) -> Prompt {
        Prompt(
            key: PromptKey(kind, of: occasion, ordinal: ordinal), at: moment,
            expiresAt: occasion.window.closeAt, occasions: [occasion])
    }

    static func comesBefore(_ left: Prompt, _ right: Prompt) -> Bool {
        (left.at, left.key.subject, left.key.kind.rawValue, left.key.ordinal)
            < (right.at, right.key.subject, right.key.kind.rawValue, right.key.ordinal)
    }

    /// The daily mail of a local date, with what is due at this moment; nil when nothing is.
    func daily(on date: LocalDate, hour: Instant, at moment: Instant) -> Prompt? {
        let due = self.due(at: moment)
        guard !due.isEmpty else { return nil }
        return Prompt(
            key: PromptKey(kind: .dueToday, subject: date.description, ordinal: 1), at: hour,
            expiresAt: zone.startOfDay(date.adding(days: 1)), occasions: due)
    }

    /// Messages that went out, may have, or still will, by the local date on which they were claimed.
    func messages(on date: LocalDate) -> Int {
        Set(
            records.filter { !$0.isUnsent && zone.local(of: $0.claimedAt).date == date }.map(
                \.message)
        )
        .count
    }
}
