/// What the answers of one item count in scoring: an option its weight, else its own number; true 1, false 0;
/// a number itself.
///
/// A repeating item counts the number of options chosen, or the sum of their weights where they have any; an
/// exclusive option ("none of these") counts 0 unless it has a weight. A quantity of one unit counts its number. Dates,
/// times, texts, own words, lists, rankings and groups count nothing, and neither does a code without a weight. A recoding stands in place of all of this: an answer counts what
/// it names for it, and nothing when it names nothing.
struct ItemWeights: Sendable {
    private let options: [OptionValue: Quantity]
    private let isRepeating: Bool
    /// Numbers of different units are not compared.
    private let hasOneUnit: Bool
    /// For numbers and truths, where they are recoded.
    private let recoded: [Quantity: Quantity]?
    /// The least and the greatest that one answer can count by declaration; nil where it is not bounded.
    let declaredRange: (minimum: Quantity, maximum: Quantity)?

    /// - Parameter recode: answer as it is written -> what it counts.
    init(_ item: Item, recode: [String: Double]? = nil) {
        isRepeating = item.repeats && item.type.hasOptions
        hasOneUnit = item.unitOption.count == 1
        var options: [OptionValue: Quantity] = [:]
        if item.type == .choice || item.type == .openChoice {
            for option in item.answerOption where options[option.value] == nil {
                options[option.value] =
                    if let recode { recode[option.value.text].map { Quantity($0) } } else {
                        item.weight(of: option)
                    }
            }
        }
        self.options = options
        recoded = recode.map { table in
            let known = table.compactMap { text, value in
                Self.number(text).map { ($0, Quantity(value)) }
            }
            return Dictionary(known) { first, _ in first }
        }
        declaredRange = recode.map { Self.range($0, item) } ?? item.declaredRange
    }

    /// What the written form of an answer of type boolean, integer or decimal means.
    static func number(_ text: String) -> Quantity? {
        switch text {
        case "true": Quantity(1)
        case "false": Quantity(0)
        default: Double(text).flatMap { $0.isFinite ? Quantity($0) : nil }
        }
    }

    private static func range(_ recode: [String: Double], _ item: Item) -> (
        minimum: Quantity, maximum: Quantity
    )? {
        let values = recode.values.map { Quantity($0) }
        guard !item.repeats, let least = values.min(by: <), let most = values.max(by: <) else { return nil }
        return (least, most)
    }

    /// What an answer counts; nil when it counts nothing.
    func value(of answer: Answer) -> Quantity? {
        switch answer {
        case .boolean(let truth): recoded(Quantity(truth ? 1 : 0))
        case .integer(let value): recoded(Quantity(value))
        case .decimal(let value): recoded(Quantity(value))
        case .option(let value): options[value]
        case .quantity(let measure): hasOneUnit ? recoded(Quantity(measure.value)) : nil
        case .options(let values), .optionsAndWords(let values, _):
            isRepeating ? values.reduce(.zero) { $0 + (options[$1] ?? .zero) } : nil
        case .text, .words, .date, .time, .dateTime, .ranking, .list, .instances: nil
        }
    }

    private func recoded(_ value: Quantity) -> Quantity? {
        if let recoded { recoded[value] } else { value }
    }

    /// How often an answer counts in a scale of method `count`: the chosen options that count other than 0,
    /// or 1 for any other value than 0.
    func count(of answer: Answer, counting value: Quantity) -> Int {
        let values: [OptionValue]
        switch answer {
        case .options(let options), .optionsAndWords(let options, _): values = options
        default: return value == .zero ? 0 : 1
        }
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
        case .integer, .decimal, .quantity:
            guard !repeats, type != .quantity || unitOption.count == 1 else { return nil }
            guard let minValue, let maxValue, minValue <= maxValue else { return nil }
            return (Quantity(minValue), Quantity(maxValue))
        case .choice, .openChoice:
            guard !repeats else { return nil }
            let weights = answerOption.compactMap { weight(of: $0) }
            guard weights.count == answerOption.count, let least = weights.min(by: <),
                let most = weights.max(by: <)
            else { return nil }
            return (least, most)
        default: return nil
        }
    }
}
