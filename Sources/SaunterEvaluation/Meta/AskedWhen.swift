import SaunterCore

/// Describes the display conditions of an item in words.
enum AskedWhen {
    /// The conditions of the enclosing groups, of the item, and of the option, joined by "and". Nil if there are no
    /// conditions.
    static func text(of linkId: String, option: OptionValue? = nil, in questionnaire: Questionnaire?)
        -> String?
    {
        guard let questionnaire, let path = path(to: linkId, questionnaire.item) else { return nil }
        var parts: [String] = path.flatMap { item in
            [joined(item.enableWhen, item.enableBehavior), item.enableWhenExpression].compactMap(\.self)
        }
        if let offered = path.last?.answerOption.first(where: { $0.value == option }),
            let conditions = joined(offered.enableWhen, offered.enableBehavior)
        {
            parts.append(conditions)
        }
        guard !parts.isEmpty else { return nil }
        return parts.count == 1 ? parts[0] : parts.map { "(\($0))" }.joined(separator: " and ")
    }

    /// The path from the outermost group to the item, including both.
    static func path(to linkId: String, _ items: [Item]) -> [Item]? {
        for item in items {
            if item.linkId == linkId { return [item] }
            if let rest = path(to: linkId, item.item) { return [item] + rest }
        }
        return nil
    }

    /// The conditions of one item as a phrase; nil if there are none.
    static func joined(_ conditions: [Condition], _ behaviour: EnableBehavior) -> String? {
        conditions.isEmpty
            ? nil : conditions.map(phrase).joined(separator: behaviour == .any ? " or " : " and ")
    }

    /// One condition as a phrase.
    static func phrase(_ condition: Condition) -> String {
        if condition.comparison == .exists {
            return "\(condition.question) is \(condition.answer == .boolean(false) ? "not " : "")answered"
        }
        let value = condition.answer.json
        return "\(condition.question) \(condition.comparison.rawValue) \(value.string ?? value.text)"
    }
}
