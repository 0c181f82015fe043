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
                The dataset contains the same in `decisions.csv`. Rules of former versions have decisions too; a code \
                that no version has finds none. In a blinded study, callers who may not see arms get no text that names \
                an arm and no value that follows from it, and 404 for a rule whose code names an arm.
                """,
            parameters: [.study, .text("rule", "The code of a rule.", example: "daily_message")],
            query: Self.query,
            outcomes: [
                .json(
                    .ok, "Decisions that fit all filters, newest first.",
                    .page(of: Self.schema, [.required("as_of", .instant, "The instant of the list.")]),
                    example: Self.example)
            ], problems: [.notFound]
        ) { call in
            let (study, rule) = (try call.text("study"), try call.text("rule"))
            guard let live = try await context.catalogue.findLive(study) else { throw Problem(.notFound) }
            let arms = try await context.armView(of: study, for: call.caller)
            guard !RuleVisibility(arms, live.published.study).isHidden(rule) else { throw Problem(.notFound) }
            let position = try call.cursor(parts: 4).map(Self.position)
            let found = try await decisions(of: rule, in: study, after: position, call)
            let page = found.prefix(call.pageLimit)
            let rules = try await rules(rule, of: study, versions: Set(page.map(\.studyVersion)), arms)
            let next =
                found.count > page.count
                ? page.last.map {
                    Cursor([
                        String($0.decidedAt.milliseconds), $0.enrolment.description, $0.point, $0.key,
                    ])
                } : nil
            return .page(
                try page.map { decision in
                    // A decision refers to a published version.
                    guard let rule = rules[decision.studyVersion] else { throw Problem(.internalError) }
                    return Self.json(decision, rule)
                }, next: next,
                path: "/v1/studies/\(study)/rules/\(PercentEncoding.encode(rule))/decisions",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: ["as_of": .instant(call.now)])
        }
    }

    private static let query: [QueryParameter] = [
        QueryParameter(
            "participant", .string(minLength: 1, maxLength: 100),
            "Only decisions for the participant with this pseudonym."),
        QueryParameter(
            "outcome", .string(values: RuleOutcome.allCases.map(\.rawValue)),
            "Only decisions with this outcome."),
        QueryParameter(
            "from", .string(format: .date), "Only decisions that were made on this date (UTC) or later."),
        QueryParameter(
            "to", .string(format: .date), "Only decisions that were made on this date (UTC) or earlier."),
        .limit, .cursor,
    ]

    private func decisions(
        of rule: String, in study: String, after position: DecisionPosition?, _ call: Call<Identity>
    ) async throws -> [StoredDecision] {
        let dates = try DateRange(call, from: "from", to: "to")
        var filter = DecisionFilter()
        filter.outcome = call.query("outcome")
        filter.since = dates.from.map(Zone.utc.startOfDay)
        filter.until = dates.to.map { Zone.utc.startOfDay($0.adding(days: 1)) }
        if let pseudonym = call.query("participant") {
            // An unknown pseudonym has no decisions.
            guard let enrolment = try await context.store.findEnrolment(of: pseudonym, in: study) else {
                return []
            }
            filter.enrolment = enrolment.id
        }
        return try await context.store.listDecisions(
            of: rule, in: study, filter, after: position, limit: call.pageLimit + 1)
    }

    /// A rule as one version of the study has it, and what the caller sees of it.
    private struct VersionedRule {
        var rule: DecisionRule?
        var visibility: RuleVisibility
    }

    /// Version -> the rule.
    private func rules(
        _ rule: String, of study: String, versions: Set<String>, _ arms: ArmView
    ) async throws -> [String: VersionedRule] {
        var found: [String: VersionedRule] = [:]
        for version in versions {
            guard let published = try await context.catalogue.find(study, version: version) else { continue }
            found[version] = VersionedRule(
                rule: published.study.rule(rule), visibility: RuleVisibility(arms, published.study))
        }
        return found
    }

    private static func position(_ cursor: Cursor) throws(Problem) -> DecisionPosition {
        guard let milliseconds = Int64(cursor.parts[0]), let id = EnrolmentID(cursor.parts[1]) else {
            throw .invalidCursor
        }
        return DecisionPosition(
            decidedAt: Instant(milliseconds: milliseconds), enrolment: id, point: cursor.parts[2],
            key: cursor.parts[3])
    }

    private static func json(_ decision: StoredDecision, _ versioned: VersionedRule) -> JSON {
        let (rule, visibility) = (versioned.rule, versioned.visibility)
        var members = HiddenMembers(visibility)
        return [
            "participant_id": .string(decision.participantID), "point": visibility.name(decision.point),
            "key": visibility.name(decision.key), "moment": .instant(decision.moment),
            "decided_at": .instant(decision.decidedAt), "outcome": .string(decision.outcome),
            "available": .bool(decision.isAvailable),
            "probability": .optional(decision.probability, JSON.double),
            "draw": .optional(decision.draw, JSON.double),
            "reached": members.visible(.optional(rule?.reachedCondition, JSON.string), at: "/reached"),
            "when": members.visible(.optional(rule?.condition, JSON.string), at: "/when"),
            "variables": members.visible(decision.variables.object ?? [:], at: "/variables"),
            "study_version": .string(decision.studyVersion), "message_id": .id(decision.message),
            "hidden": members.json,
        ]
    }

    private static let example: JSON = [
        "items": [
            [
                "participant_id": "P7K2M9", "point": "2026-11-21#2", "key": "",
                "moment": "2026-11-21T13:00:00.000Z", "decided_at": "2026-11-21T13:00:00.120Z",
                "outcome": "message", "available": true, "probability": 0.6, "draw": 0.31, "reached": nil,
                "when": "walks_today = 0", "variables": ["walks_today": 0], "study_version": "1.0.0",
                "message_id": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40", "hidden": [],
            ]
        ], "next": nil, "as_of": "2026-11-21T17:30:00.000Z",
    ]

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
            .required(
                "reached", .nullable(.string()),
                "The condition of the point `reached` in the version that decided; null for other points."),
            .required(
                "when", .nullable(.string()),
                "The condition of the rule in the version that decided; null for none."),
            .required("variables", .map(of: .any), "The values on which the decision rested."),
            .required("study_version", .string(), "The study version whose rule decided."),
            .required("message_id", .nullable(.id), "The message that was sent; null for none."),
            RuleVisibility.hiddenMember,
        ]))
}
