import Testing

@testable import SaunterCore

/// Studies with decision rules, and participants in Berlin who enrolled on Tuesday, 2026-10-20, at 10:00.
enum RuleSamples {
    static func study(
        _ rules: [DecisionRule], _ variables: [TailoringVariable] = [], days: Int = 400, most: Int? = nil,
        quiet: (String, String) = ("21:00", "08:00")
    ) -> Study {
        var study = VariableSamples.study(variables)
        study.days = days
        study.rules = rules
        study.settings = ["prompts"]
        study.reminder = ReminderRule(
            at: nil, quietFrom: LocalTime(quiet.0) ?? .midnight, quietTo: LocalTime(quiet.1) ?? .midnight,
            maximumPerDay: most)
        return study
    }

    static func message(
        _ code: String, _ point: DecisionPoint, _ change: (inout DecisionRule) -> Void = { _ in }
    ) -> DecisionRule {
        var rule = DecisionRule(code: code, point: point, action: .message(.init()))
        change(&rule)
        return rule
    }

    static func facts(
        _ sheets: [VariableFacts.Sheet] = [], zone: String = "Europe/Berlin",
        _ change: (inout RuleFacts) throws -> Void = { _ in }
    ) throws -> RuleFacts {
        var facts = RuleFacts(
            enrolment: Sample.enrolment, seed: Sample.seed, variables: try VariableFacts(in: zone, sheets))
        try change(&facts)
        return facts
    }

    static func planner(_ study: Study, _ facts: RuleFacts) -> RulePlanner {
        RulePlanner(plan: RulePlan(study), facts: facts)
    }

    /// The points of the first rule as `local time point key`, on the participant's clock.
    static func points(
        _ rule: DecisionRule, _ facts: RuleFacts, from: String, through: String, now: String? = nil,
        variables: [TailoringVariable] = [], days: Int = 400
    ) throws -> [String] {
        let planner = planner(study([rule], variables, days: days), facts)
        let end = try at(through)
        let points = planner.points(
            of: rule.code, from: try at(from), through: end, at: try now.map { try at($0) } ?? end)
        return points.map { point in
            let zone = facts.variables.zones.zone(
                at: point.moment, enrolledAt: facts.variables.enrolledAt, fallback: .utc)
            let local = zone.local(of: point.moment)
            return "\(local.date) \(local.time) \(point.point)" + (point.key.isEmpty ? "" : " \(point.key)")
        }
    }

    static func times(_ texts: String...) -> [DecisionPoint.Input<LocalTime>] {
        texts.compactMap { LocalTime($0).map { .literal($0) } }
    }

    static func daily(_ time: String) -> DecisionPoint { .calendar(.init(times: times(time))) }
}

extension RuleDecision {
    /// `rule point key outcome`.
    var summary: String {
        [point.rule, point.point, point.key, outcome.rawValue].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
