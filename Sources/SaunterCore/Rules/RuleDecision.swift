/// One decision point of a rule, for one key.
package struct PlannedPoint: Sendable, Hashable {
    /// The code of the rule.
    package var rule: String
    /// The name of the point. It names what the point counts from, so neither travel nor an edit repeats a point:
    ///
    /// | point | name |
    /// |---|---|
    /// | `after` | `enrolment#1`, `sheet:<id>#1`, `inactive@<instant>#1`; the number is the ordinal |
    /// | `after` | `event:<code>@<instant>#1`, `variable:<id>@<instant>#1` |
    /// | `calendar`, `per_day` | `2026-11-21#1`: the local date and the ordinal in the day |
    /// | `adaptive` | `2026-11-21`: the local date |
    /// | `cycle` | `2026-11-16`: the first date of the span; the key is the element |
    /// | `entry`, `reached` | `sheet:<id>`, `walk:<id>`, `usage:<id>`, `observation:<id>`: the record that caused it |
    /// | `published` | `edition:3`; the key is the item |
    /// | `app_open` | `visit:<instant>` of the first request, or the local date |
    package var point: String
    /// The key; empty for none.
    package var key: String
    /// When the rule is evaluated.
    package var moment: Instant
    /// From this instant on, no message is sent.
    package var expiresAt: Instant

    /// Creates a point.
    package init(rule: String, point: String, key: String = "", moment: Instant, expiresAt: Instant) {
        self.rule = rule
        self.point = point
        self.key = key
        self.moment = moment
        self.expiresAt = expiresAt
    }
}

/// What a decision did, or the step that stopped it.
package enum RuleOutcome: String, Sendable, Hashable, CaseIterable {
    case message, award, event, alert, report
    /// The participant has paused or switched messages off.
    case muted
    /// The message came too late.
    case expired
    /// The condition is false or blank.
    case when
    /// The participant's setting does not permit it.
    case allowed
    case cooldown, limit
    /// The draw decided against the action.
    case randomisedOut = "randomised_out"
    /// The quiet hours end too late.
    case quietHours = "quiet_hours"
    /// The daily maximum is reached.
    case dailyCap = "daily_cap"
    /// The collection of the message has no item for the participant.
    case noContent = "no_content"

    /// Whether the rule did something.
    package var isAction: Bool {
        switch self {
        case .message, .award, .event, .alert, .report: true
        case .muted, .expired, .when, .allowed, .cooldown, .limit, .randomisedOut, .quietHours,
            .dailyCap, .noContent:
            false
        }
    }
}

/// The values for one repetition of the text `line`.
package struct RuleLine: Sendable, Hashable {
    /// The key of the variable `line_for`.
    package var key: String
    /// Name in the text -> value at the key.
    package var values: JSONObject

    /// Creates a line.
    package init(key: String, values: JSONObject) {
        self.key = key
        self.values = values
    }
}

/// The decision of a rule at one point.
package struct RuleDecision: Sendable, Hashable {
    /// The point.
    package var point: PlannedPoint
    /// When the rule was evaluated.
    package var decidedAt: Instant
    /// What happened.
    package var outcome: RuleOutcome
    /// Name -> value of everything that `when`, the condition and the texts name, as it is written there. For
    /// `adaptive` also the variable `by` with its hours.
    package var variables: JSONObject
    /// Whether the point was available: no step before the draw stopped it.
    package var isAvailable: Bool
    /// The probability of the action; nil if the rule does not randomise.
    package var probability: Double?
    /// The number of the draw, in 0..<1. The action is done if it is below the probability. Nil if the rule does not
    /// randomise or the point was not available.
    package var draw: Double?
    /// When a message is sent: now, or the end of the quiet hours. Nil without a message.
    package var sendAt: Instant?
    /// The values of the lines of a message.
    package var lines: [RuleLine]
    /// What the rule does.
    package var action: DecisionRule.Action
    /// Restricts the participant's channels; nil for no restriction.
    package var channels: [ReminderChannel]?
    /// Whether the message counts for `most_per_day`. False for prompts in the app.
    package var countsForDay: Bool
    /// Whether the decision is stored.
    package var isLogged: Bool

    /// Creates a decision without a draw and without a message.
    package init(
        point: PlannedPoint, decidedAt: Instant, outcome: RuleOutcome, variables: JSONObject = [:],
        isAvailable: Bool = false, probability: Double? = nil, action: DecisionRule.Action,
        channels: [ReminderChannel]? = nil, countsForDay: Bool = true, isLogged: Bool = true
    ) {
        self.point = point
        self.decidedAt = decidedAt
        self.outcome = outcome
        self.variables = variables
        self.isAvailable = isAvailable
        self.probability = probability
        draw = nil
        sendAt = nil
        lines = []
        self.action = action
        self.channels = channels
        self.countsForDay = countsForDay
        self.isLogged = isLogged
    }
}

extension RuleDecision {
    /// The decision in JSON.
    package var json: JSONObject {
        var object: JSONObject = [
            "moment": .string(point.moment.description), "rule": .string(point.rule),
            "point": .string(point.point), "key": .string(point.key),
            "decided_at": .string(decidedAt.description), "outcome": .string(outcome.rawValue),
            "available": .bool(isAvailable), "probability": .optional(probability, JSON.double),
            "draw": .optional(draw, JSON.double), "expires_at": .string(point.expiresAt.description),
            "send_at": .optional(sendAt?.description, JSON.string), "variables": .object(variables),
        ]
        if !lines.isEmpty {
            object["lines"] = .array(
                lines.map { ["key": .string($0.key), "values": .object($0.values)] })
        }
        return object
    }
}
