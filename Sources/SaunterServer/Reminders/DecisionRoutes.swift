import HTTPTypes
import SaunterCore
import SaunterStore

/// What the decision rules of a study decided, for researchers.
struct DecisionRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/rules/{rule}/decisions", who: .researcher, tag: "Monitoring",
            summary: "List the decisions of a rule",
            description: """
                Each decision states the values on which it rested, whether the action was possible, and, if the rule \
                randomises, the probability and the number that was drawn. Participants are named by their pseudonyms. \
                The dataset contains the same in `decisions.csv`.
                """,
            parameters: [.study, .text("rule", "The code of a rule.", example: "daily_message")],
            query: [.limit, .cursor],
            outcomes: [.json(.ok, "Decisions, newest first.", .page(of: Self.schema))], problems: [.notFound]
        ) { call in
            let (study, rule) = (try call.text("study"), try call.text("rule"))
            let position = try call.cursor(parts: 4)
            let found = try await context.store.listDecisions(
                of: rule, in: study, after: try position.map(Self.position), limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count
                ? page.last.map {
                    Cursor([
                        String($0.decidedAt.milliseconds), $0.enrolment.description, $0.point, $0.key,
                    ])
                } : nil
            return .page(
                page.map(Self.json), next: next,
                path: "/v1/studies/\(study)/rules/\(PercentEncoding.encode(rule))/decisions",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    private static func position(_ cursor: Cursor) throws(Problem) -> DecisionPosition {
        guard let milliseconds = Int64(cursor.parts[0]), let id = EnrolmentID(cursor.parts[1]) else {
            throw .invalidCursor
        }
        return DecisionPosition(
            decidedAt: Instant(milliseconds: milliseconds), enrolment: id, point: cursor.parts[2],
            key: cursor.parts[3])
    }

    private static func json(_ decision: StoredDecision) -> JSON {
        [
            "participant_id": .string(decision.participantID), "point": .string(decision.point),
            "key": .string(decision.key), "moment": .instant(decision.moment),
            "decided_at": .instant(decision.decidedAt), "outcome": .string(decision.outcome),
            "available": .bool(decision.isAvailable),
            "probability": .optional(decision.probability, JSON.double),
            "draw": .optional(decision.draw, JSON.double), "variables": decision.variables,
            "study_version": .string(decision.studyVersion), "message_id": .id(decision.message),
        ]
    }

    private static let schema = Schema.named(
        "Decision",
        .object([
            .required("participant_id", .string(), "The pseudonym of the participant."),
            .required("point", .string(), "The name of the decision point."),
            .required("key", .string(), "The element or key of the rule; empty for none."),
            .required("moment", .instant, "When the decision point was."),
            .required("decided_at", .instant, "When the server decided."),
            .required(
                "outcome", .string(values: RuleOutcome.allCases.map(\.rawValue)),
                "The action, or the step that stopped it."),
            .required("available", .boolean, "Whether the action was possible before the draw."),
            .required(
                "probability", .nullable(.number(min: 0, max: 1)),
                "The probability of the action; null if the rule does not randomise."),
            .required(
                "draw", .nullable(.number(min: 0, max: 1)),
                "The number that was drawn: below the probability the action is done; null without a draw."),
            .required("variables", .map(of: .any), "The values on which the decision rested."),
            .required("study_version", .string(), "The study version whose rule decided."),
            .required("message_id", .nullable(.id), "The message that was sent; null for none."),
        ]))
}
