import SaunterCore

/// Writes conditions as an expression that is true for the same answers, also if answers are missing.
struct ConditionExpressionWriter {
    /// The items that conditions may refer to, with their children.
    let items: [Item]

    /// The expression; nil if one of the conditions cannot be expressed.
    func expression(_ conditions: [Condition], _ behavior: EnableBehavior) -> String? {
        let parts = conditions.compactMap(expression)
        guard parts.count == conditions.count, !parts.isEmpty else { return nil }
        return parts.joined(separator: behavior == .any ? " or " : " and ")
    }

    private func expression(_ condition: Condition) -> String? {
        let name = condition.question
        guard let questionItem = items.first(linkId: name),
            !questionItem.type.isQuestion || questionItem.expressionType != nil
        else { return nil }
        if condition.comparison == .exists {
            return condition.answer == .boolean(false) ? "not exists(\(name))" : "exists(\(name))"
        }
        guard let value = Self.literal(condition.answer) else { return nil }
        let operation = condition.comparison.rawValue
        switch condition.comparison {
        case .equal where questionItem.repeats: return "\(value) in \(name)"
        // A condition `!=` holds for a missing answer.
        case .notEqual where questionItem.repeats: return "not (\(value) in \(name))"
        case .notEqual: return "(not exists(\(name)) or \(name) != \(value))"
        // One matching answer is enough.
        case .greater, .atLeast:
            return "\(questionItem.repeats ? "max(\(name))" : name) \(operation) \(value)"
        case .less, .atMost: return "\(questionItem.repeats ? "min(\(name))" : name) \(operation) \(value)"
        default: return "\(name) = \(value)"
        }
    }

    private static func literal(_ answer: Answer) -> String? {
        switch answer {
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .decimal(let value): JSONNumber(value).literal
        case .quantity(let measure): JSONNumber(measure.value).literal
        case .text(let text): quoted(text)
        case .date(let date): "@\(date)"
        case .time(let time): "@\(time)"
        case .option(.integer(let number)): String(number)
        case .option(.code(let code)): "'\(code)'"
        case .dateTime, .freeText, .options, .optionsAndFreeText, .ranking, .location, .comparedWords, .list,
            .instances:
            nil
        }
    }

    /// The text in single or double quotes; nil if it contains both. Expressions have no escapes.
    private static func quoted(_ text: String) -> String? {
        let quotes: [Unicode.Scalar] = ["'", "\""]
        return quotes.first { !text.unicodeScalars.contains($0) }.map { "\($0)\(text)\($0)" }
    }
}
