import SaunterCore

/// Puts conditions into the words of an expression that holds for the same answers, blanks included.
struct ConditionWords {
    /// Those that conditions ask about, with what stands in groups.
    let items: [Item]

    /// Nil where one of the conditions has no words.
    func expression(_ conditions: [Condition], _ behavior: EnableBehavior) -> String? {
        let said = conditions.compactMap(words)
        guard said.count == conditions.count, !said.isEmpty else { return nil }
        return said.joined(separator: behavior == .any ? " or " : " and ")
    }

    private func words(_ condition: Condition) -> String? {
        let name = condition.question
        guard let asked = item(name, items), Self.canBeNamed(asked) else { return nil }
        if condition.comparison == .exists {
            return condition.answer == .boolean(false) ? "not exists(\(name))" : "exists(\(name))"
        }
        guard let value = Self.literal(condition.answer) else { return nil }
        let sign = condition.comparison.rawValue
        switch condition.comparison {
        case .equal where asked.repeats: return "\(value) in \(name)"
        // A blank differs from every value.
        case .notEqual where asked.repeats: return "not (\(value) in \(name))"
        case .notEqual: return "(not exists(\(name)) or \(name) != \(value))"
        // Of several answers one is enough.
        case .greater, .atLeast: return "\(asked.repeats ? "max(\(name))" : name) \(sign) \(value)"
        case .less, .atMost: return "\(asked.repeats ? "min(\(name))" : name) \(sign) \(value)"
        default: return "\(name) = \(value)"
        }
    }

    private func item(_ linkId: String, _ items: [Item]) -> Item? {
        for item in items {
            if item.linkId == linkId { return item }
            if let found = self.item(linkId, item.item) { return found }
        }
        return nil
    }

    /// Rankings have no value there, and what has several units, or numbers and words, none of one type.
    private static func canBeNamed(_ item: Item) -> Bool {
        switch item.type {
        case .ranking: return false
        case .quantity: return item.unitOption.count == 1
        case .openChoice:
            if case .code? = item.answerOption.first?.value { return true }
            return false
        default: return true
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
        case .dateTime, .words, .options, .optionsAndWords, .ranking, .list, .instances: nil
        }
    }

    /// Texts are written without escapes, in the quotes that they do not hold.
    private static func quoted(_ text: String) -> String? {
        let quotes: [Unicode.Scalar] = ["'", "\""]
        return quotes.first { !text.unicodeScalars.contains($0) }.map { "\($0)\(text)\($0)" }
    }
}
