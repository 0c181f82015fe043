import SaunterCore

/// Parses a value of the type of an item, for default values and conditions.
struct AnswerParser {
    let log: FaultLog
    let item: Item

    /// Parses a default value: a list if the item repeats.
    func initialValue(_ node: YAMLNode) -> Answer? {
        guard item.repeats else { return singleValue(node) }
        if item.type == .choice {
            return node.list(log, of: OptionParser(log: log).value).map { .options($0) }
        }
        guard let answers = node.list(log, of: { node, _ in singleValue(node) }) else { return nil }
        guard item.type == .openChoice else { return .list(answers) }
        var freeText: String?
        let options = answers.compactMap { answer -> OptionValue? in
            if case .freeText(let given) = answer { freeText = given }
            if case .option(let value) = answer { return value }
            return nil
        }
        return freeText.map { .optionsAndFreeText(options, $0) } ?? .options(options)
    }

    /// Parses one value, also if the item repeats. A condition compares with such a value.
    func singleValue(_ node: YAMLNode) -> Answer? {
        switch item.type {
        case .boolean: node.boolean(log).map { .boolean($0) }
        case .integer: node.integer(log).map { .integer($0) }
        case .decimal: node.number(log).map { .decimal($0) }
        case .string, .text: node.text(log).map { .text($0) }
        case .date: node.date(log).map { .date($0) }
        case .time: node.time(log).map { .time($0) }
        case .dateTime:
            node.instant(log).map { .dateTime($0) }
        case .choice: OptionParser(log: log).value(node, log).map { .option($0) }
        case .openChoice:
            node["other"].map { $0.text(log).map { .freeText($0) } }
                ?? OptionParser(log: log).value(node, log).map { .option($0) }
        case .quantity: measure(node).map { .quantity($0) }
        case .ranking:
            node.list(log, of: OptionParser(log: log).value).map { order in
                .ranking(
                    Ranking(
                        options: item.answerOption.map(\.value),
                        ranks: item.answerOption.map { (order.firstIndex(of: $0.value) ?? order.count) + 1 }))
            }
        case .location: node.expected("no value: a location cannot be a default value or be compared", log)
        case .group, .display: node.expected("no value: \"\(item.linkId)\" has no answer", log)
        }
    }

    /// Parses `{value: 72.5, unit: kg}`, or a number in the first unit of the item.
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
