import SaunterCore

/// Reads a value of an item's own type, for defaults and conditions.
struct AnswerReading {
    let log: FaultLog
    let item: Item

    /// A default: a list where the item repeats.
    func answer(_ node: YAMLNode) -> Answer? {
        guard item.repeats else { return condition(node) }
        if item.type == .choice {
            return node.list(log, of: OptionReading(log: log).value).map { .options($0) }
        }
        guard let answers = node.list(log, of: { node, _ in condition(node) }) else { return nil }
        guard item.type == .openChoice else { return .list(answers) }
        var words: String?
        let options = answers.compactMap { answer -> OptionValue? in
            if case .words(let given) = answer { words = given }
            if case .option(let value) = answer { return value }
            return nil
        }
        return words.map { .optionsAndWords(options, $0) } ?? .options(options)
    }

    /// What a condition compares with: one value, also where the item repeats.
    func condition(_ node: YAMLNode) -> Answer? {
        switch item.type {
        case .boolean: node.boolean(log).map { .boolean($0) }
        case .integer: node.integer(log).map { .integer($0) }
        case .decimal: node.number(log).map { .decimal($0) }
        case .string, .text: node.text(log).map { .text($0) }
        case .date: node.date(log).map { .date($0) }
        case .time: node.time(log).map { .time($0) }
        case .dateTime:
            node.scalar.flatMap { Instant($0.text) }.map { .dateTime($0) }
                ?? node.expected("a moment such as 2026-11-21T08:00:00Z", log)
        case .choice: OptionReading(log: log).value(node, log).map { .option($0) }
        case .openChoice:
            node["other"].map { $0.text(log).map { .words($0) } }
                ?? OptionReading(log: log).value(node, log).map { .option($0) }
        case .quantity: measure(node).map { .quantity($0) }
        case .ranking:
            node.list(log, of: OptionReading(log: log).value).map { order in
                .ranking(
                    Ranking(
                        options: item.answerOption.map(\.value),
                        ranks: item.answerOption.map { (order.firstIndex(of: $0.value) ?? order.count) + 1 }))
            }
        case .group, .display: node.expected("no value: \"\(item.linkId)\" takes no answer", log)
        }
    }

    /// A number where there is one unit, else `{value: 72.5, unit: kg}`.
    private func measure(_ node: YAMLNode) -> Measure? {
        guard case .mapping = node.content else {
            return node.number(log).map { Measure(value: $0, unit: item.unitOption.first ?? "") }
        }
        guard let fields = Fields(node, of: "a quantity", keys: ["value", "unit"], log: log) else {
            return nil
        }
        let value = fields.required("value") { $0.number($1) }
        guard let unit = fields.required("unit", { $0.word($1) }), let value else { return nil }
        return Measure(value: value, unit: unit)
    }
}
