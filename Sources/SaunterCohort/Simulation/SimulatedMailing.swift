import SaunterCore

/// Every message to one made-up participant, by the rules that the server sends by and what it knows at each moment.
struct SimulatedMailing {
    private let life: SimulatedLife
    private let study: Study
    private let planner: Planner
    /// By their opening, as the plan has them.
    private let asked: [Asked]
    /// When the server hears of something that changes what is due, in order.
    private let news: [Instant]
    private var near: [Asked] = []
    /// How many have been among `near`.
    private var met = 0
    private var records: [ReminderRecord] = []
    private var numbers: SeededNumbers

    init(to life: SimulatedLife, study: Study, planner: Planner) {
        self.life = life
        self.study = study
        self.planner = planner
        // Before somebody leaves, nothing is set aside because of it.
        asked = life.occasions.filter { $0.setAside == nil || $0.setAside == .withdrawn }.map {
            Asked($0, receivedAt: life.receivedAt[$0.id], plannedAt: life.plannedAt[$0.id] ?? .minimum)
        }
        let course = life.course
        var news = Array(life.plannedAt.values)
        news += course.events.map { $0.at } + course.journeys.map(\.from)
        news += course.pauses.flatMap { [$0.from, $0.to].compactMap(\.self) }
        if !study.notices.isEmpty {
            news += Array(life.receivedAt.values) + life.unscheduled.map { $0.receivedAt }
            news += course.walks.map { course.received($0) }
        }
        self.news = Set(news).sorted()
        numbers = SeededNumbers(seed: 51, course.place)
    }

    mutating func all() -> [SimulatedReminder] {
        guard study.reminder != nil else { return [] }
        let status = planner.input.status
        var found: [SimulatedReminder] = []
        var now = life.course.joinedAt
        var heard = 0
        while now < life.until, status.isEnrolled(at: now) {
            let zone = planner.zone(at: now)
            let today = zone.local(of: now).date
            look(ahead: zone.startOfDay(today.adding(days: 2)), at: now)
            var prompting = prompting(at: now, zone, isSilent: status.isPaused(at: now))
            var decision = prompting.decision(at: now, waitedFor: now)
            if !decision.send.isEmpty {
                found.append(reminder(of: decision.send.distinctOccasions, at: now, today))
            }
            if !decision.send.isEmpty || !decision.drop.isEmpty {
                record(decision, at: now)
                prompting.records = records
                // The daily mail of this hour has had its turn.
                decision = prompting.decision(at: now, waitedFor: .maximum)
            }
            while heard < news.count, news[heard] <= now { heard += 1 }
            var moments = [decision.next, heard < news.count ? news[heard] : nil].compactMap(\.self)
            if met < asked.count {
                // By the next midnight another day is near, or later, where nothing opens on it.
                let opening = zone.local(of: asked[met].openAt).date
                moments.append(zone.startOfDay(max(today.adding(days: 1), opening.adding(days: -1))))
            }
            guard let next = moments.filter({ $0 > now }).min() else { break }
            now = next
        }
        return found
    }

    /// Whatever a message of now, or of before the next look, could tell of.
    private mutating func look(ahead horizon: Instant, at now: Instant) {
        while met < asked.count, asked[met].openAt < horizon {
            near.append(asked[met])
            met += 1
        }
        // A message of the moment at which the sheet comes goes out before it.
        near.removeAll { $0.closeAt <= now || $0.receivedAt.map { $0 < now } ?? false }
        let open = Set(near.map(\.subject))
        let old = now.adding(seconds: -2 * 86_400)
        records.removeAll { $0.claimedAt < old && $0.key.kind != .notice && !open.contains($0.key.subject) }
    }

    private func prompting(at now: Instant, _ zone: Zone, isSilent: Bool) -> Prompting {
        Prompting(
            study: study, occasions: near.filter { $0.plannedAt <= now }.map(\.unanswered), zone: zone,
            enrolledAt: life.course.joinedAt, plannedThrough: .maximum, isSilent: isSilent, records: records,
            facts: study.notices.isEmpty ? NoticeFacts() : facts(at: now))
    }

    private func facts(at now: Instant) -> NoticeFacts {
        let course = life.course
        var facts = NoticeFacts()
        facts.lastActivity = course.walks.last { course.received($0) <= now }
        for event in course.events where event.at <= now { facts.events[event.code] = event.at }
        facts.pauses = planner.input.status.pauses.filter { $0.from <= now }.map { pause in
            // How long one lasts, nobody knows before it ends.
            Pause(from: pause.from, to: pause.to.flatMap { $0 <= now ? $0 : nil })
        }
        func note(_ questionnaire: String, _ at: Instant, receivedAt: Instant) {
            guard receivedAt <= now else { return }
            facts.completions[questionnaire] = max(facts.completions[questionnaire] ?? .minimum, at)
            facts.lastActivity = max(facts.lastActivity ?? .minimum, at)
        }
        for occasion in life.occasions {
            guard let at = occasion.completedAt else { continue }
            note(occasion.questionnaire, at, receivedAt: life.receivedAt[occasion.id] ?? at)
        }
        for sheet in life.unscheduled { note(sheet.questionnaire, sheet.at, receivedAt: sheet.receivedAt) }
        return facts
    }

    private func reminder(of occasions: [Occasion], at now: Instant, _ date: LocalDate) -> SimulatedReminder {
        let ids = Set(occasions.map(\.id))
        let answered = near.count { asked in
            asked.completedAt.map { $0 < now } ?? false && ids.contains(asked.unanswered.id)
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

    /// An occasion that messages may tell of.
    private struct Asked {
        /// As the server knows it until it gets the sheet.
        let unanswered: Occasion
        let subject: String
        let completedAt: Instant?
        let receivedAt: Instant?
        let plannedAt: Instant

        init(_ occasion: Occasion, receivedAt: Instant?, plannedAt: Instant) {
            var unanswered = occasion
            unanswered.setAside = nil
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
