import SaunterCore

/// A decision of `GET /v1/studies/{study}/rules/{rule}/decisions` in words. The sentence follows from the response
/// alone.
struct DecisionView {
    private let decision: JSON
    private let words: Words.Language

    init(_ decision: JSON, _ words: Words.Language) {
        self.decision = decision
        self.words = words
    }

    private var outcome: String { decision["outcome"]?.string ?? "" }
    private var participant: String { decision["participant_id"]?.string ?? "" }
    private var draw: Double? { decision["draw"]?.double }
    private var probability: Double? { decision["probability"]?.double }

    func row(of study: String) -> [StaffTable.Cell] {
        [
            .link(participant, address: ParticipantPage.address(participant, of: study)),
            .moment(decision["decided_at"]?.instant),
            .text(words["rules", "outcome_\(outcome)"] ?? outcome), .text(sentence), .text(values),
            .text(point), .text(decision["study_version"]?.string ?? ""),
        ]
    }

    /// "Sent, because mood_week (2.4) < 3 and the draw 0.31 was below 0.5."
    var sentence: String {
        switch RuleOutcome(rawValue: outcome) {
        // A newer server has more outcomes.
        case nil: outcome
        case .message, .award, .event, .alert, .report: actionSentence
        case .when: conditionSentence
        case .randomisedOut:
            text(
                "said_\(outcome)", drawValues ?? ["draw": text("no_value"), "probability": text("no_value")])
        case .muted, .expired, .allowed, .cooldown, .limit, .quietHours, .dailyCap, .noContent:
            text("said_\(outcome)")
        }
    }

    private var actionSentence: String {
        let what = text("said_\(outcome)")
        var reasons: [Reason] = [condition("reached"), condition("when")].compactMap(\.self)
        if let drawValues { reasons.append(Reason(text: text("draw_below", drawValues))) }
        guard !reasons.isEmpty else { return text("without_condition", ["what": what]) }
        let texts = reasons.map { $0.isAlternative && reasons.count > 1 ? "(\($0.text))" : $0.text }
        return text("because", ["what": what, "reasons": texts.joined(separator: text("and"))])
    }

    private var conditionSentence: String {
        guard !isHidden("/when"), let condition = condition("when") else { return text("said_when_hidden") }
        return text("said_\(outcome)", ["condition": condition.text])
    }

    /// A condition that was true.
    private struct Reason {
        var text: String
        /// Whether the condition is joined by `or`.
        var isAlternative = false
    }

    /// A condition with the values of its variables; nil for none.
    private func condition(_ member: String) -> Reason? {
        if isHidden("/\(member)") { return Reason(text: text("hidden_condition")) }
        guard let source = decision[member]?.string else { return nil }
        do throws(ExpressionFault) {
            let expression = try Expression(source, dialect: .variables)
            var reason = Reason(text: expression.annotated(value))
            if case .binary(.or, _, _) = expression.root.form { reason.isAlternative = true }
            return reason
        } catch {
            // A later version of the language may reject what was published.
            return Reason(text: source)
        }
    }

    // MARK: Values

    /// "mood_week = 2.4; walks_today = 0"
    private var values: String {
        (decision["variables"]?.object ?? [:]).map { "\($0.name) = \(value($0.name) ?? "")" }
            .joined(separator: "; ")
    }

    /// The decision point, and the key behind it.
    private var point: String {
        let key = decision["key"]?.string ?? ""
        return (decision["point"]?.string ?? "") + (key.isEmpty ? "" : " (\(key))")
    }

    /// The value of a variable; nil if the decision has none of this name.
    private func value(_ name: String) -> String? {
        guard let value = decision["variables"]?[name] else { return nil }
        return isHidden("/variables/\(name)") ? text("hidden") : text(of: value)
    }

    private func text(of value: JSON) -> String {
        switch value {
        case .null: text("no_value")
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .number: value.double.map { Self.number($0, words) } ?? value.text
        case .string(let text): text
        case .array(let elements): elements.map { text(of: $0) }.joined(separator: ", ")
        case .object(let object): text(ofKeyed: object)
        }
    }

    /// The values of a keyed variable: "9: 3.5, 18: 4".
    private func text(ofKeyed object: JSONObject) -> String {
        guard let entries = object["entries"]?.array else { return text(of: object["value"] ?? .null) }
        return entries.map { "\($0["key"]?.string ?? ""): \(text(of: $0["value"] ?? .null))" }
            .joined(separator: ", ")
    }

    private func isHidden(_ pointer: String) -> Bool {
        (decision["hidden"]?.array ?? []).contains { $0.string == pointer }
    }

    private var drawValues: [String: String]? {
        guard let draw, let probability else { return nil }
        return [
            "draw": Self.draw(draw, comparedWith: probability, words),
            "probability": Self.number(probability, words),
        ]
    }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("rules", name, values)
    }

    // MARK: Numbers

    /// A number with at most four decimal places, or more if it would otherwise read as a whole number.
    static func number(_ value: Double, _ words: Words.Language) -> String {
        text(value, words) { digits, rounded in
            digits >= 4 && (rounded != rounded.rounded() || value == value.rounded())
        }
    }

    /// The number of a draw with at most two decimal places, or more if the comparison with the probability needs them.
    static func draw(_ draw: Double, comparedWith probability: Double, _ words: Words.Language) -> String {
        text(draw, words) { digits, rounded in digits >= 2 && (rounded < probability) == (draw < probability)
        }
    }

    /// - Parameter suffices: whether the number rounded to these decimal places can be shown.
    private static func text(
        _ value: Double, _ words: Words.Language, _ suffices: (_ digits: Int, _ rounded: Double) -> Bool
    ) -> String {
        var (rounded, scale) = (value, 1.0)
        for digits in 0...15 {
            rounded = (value * scale).rounded() / scale
            if rounded == value || suffices(digits, rounded) { break }
            scale *= 10
        }
        let text = String(rounded)
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
            .replacing(".", with: words.text("format", "decimal_mark"))
    }
}
