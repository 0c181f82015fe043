import SaunterCore

/// The decisions of one rule in a dry run.
package struct RuleFigures: Sendable, Hashable {
    /// The code of the rule.
    package let rule: String
    /// The name of the action, such as `message`.
    package let action: String
    /// Whether a server stores every decision of the rule, and not only its actions.
    package let storesAll: Bool
    private let sendsMessages: Bool
    /// The number of decision points that were decided.
    package private(set) var points = 0
    /// The number of points at which no step before the draw stopped the rule.
    package private(set) var available = 0
    /// The number of points by their outcome.
    package private(set) var outcomes: [RuleOutcome: Int] = [:]
    /// The messages of the rule.
    package private(set) var messages = RuleMessages()

    init(_ rule: DecisionRule) {
        self.rule = rule.code
        action = rule.action.name
        storesAll = rule.logsAll || rule.probability != nil
        sendsMessages = rule.message != nil
    }

    /// The decisions that a server stores, by outcome.
    package var stored: [RuleOutcome: Int] { outcomes.filter { storesAll || $0.key.isAction } }

    /// Adds the decisions of other participants.
    mutating func add(_ other: RuleFigures) {
        points += other.points
        available += other.available
        outcomes.merge(other.outcomes, uniquingKeysWith: +)
        messages.add(other.messages)
    }

    /// Adds the decisions of one participant.
    mutating func add(_ decisions: [RuleDecision], of participant: ParticipantSimulation) {
        points += decisions.count
        available += decisions.count { $0.isAvailable }
        for decision in decisions { outcomes[decision.outcome, default: 0] += 1 }
        messages.add(decisions, of: participant)
    }

    func json(participantDays: Int) -> JSON {
        var object: JSONObject = [
            "rule": .string(rule), "action": .string(action), "points": .int(points),
            "available": .int(available), "outcomes": .object(Self.json(outcomes)),
        ]
        if sendsMessages {
            for member in messages.json(participantDays: participantDays).members {
                object[member.name] = member.value
            }
        }
        return .object(object)
    }

    /// Outcome -> count, in the order of the enumeration.
    package static func json(_ outcomes: [RuleOutcome: Int]) -> JSONObject {
        JSONObject(
            RuleOutcome.allCases.compactMap { outcome in
                outcomes[outcome].map { .init(name: outcome.rawValue, value: .int($0)) }
            })
    }
}

/// The number of messages of rules.
package struct RuleMessages: Sendable, Hashable {
    /// The number of messages to all participants.
    package private(set) var count = 0
    /// The largest number of messages to one participant in one week of the participant's study, which begins on the
    /// day of joining.
    package private(set) var maximumPerWeek = 0

    mutating func add(_ other: RuleMessages) {
        count += other.count
        maximumPerWeek = max(maximumPerWeek, other.maximumPerWeek)
    }

    mutating func add(_ decisions: [RuleDecision], of participant: ParticipantSimulation) {
        var byWeek: [Int: Int] = [:]
        for decision in decisions where decision.outcome == .message {
            let at = decision.sendAt ?? decision.decidedAt
            let date = participant.course.zone(at: at).local(of: at).date
            byWeek[(date.days - participant.enrolledOn.days) / 7, default: 0] += 1
            count += 1
        }
        maximumPerWeek = max(maximumPerWeek, byWeek.values.max() ?? 0)
    }

    /// The mean number of messages to a participant in seven days, to two decimals.
    package func perWeek(participantDays: Int) -> Double {
        participantDays > 0 ? (Double(count) * 700 / Double(participantDays)).rounded() / 100 : 0
    }

    func json(participantDays: Int) -> JSONObject {
        [
            "messages": .int(count),
            "messages_per_week": .double(perWeek(participantDays: participantDays)),
            "most_messages_a_week": .int(maximumPerWeek),
        ]
    }
}
