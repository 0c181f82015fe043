import SaunterCore

/// Computes every message to one simulated participant, with the rules of the server and its knowledge at each instant.
struct MessageSimulation {
    private let participant: ParticipantSimulation
    private let study: Study
    private let planner: Planner
    /// The planned occasions, in the order of opening.
    private let occasions: [AnnounceableOccasion]
    /// When the server receives information that changes which messages are due, in the order of time.
    private let changes: [Instant]
    /// The occasions that a message now, or before the next check, can announce.
    private var upcoming: [AnnounceableOccasion] = []
    /// How many occasions have been added to `upcoming`.
    private var addedCount = 0
    private var records: [ReminderRecord] = []
    private var numbers: SeededNumbers

    init(for participant: ParticipantSimulation, study: Study, planner: Planner) {
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
        var changes = Array(participant.plannedAt.values)
        changes += course.events.map { $0.at } + course.journeys.map(\.from)
        changes += course.pauses.flatMap { [$0.from, $0.to].compactMap(\.self) }
        if !study.notificationRules.isEmpty {
            changes += Array(participant.receivedAt.values) + participant.unscheduled.map { $0.receivedAt }
            changes += course.walks.map { course.receiptTime(of: $0) }
        }
        self.changes = Set(changes).sorted()
        numbers = SeededNumbers(seed: 51, course.index)
    }

    /// Computes all messages, in the order of sending.
    mutating func reminders() -> [SimulatedReminder] {
        guard study.reminder != nil else { return [] }
        let status = planner.input.status
        var sent: [SimulatedReminder] = []
        var now = participant.course.joinedAt
        var seenChanges = 0
        while now < participant.until, status.isEnrolled(at: now) {
            let zone = planner.zone(at: now)
            let today = zone.local(of: now).date
            updateUpcoming(openingBefore: zone.startOfDay(today.adding(days: 2)), at: now)
            var reminderPlanner = reminderPlanner(at: now, zone, isMuted: status.isPaused(at: now))
            var decision = reminderPlanner.decision(at: now, scheduledAt: now)
            if !decision.send.isEmpty {
                sent.append(reminder(of: decision.send.distinctOccasions, at: now, today))
            }
            if !decision.send.isEmpty || !decision.drop.isEmpty {
                record(decision, at: now)
                reminderPlanner.records = records
                // The daily mail of this hour has been handled.
                decision = reminderPlanner.decision(at: now, scheduledAt: .maximum)
            }
            while seenChanges < changes.count, changes[seenChanges] <= now { seenChanges += 1 }
            let nextChange = seenChanges < changes.count ? changes[seenChanges] : nil
            var moments = [decision.next, nextChange].compactMap(\.self)
            if addedCount < occasions.count {
                // The next check is at midnight, or later if no occasion opens before.
                let opening = zone.local(of: occasions[addedCount].openAt).date
                moments.append(zone.startOfDay(max(today.adding(days: 1), opening.adding(days: -1))))
            }
            guard let next = moments.filter({ $0 > now }).min() else { break }
            now = next
        }
        return sent
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
