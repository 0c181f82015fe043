import HTTPTypes
import SaunterCore
import SaunterStore

/// The decision rules of a study, and how often each one acted.
struct RuleRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/rules", who: .researcher, tag: "Monitoring",
            summary: "List the decision rules of a study",
            description: """
                The rules of the live version in their order, with the stored decisions of all versions. A decision that \
                did nothing is stored only if the rule randomises or has `log: all`. Rules for administrators of groups \
                store no decisions. Decisions of participants who left with `exclude` or `erase` are not counted. In a \
                blinded study, callers who may not see arms get no text that names an arm; rules whose codes name an \
                arm are left out.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "rule", .string(minLength: 1, maxLength: 256), "Only the rule with this code."),
                QueryParameter(
                    "counts", .boolean,
                    """
                    Whether decisions are counted, which takes about a second for each million of them. The default is \
                    true.
                    """),
            ],
            outcomes: [
                .json(
                    .ok, "The rules.",
                    .object([
                        .required("items", .array(of: Self.schema), "The rules, in the order of the study."),
                        .required("study_version", .string(), "The live version of the study."),
                        .required("as_of", .instant, "The instant of the counts."),
                        .required(
                            "left_out", .integer(min: 0),
                            "The number of rules that are left out because their codes name a hidden arm."),
                    ]), example: Self.example)
            ], problems: [.notFound]
        ) { call in
            let (study, visibility) = try await context.visibleStudy(call)
            let wanted = call.query("rule")
            let all = study.rules.filter { wanted == nil || wanted == $0.code }
            let rules = all.filter { !visibility.isHidden($0.code) }
            let counts = try await counts(call, rules.map(\.code), of: study.code)
            return .json(
                .ok,
                [
                    "items": .array(
                        rules.map { rule in
                            Self.json(rule, counts.map { $0[rule.code] ?? [] }, visibility)
                        }),
                    "study_version": .string(study.version), "as_of": .instant(call.now),
                    "left_out": .int(all.count - rules.count),
                ])
        }
    }

    /// Rule -> the counts of its decisions; nil if the query asks for none.
    private func counts(
        _ call: Call<Identity>, _ rules: [String], of study: String
    ) async throws -> [String: [DecisionCount]]? {
        guard call.queryBool("counts") ?? true else { return nil }
        return Dictionary(
            grouping: try await context.store.countDecisions(of: rules, in: study), by: \.rule)
    }

    /// - Parameter counts: nil if decisions are not counted.
    private static func json(
        _ rule: DecisionRule, _ counts: [DecisionCount]?, _ visibility: RuleVisibility
    ) -> JSON {
        var members = HiddenMembers(visibility)
        let definition = rule.point.definition
        let numbers = Dictionary(
            (counts ?? []).map { ($0.outcome, $0.decisions) }, uniquingKeysWith: { first, _ in first })
        let outcomes = RuleOutcome.allCases.compactMap { outcome -> JSON? in
            numbers[outcome.rawValue].map {
                ["outcome": .string(outcome.rawValue), "decisions": .int($0)]
            }
        }
        return [
            "rule": .string(rule.code), "at": .string(rule.point.name),
            "at_text": members.visible(.string(definition.packText), at: "/at_text", of: definition),
            "recipient": .string(rule.recipient.rawValue),
            "when": members.visible(.optional(rule.condition, JSON.string), at: "/when"),
            "action": .string(rule.action.name),
            "action_code": members.visible(.optional(rule.actionCode, JSON.string), at: "/action_code"),
            "probability": .optional(rule.probability, JSON.double), "logs_all": .bool(rule.logsAll),
            "decisions": .optional(counts) { .int($0.reduce(0) { $0 + $1.decisions }) },
            "outcomes": .array(outcomes),
            "last_decided_at": .instant((counts ?? []).map(\.lastDecidedAt).max()), "hidden": members.json,
        ]
    }

    private static let example: JSON = [
        "items": [
            [
                "rule": "walk_suggestion", "at": "calendar",
                "at_text": "calendar: {times: [\"10:00\", \"14:00\"]}", "recipient": "participant",
                "when": "walks_today = 0", "action": "message", "action_code": nil, "probability": 0.6,
                "logs_all": false, "decisions": 240,
                "outcomes": [
                    ["outcome": "message", "decisions": 118], ["outcome": "when", "decisions": 40],
                    ["outcome": "randomised_out", "decisions": 82],
                ], "last_decided_at": "2026-11-21T13:00:00.120Z", "hidden": [],
            ]
        ], "study_version": "1.0.0", "as_of": "2026-11-21T17:30:00.000Z", "left_out": 0,
    ]

    private static let schema = Schema.named(
        "Rule",
        .object([
            .required("rule", .string(), "The code of the rule."),
            .required("at", .string(values: DecisionPoint.names), "The kind of the decision point."),
            .required(
                "at_text", .nullable(.string()), "When the rule is evaluated, as `at` in `rules.yaml`."),
            .required(
                "recipient", .string(values: DecisionRule.Recipient.allCases.map(\.rawValue)),
                "For whom the rule acts."),
            .required("when", .nullable(.string()), "The condition over variables; null for none."),
            .required(
                "action", .string(values: ["message", "award", "event", "alert", "report"]),
                "What the rule does."),
            .required(
                "action_code", .nullable(.string()),
                "The code of the award or event, or the reason of the alert; null for a message."),
            .required(
                "probability", .nullable(.number(min: 0, max: 1)),
                "The probability of the action; null if the rule does not randomise."),
            .required(
                "logs_all", .boolean, "Whether decisions that did nothing are stored too (`log: all`)."),
            .required(
                "decisions", .nullable(.integer(min: 0)),
                "The number of stored decisions; null if they are not counted."),
            .required(
                "outcomes",
                .array(
                    of: .object([
                        .required(
                            "outcome", .string(values: RuleOutcome.allCases.map(\.rawValue)),
                            "The action, or the step that stopped it."),
                        .required("decisions", .integer(min: 1), "The number of stored decisions."),
                    ])), "The stored decisions by outcome. Outcomes without decisions are left out."),
            .required(
                "last_decided_at", .nullable(.instant),
                "When the newest decision was made; null for none, and if they are not counted."),
            RuleVisibility.hiddenMember,
        ]))
}
