/// The numeric values of the answers of one item.
///
/// - An option has its weight, or its own number if it has no weight. A code without a weight has no value.
/// - `true` is 1 and `false` is 0. A number is its own value. A quantity has its number if the item has one unit.
/// - A repeating item has the sum of the weights of the chosen options. An option without a weight counts 1, and an
///   exclusive option ("none of these") without a weight counts 0.
/// - Dates, times, texts, free-text options, lists, rankings, locations and groups have no value.
///
/// A recoding table replaces all these rules: an answer has the number in the table, or no value if the table does not
/// contain it.
struct ItemWeights: Sendable {
    private let options: [OptionValue: Quantity]
    private let isRepeating: Bool
    /// Whether a quantity has a value. With several units it has none, because numbers in different units cannot be
    /// added.
    private let hasOneUnit: Bool
    /// The recoding table for numbers and booleans; nil without recoding.
    private let recoded: [Quantity: Quantity]?
    /// The declared least and greatest value of one answer; nil if it is not bounded.
    let declaredRange: (minimum: Quantity, maximum: Quantity)?

    /// - Parameter recode: answer as text -> value.
    init(_ item: Item, recode: [String: Double]? = nil) {
        isRepeating = item.repeats && item.type.hasOptions
        hasOneUnit = item.unitOption.count == 1
        var options: [OptionValue: Quantity] = [:]
        if item.type.form == .options {
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

    /// The number that an answer of type boolean, integer or decimal has as text.
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
        guard !item.repeats, let minimum = values.min(by: <), let maximum = values.max(by: <) else {
            return nil
        }
        return (minimum, maximum)
    }

    /// The value of an answer; nil if it has none.
    func value(of answer: Answer) -> Quantity? {
        switch answer {
        case .boolean(let truth): recoded(Quantity(truth ? 1 : 0))
        case .integer(let value): recoded(Quantity(value))
        case .decimal(let value): recoded(Quantity(value))
        case .option(let value): options[value]
        case .quantity(let measure): hasOneUnit ? recoded(Quantity(measure.value)) : nil
        case .options(let values), .optionsAndFreeText(let values, _):
            isRepeating ? values.reduce(.zero) { $0 + (options[$1] ?? .zero) } : nil
        case .text, .freeText, .date, .time, .dateTime, .ranking, .location, .comparedWords, .list,
            .instances:
            nil
        }
    }

    private func recoded(_ value: Quantity) -> Quantity? {
        if let recoded { recoded[value] } else { value }
    }

    /// How much an answer adds to a scale with the method `count`: the number of chosen options with a value other
    /// than 0. For other answers: 1 if the value is not 0.
    func count(of answer: Answer, counting value: Quantity) -> Int {
        let values: [OptionValue]
        switch answer {
        case .options(let options), .optionsAndFreeText(let options, _): values = options
        default: return value == .zero ? 0 : 1
        }
        return values.count { (options[$0] ?? .zero) != .zero }
    }
}

extension Item {
    /// The value of one option; nil for a code without a weight in an item that does not repeat.
    func weight(of option: ResponseOption) -> Quantity? {
        if let weight = option.weight { return Quantity(weight) }
        if repeats { return Quantity(option.exclusive ? 0 : 1) }
        return option.value.number.map { Quantity($0) }
    }

    /// The declared range of the value of one answer: from the options, from `minValue` and `maxValue`, or 0 and 1.
    /// Observed answers never change it. Nil for repeating items, and if a bound is missing.
    var declaredRange: (minimum: Quantity, maximum: Quantity)? {
        switch type.form {
        case .truth: return (Quantity(0), Quantity(1))
        case .number:
            guard !repeats, !hasMixedUnits else { return nil }
            guard let minValue, let maxValue, minValue <= maxValue else { return nil }
            return (Quantity(minValue), Quantity(maxValue))
        case .options:
            guard !repeats else { return nil }
            let weights = answerOption.compactMap { weight(of: $0) }
            guard weights.count == answerOption.count, let minimum = weights.min(by: <),
                let maximum = weights.max(by: <)
            else { return nil }
            return (minimum, maximum)
        case .nothing, .text, .moment, .ranking, .location: return nil
        }
    }

    /// Whether every option has a value in scores.
    var hasWeights: Bool { answerOption.allSatisfy { weight(of: $0) != nil } }
}
