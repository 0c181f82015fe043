/// What the answers of one item count in scoring: an option its weight, else its own number; true 1, false 0;
/// a number itself.
///
/// A repeating item counts the number of options chosen, or the sum of their weights where they have any; an
/// exclusive option ("none of these") counts 0 unless it has a weight. Dates, times and texts count nothing,
/// and neither does a code without a weight.
struct ItemWeights: Sendable {
    private let options: [OptionValue: Quantity]
    private let isRepeating: Bool
    /// The least and the greatest that one answer can count by declaration; nil where it is not bounded.
    let declaredRange: (minimum: Quantity, maximum: Quantity)?

    init(_ item: Item) {
        isRepeating = item.repeats && item.type == .choice
        var options: [OptionValue: Quantity] = [:]
        if item.type == .choice {
            for option in item.answerOption where options[option.value] == nil {
                options[option.value] = item.weight(of: option)
            }
        }
        self.options = options
        declaredRange = item.declaredRange
    }

    /// What an answer counts; nil when it counts nothing.
    func value(of answer: Answer) -> Quantity? {
        switch answer {
        case .boolean(let truth): Quantity(truth ? 1 : 0)
        case .integer(let value): Quantity(value)
        case .decimal(let value): Quantity(value)
        case .option(let value): options[value]
        case .options(let values): isRepeating ? values.reduce(.zero) { $0 + (options[$1] ?? .zero) } : nil
        case .text, .date, .time, .dateTime: nil
        }
    }

    /// How often an answer counts in a scale of method `count`: the chosen options that count other than 0,
    /// or 1 for any other value than 0.
    func count(of answer: Answer, counting value: Quantity) -> Int {
        guard case .options(let values) = answer else { return value == .zero ? 0 : 1 }
        return values.count { (options[$0] ?? .zero) != .zero }
    }
}

extension Item {
    /// What one option counts; nil for a code without a weight in an item that does not repeat.
    func weight(of option: ResponseOption) -> Quantity? {
        if let weight = option.weight { return Quantity(weight) }
        if repeats { return Quantity(option.exclusive ? 0 : 1) }
        guard case .integer(let value) = option.value else { return nil }
        return Quantity(value)
    }

    /// The declared range of what one answer counts: the options' least and greatest, `minValue` and
    /// `maxValue`, or 0 and 1. Never what was observed. Nil for repeating items and wherever a bound is
    /// missing.
    var declaredRange: (minimum: Quantity, maximum: Quantity)? {
        switch type {
        case .boolean: return (Quantity(0), Quantity(1))
        case .integer, .decimal:
            guard let minValue, let maxValue, minValue <= maxValue else { return nil }
            return (Quantity(minValue), Quantity(maxValue))
        case .choice where !repeats:
            let weights = answerOption.compactMap { weight(of: $0) }
            guard weights.count == answerOption.count, let least = weights.min(by: <),
                let most = weights.max(by: <)
            else { return nil }
            return (least, most)
        default: return nil
        }
    }
}
