import SaunterCore

/// Computes every message to one simulated participant, and every decision of the study's rules, with the rules of the
/// server and its knowledge at each instant.
struct MessageSimulation {
    /// The messages in the order of sending.
    private(set) var sent: [SimulatedReminder] = []
    private let participant: ParticipantSimulation
    private let study: Study
    private let planner: Planner
    /// The planned occasions, in the order of opening.
    private let occasions: [AnnounceableOccasion]
    /// When events, journeys, and the beginnings and ends of breaks change what rules decide.
    private let conditions: Set<Instant>
    /// When the server receives information that changes which messages are due, in the order of time.
    private let changes: [Instant]
    /// The occasions that a message now, or before the next check, can announce.
    private var upcoming: [AnnounceableOccasion] = []
    /// How many occasions have been added to `upcoming`.
    private var addedCount = 0
    private var records: [ReminderRecord] = []
    /// Nil for a study without decision rules.
    private var rules: RuleCourse?
    /// Messages of rules that are not sent yet.
    private var queued: [(message: MessageID, decision: RuleDecision, sendAt: Instant)] = []
    private var numbers: SeededNumbers

    /// - Parameter rules: nil for a study without decision rules.
    init(
        for participant: ParticipantSimulation, study: Study, planner: Planner, rules: SimulatedRules? = nil
    ) {
        self.participant = participant
        self.study = study
        self.planner = planner
        // Until a participant leaves, no occasion is excluded for this reason.
        occasions = participant.occasions.filter { $0.exclusion == nil || $0.exclusion == .withdrawn }.map {
            AnnounceableOccasion(
                $0, receivedAt: participant.receivedAt[$0.id],
                plannedAt: participant.plannedAt[$0.id] ?? .minimum)
        }
        let course = participant.course
        conditions = Set(
            course.events.map { $0.at } + course.journeys.map(\.from)
                + course.pauses.flatMap { [$0.from, $0.to].compactMap(\.self) })
        var changes = Array(participant.plannedAt.values) + conditions
        if !study.notificationRules.isEmpty || rules != nil {
            changes += Array(participant.receivedAt.values) + participant.unscheduled.map { $0.receivedAt }
            changes += course.walks.map { course.receiptTime(of: $0) }
        }
        self.changes = Set(changes).sorted()
        self.rules = rules.map { RuleCourse($0, of: participant, status: planner.input.status) }
        numbers = SeededNumbers(seed: 51, course.index)
    }

    /// The decisions of the study's rules, in the order in which they were made.
    var decisions: [RuleDecision] { rules?.decisions ?? [] }

    /// Computes all messages and decisions. At each instant the rules are evaluated first, then messages are sent, and
    /// then records arrive and the rules are evaluated again. Ends early if the task is cancelled.
    mutating func run() {
        guard study.reminder != nil || rules != nil else { return }
        let status = planner.input.status
        var now = participant.course.joinedAt
        var seenChanges = 0
        while now < participant.until, status.isEnrolled(at: now), !Task.isCancelled {
            let isCheck = rules?.nextCheck.map { $0 <= now } ?? false
            if isCheck || conditions.contains(now) { queue(rules?.evaluate(at: now) ?? [], at: now) }
            sendQueuedMessages(at: now)
            let nextReminder = study.reminder == nil ? nil : sendReminders(at: now)
            if rules?.hasArrivals(at: now) ?? false {
                queue(rules?.addArrivals(at: now) ?? [], at: now)
                sendQueuedMessages(at: now)
            }
            while seenChanges < changes.count, changes[seenChanges] <= now { seenChanges += 1 }
            let nextChange = seenChanges < changes.count ? changes[seenChanges] : nil
            let moments =
                [nextReminder, nextChange, rules?.nextCheck].compactMap(\.self) + queued.map(\.sendAt)
            guard let next = moments.filter({ $0 > now }).min() else { break }
            now = next
        }
    }

    /// Sends the reminders that are due.
    /// - Returns: when the next check is unless something changes before; nil if nothing is planned.
    private mutating func sendReminders(at now: Instant) -> Instant? {
        let zone = planner.zone(at: now)
        let today = zone.local(of: now).date
        updateUpcoming(openingBefore: zone.startOfDay(today.adding(days: 2)), at: now)
        var reminderPlanner = reminderPlanner(
            at: now, zone, isMuted: planner.input.status.isPaused(at: now))
        var decision = reminderPlanner.decision(at: now, scheduledAt: now)
        if !decision.send.isEmpty {
            sent.append(reminder(of: decision.send.distinctOccasions, at: now, today))
            rules?.addReminder(
                plannedAt: decision.send.map(\.at).min() ?? now,
                notifications: decision.send.compactMap(\.key.notificationCode), sentAt: now)
        }
        if !decision.send.isEmpty || !decision.drop.isEmpty {
            record(decision, at: now)
            reminderPlanner.records = records
            // The daily mail of this hour has been handled.
            decision = reminderPlanner.decision(at: now, scheduledAt: .maximum)
        }
        guard addedCount < occasions.count else { return decision.next }
        // The next check is at midnight, or later if no occasion opens before.
        let opening = zone.local(of: occasions[addedCount].openAt).date
        let midnight = zone.startOfDay(max(today.adding(days: 1), opening.adding(days: -1)))
        return [decision.next, midnight].compactMap(\.self).filter { $0 > now }.min()
    }

    /// Queues the messages of decisions, which are sent at once or when the quiet hours end. They count for the daily
    /// maximum of reminders from now on.
    private mutating func queue(_ decisions: [RuleDecision], at now: Instant) {
        for decision in decisions where decision.outcome == .message {
            let (point, message) = (decision.point, MessageID(numbers.uuid(at: now)))
            records.append(
                ReminderRecord(
                    key: ReminderKey(
                        kind: .rule, subject: "\(point.rule)/\(point.point)/\(point.key)", ordinal: 1),
                    message: message, plannedAt: decision.sendAt, claimedAt: now))
            queued.append((message, decision, decision.sendAt ?? now))
        }
    }

    /// Sends the messages whose time has come. A message is suppressed in a break. After a journey it can wait for the
    /// end of other quiet hours, unless it expires before.
    private mutating func sendQueuedMessages(at now: Instant) {
        let due = queued.filter { $0.sendAt <= now }
        guard !due.isEmpty else { return }
        queued.removeAll { $0.sendAt <= now }
        let zone = planner.zone(at: now)
        let allowedAt = study.reminder?.quietHours.postponed(now, zone: zone) ?? now
        for (message, decision, _) in due {
            let rule = decision.point.rule
            guard study.sends(decision) else {
                rules?.addSentMessage(of: rule, at: now)
                continue
            }
            let record = records.lastIndex { $0.message == message }
            guard !planner.input.status.isPaused(at: now), allowedAt < decision.point.expiresAt else {
                if let record { records[record].isUnsent = true }
                rules?.removeMessage(of: rule, at: decision.sendAt ?? decision.decidedAt)
                continue
            }
            guard allowedAt == now else {
                queued.append((message, decision, allowedAt))
                continue
            }
            if let record {
                records[record].claimedAt = now
                records[record].sentAt = now
            }
            rules?.addSentMessage(of: rule, at: now)
            sent.append(
                SimulatedReminder(
                    at: now, date: zone.local(of: now).date, count: 0, answeredCount: 0, rule: rule))
        }
    }

    /// Adds occasions to `upcoming`, and removes closed and answered ones. Also removes old reminder records.
    private mutating func updateUpcoming(openingBefore horizon: Instant, at now: Instant) {
        while addedCount < occasions.count, occasions[addedCount].openAt < horizon {
            upcoming.append(occasions[addedCount])
            addedCount += 1
        }
        // A message at the same instant as the sheet is sent before the sheet is received.
        upcoming.removeAll { $0.closeAt <= now || $0.receivedAt.map { $0 < now } ?? false }
        let open = Set(upcoming.map(\.subject))
        let limit = now.adding(seconds: -2 * 86_400)
        records.removeAll {
            $0.claimedAt < limit && $0.key.kind != .notification && !open.contains($0.key.subject)
        }
    }

    private func reminderPlanner(at now: Instant, _ zone: Zone, isMuted: Bool) -> ReminderPlanner {
        ReminderPlanner(
            study: study, occasions: upcoming.filter { $0.plannedAt <= now }.map(\.unanswered), zone: zone,
            enrolledAt: participant.course.joinedAt, plannedThrough: .maximum, isMuted: isMuted,
            records: records,
            facts: study.notificationRules.isEmpty ? NotificationFacts() : facts(at: now))
    }

    private func facts(at now: Instant) -> NotificationFacts {
        let course = participant.course
        var facts = NotificationFacts()
        facts.lastActivity = course.walks.last { course.receiptTime(of: $0) <= now }
        for event in course.events where event.at <= now { facts.events[event.code] = event.at }
        facts.pauses = planner.input.status.pauses.filter { $0.from <= now }.map { pause in
            // The length of a break is unknown before it ends.
            Pause(from: pause.from, to: pause.to.flatMap { $0 <= now ? $0 : nil })
        }
        func addCompletion(_ questionnaire: String, _ at: Instant, receivedAt: Instant) {
            guard receivedAt <= now else { return }
            facts.completions[questionnaire] = max(facts.completions[questionnaire] ?? .minimum, at)
            facts.lastActivity = max(facts.lastActivity ?? .minimum, at)
        }
        for occasion in participant.occasions {
            guard let at = occasion.completedAt else { continue }
            addCompletion(occasion.questionnaire, at, receivedAt: participant.receivedAt[occasion.id] ?? at)
        }
        for sheet in participant.unscheduled {
            addCompletion(sheet.questionnaire, sheet.at, receivedAt: sheet.receivedAt)
        }
        return facts
    }

    private func reminder(of occasions: [Occasion], at now: Instant, _ date: LocalDate) -> SimulatedReminder {
        let ids = Set(occasions.map(\.id))
        let answered = upcoming.count { occasion in
            occasion.completedAt.map { $0 < now } ?? false && ids.contains(occasion.unanswered.id)
        }
        return SimulatedReminder(at: now, date: date, count: occasions.count, answeredCount: answered)
    }

    private mutating func record(_ decision: ReminderDecision, at now: Instant) {
        let message = MessageID(numbers.uuid(at: now))
        records += decision.send.map {
            ReminderRecord(key: $0.key, message: message, plannedAt: $0.at, claimedAt: now, sentAt: now)
        }
        records += decision.drop.map {
            ReminderRecord(
                key: $0.key, message: message, plannedAt: $0.at, claimedAt: now, isUnsent: true)
        }
    }

    /// An occasion that messages can announce.
    private struct AnnounceableOccasion {
        /// The occasion as the server knows it before it receives the sheet.
        let unanswered: Occasion
        let subject: String
        let completedAt: Instant?
        let receivedAt: Instant?
        let plannedAt: Instant

        init(_ occasion: Occasion, receivedAt: Instant?, plannedAt: Instant) {
            var unanswered = occasion
            unanswered.exclusion = nil
            unanswered.completedAt = nil
            unanswered.sheetID = nil
            self.unanswered = unanswered
            subject = occasion.id.description
            completedAt = occasion.completedAt
            self.receivedAt = receivedAt
            self.plannedAt = plannedAt
        }

        var openAt: Instant { unanswered.window.openAt }
        var closeAt: Instant { unanswered.window.closeAt }
    }
}

extension Study {
    /// Whether a channel sends the message of a decision. Otherwise only the inbox of the app shows it.
    fileprivate func sends(_ decision: RuleDecision) -> Bool {
        let channels = reminder?.channels ?? [.mail]
        return channels.contains { $0 != .inApp && decision.channels?.contains($0) ?? true }
    }
}
