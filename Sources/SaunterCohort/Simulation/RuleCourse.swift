import Foundation
import SaunterCore

/// The decision rules of one simulated participant over time, evaluated as the server evaluates them, with its
/// knowledge at each instant. The caller decides when, and sends the messages.
struct RuleCourse {
    /// All decisions in the order in which they were made, including those that a server does not store. They are kept
    /// without the values of variables, because there can be very many.
    private(set) var decisions: [RuleDecision] = []
    /// When the rules are evaluated next without a new record; nil if nothing is planned.
    private(set) var nextCheck: Instant?
    private let plan: RulePlan
    private let participant: ParticipantSimulation
    private let status: EnrolmentStatus
    /// In the order of arrival.
    private let sheets: [SimulatedRules.Sheet]
    private let walks: [SimulatedRules.Walk]
    private var arrivedSheets = 0
    private var arrivedWalks = 0
    private var settingSheets: [VariableFacts.Sheet] = []
    private var facts: RuleFacts
    private var decidedUntil: Instant

    /// How long a server remembers messages for the limits of rules, in seconds.
    private static let messageMemory = 32 * 86_400
    /// Decisions at points of dates that are older than these seconds are only needed for `cooldown`.
    private static let decisionMemory = 40 * 86_400
    /// Old decisions are removed when there are so many.
    private static let maximumDecisions = 1000

    /// - Parameter status: the breaks as the server knows them.
    init(_ rules: SimulatedRules, of participant: ParticipantSimulation, status: EnrolmentStatus) {
        let course = participant.course
        plan = rules.plan
        self.participant = participant
        self.status = status
        sheets = rules.sheets(of: participant)
        walks = rules.walks(of: participant)
        facts = RuleFacts(
            enrolment: participant.enrolmentID, seed: rules.drawSeed,
            variables: VariableFacts(enrolledAt: course.joinedAt, zones: []),
            settings: plan.study.settings(from: [], at: course.joinedAt).values)
        decidedUntil = course.joinedAt
        nextCheck = course.joinedAt
    }

    /// Whether a record arrives at this instant, or arrived before and is not known to the rules yet.
    func hasArrivals(at now: Instant) -> Bool {
        arrivedSheets < sheets.count && sheets[arrivedSheets].receivedAt <= now
            || arrivedWalks < walks.count && walks[arrivedWalks].receivedAt <= now
    }

    /// Evaluates the rules with the records that arrived before.
    /// - Returns: the new decisions.
    mutating func evaluate(at now: Instant) -> [RuleDecision] { evaluate(at: now, sheets: [], walks: []) }

    /// Adds the records that arrive at this instant, and evaluates the rules, also after these records.
    /// - Returns: the new decisions.
    mutating func addArrivals(at now: Instant) -> [RuleDecision] {
        var arrived: [(id: SheetID, questionnaire: String)] = []
        while arrivedSheets < sheets.count, sheets[arrivedSheets].receivedAt <= now {
            let sheet = sheets[arrivedSheets]
            arrivedSheets += 1
            arrived.append((sheet.id, sheet.questionnaire))
            if plan.needs.questionnaires.contains(sheet.questionnaire) {
                facts.variables.sheets.append(sheet.fact)
            }
            if plan.study.settings.contains(sheet.questionnaire) {
                settingSheets.append(sheet.fact)
                (facts.settings, facts.settingsSince) = plan.study.settings(from: settingSheets, at: now)
            }
            facts.lastActivity = max(facts.lastActivity ?? .minimum, sheet.fact.completedAt)
        }
        var arrivedIDs: Set<UUID> = []
        while arrivedWalks < walks.count, walks[arrivedWalks].receivedAt <= now {
            let walk = walks[arrivedWalks]
            arrivedWalks += 1
            arrivedIDs.insert(walk.id)
            if plan.needs.walks { facts.variables.walks.append(walk.fact) }
            facts.lastActivity = max(facts.lastActivity ?? .minimum, walk.endedAt)
        }
        return evaluate(at: now, sheets: arrived, walks: arrivedIDs)
    }

    /// Adds a message that is not from a rule. It counts for the daily maximum.
    /// - Parameters:
    ///   - plannedAt: the planned time of the earliest reminder in it.
    ///   - notifications: the codes of the notification rules whose text it contains.
    mutating func addReminder(plannedAt: Instant, notifications: [String], sentAt: Instant) {
        facts.messages.append(RuleFacts.Message(rule: nil, at: plannedAt))
        for rule in notifications { addSentMessage(of: rule, at: sentAt) }
    }

    /// Adds a message that was sent, for the variables.
    mutating func addSentMessage(of rule: String, at sentAt: Instant) {
        guard plan.needs.messages else { return }
        facts.variables.messages.append(VariableFacts.Message(rule: rule, sentAt: sentAt))
    }

    /// Removes a message that was suppressed while it waited for the end of the quiet hours.
    mutating func removeMessage(of rule: String, at sendAt: Instant) {
        guard let index = facts.messages.lastIndex(where: { $0.rule == rule && $0.at == sendAt }) else {
            return
        }
        facts.messages.remove(at: index)
    }

    private mutating func evaluate(
        at now: Instant, sheets: [(id: SheetID, questionnaire: String)], walks: Set<UUID>
    ) -> [RuleDecision] {
        updateFacts(at: now)
        var planner = RulePlanner(plan: plan, facts: facts)
        let made = planner.decisions(at: now, after: decidedUntil, sheets: sheets, records: walks)
        facts.add(made.filter(\.isLogged))
        for decision in made where decision.outcome == .event {
            guard case .event(let code) = decision.action else { continue }
            facts.variables.events[code] = min(facts.variables.events[code] ?? now, now)
            planner.facts.variables.events[code] = facts.variables.events[code]
        }
        nextCheck = planner.nextCheck(after: now)
        facts.awards.subtract(planner.revokedAwards(at: now))
        decidedUntil = now
        decisions += made.map { decision in
            var kept = decision
            (kept.variables, kept.lines) = ([:], [])
            return kept
        }
        return made
    }

    private mutating func updateFacts(at now: Instant) {
        let course = participant.course
        facts.isMuted = status.isPaused(at: now)
        facts.variables.zones =
            [ZoneChange(from: course.joinedAt, zone: course.home)] + course.journeys.filter { $0.from <= now }
        for event in course.events where event.at <= now {
            facts.variables.events[event.code] = min(facts.variables.events[event.code] ?? event.at, event.at)
        }
        if plan.needs.breaks {
            // The length of a break is unknown before it ends.
            facts.variables.breaks = status.pauses.filter { $0.from <= now }.map { pause in
                Pause(from: pause.from, to: pause.to.flatMap { $0 <= now ? $0 : nil })
            }
        }
        if plan.needs.occasions { facts.variables.occasions = occasions(at: now) }
        let oldestMessage = now.adding(seconds: -Self.messageMemory)
        facts.messages.removeAll { $0.at < oldestMessage }
        removeOldDecisions(at: now)
    }

    /// The occasions as the server knows them. Records of this instant are known if their arrival was added.
    private func occasions(at now: Instant) -> [Occasion] {
        let arrived = Set(sheets[..<arrivedSheets].map(\.id))
        return participant.occasions.compactMap { planned in
            guard participant.plannedAt[planned.id] ?? .minimum <= now else { return nil }
            var occasion = planned
            if occasion.exclusion == .withdrawn { occasion.exclusion = nil }
            if let sheet = occasion.sheetID, !arrived.contains(sheet) {
                occasion.completedAt = nil
                occasion.sheetID = nil
            }
            return occasion
        }
    }

    /// A point of a date is decided once, soon after its moment. Later its decision counts only for `cooldown`.
    private mutating func removeOldDecisions(at now: Instant) {
        guard facts.decisions.count > Self.maximumDecisions else { return }
        let oldest = now.adding(seconds: -Self.decisionMemory)
        var newestActions: [String: Instant] = [:]
        for decision in facts.decisions where decision.outcome.isAction {
            newestActions[decision.rule] = max(newestActions[decision.rule] ?? .minimum, decision.decidedAt)
        }
        let lasting = Set(
            plan.study.rules.filter { if case .after = $0.point { true } else { false } }.map(\.code))
        facts.decisions.removeAll { decision in
            decision.decidedAt < oldest && !lasting.contains(decision.rule)
                && newestActions[decision.rule] != decision.decidedAt
        }
    }
}
