import SaunterCore

/// Parses a value of the type of an item, for default values and conditions.
struct AnswerParser {
    let log: FaultLog
    let item: Item

    /// Parses a default value: a list if the item repeats.
    func initialValue(_ node: YAMLNode) -> Answer? {
        guard item.repeats else { return singleValue(node) }
        let isChoice = item.type.form == .options
        if isChoice, !item.type.acceptsFreeText {
            return node.list(log, of: OptionParser(log: log).value).map { .options($0) }
        }
        guard let answers = node.list(log, of: { node, _ in singleValue(node) }) else { return nil }
        guard isChoice else { return .list(answers) }
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
        switch item.type.form {
        case .truth: node.boolean(log).map { .boolean($0) }
        case .number where item.type.hasUnits: measure(node).map { .quantity($0) }
        case .number:
            item.type.definition.isWhole
                ? node.integer(log).map { .integer($0) } : node.number(log).map { .decimal($0) }
        case .text: node.text(log).map { .text($0) }
        case .moment: node.moment(of: item.type, log)
        case .options:
            (item.type.acceptsFreeText ? node["other"] : nil).map { $0.text(log).map { .freeText($0) } }
                ?? OptionParser(log: log).value(node, log).map { .option($0) }
        case .ranking:
            node.list(log, of: OptionParser(log: log).value).map { order in
                .ranking(
                    Ranking(
                        options: item.answerOption.map(\.value),
                        ranks: item.answerOption.map { (order.firstIndex(of: $0.value) ?? order.count) + 1 }))
            }
        case .location: node.expected("no value: a location cannot be a default value or be compared", log)
        case .nothing: node.expected("no value: \"\(item.linkId)\" has no answer", log)
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

extension YAMLNode {
    /// Parses a date, a time or an instant, as the item type needs it.
    func moment(of type: ItemType, _ log: FaultLog) -> Answer? {
        switch type.definition.column {
        case .date: date(log).map { .date($0) }
        case .time: time(log).map { .time($0) }
        default: instant(log).map { .dateTime($0) }
        }
    }
}
