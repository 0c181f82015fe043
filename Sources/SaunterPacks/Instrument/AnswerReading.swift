import SaunterCore

/// Reads a value of an item's own type, for defaults and conditions.
struct AnswerReading {
    let log: FaultLog
    let item: Item

    /// A default: a list where the item repeats.
    func answer(_ node: YAMLNode) -> Answer? {
        guard item.type == .choice, item.repeats else { return condition(node) }
        return node.list(log, of: OptionReading(log: log).value).map { .options($0) }
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
        case .group, .display: node.expected("no value: \"\(item.linkId)\" takes no answer", log)
        }
    }
}
