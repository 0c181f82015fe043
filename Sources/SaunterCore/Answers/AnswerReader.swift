/// Parses and validates the submitted JSON value of one item, by the item's type, options and bounds. The result is nil
/// for a blank: null, an empty array, or a text of white space only. All faults are collected in `faults`. Their
/// details never quote the value.
package struct AnswerReader {
    /// The number of decimal digits that a `Double` always preserves.
    static let maximumDigits = 15

    let item: Item
    /// The index of each option, by its value.
    let optionIndices: [OptionValue: Int]
    /// The compiled `item.regex`.
    let pattern: Pattern?
    var faults = FaultCollector()

    /// Creates a reader for one value, and compiles the pattern. A caller with many values passes the compiled pattern
    /// instead.
    init(item: Item, optionIndices: [OptionValue: Int]) {
        self.init(item: item, optionIndices: optionIndices, pattern: item.pattern)
    }

    init(item: Item, optionIndices: [OptionValue: Int], pattern: Pattern?) {
        self.item = item
        self.optionIndices = optionIndices
        self.pattern = pattern
    }

    /// Parses a submitted value. Repeating items expect an array.
    mutating func read(_ value: JSON, pointer: String) -> Answer? {
        if value.isNull { return nil }
        guard item.repeats else { return single(value, pointer) }
        return item.type.definition.readSeveral(value, pointer, by: &self)
    }

    /// Parses one value, even if the item repeats. Conditions compare with a single value.
    mutating func single(_ value: JSON, _ pointer: String) -> Answer? {
        item.type.definition.read(value, pointer, by: &self)
    }

    mutating func wrongType(_ pointer: String, _ expected: String) -> Answer? {
        faults.add(pointer, "wrong_type", "This item expects \(expected).")
        return nil
    }
}

extension AnswerReader {
    mutating func text(_ value: JSON, _ pointer: String) -> Answer? {
        guard let text = value.string else { return wrongType(pointer, "a text") }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { return nil }
        let before = faults.count
        let length = text.unicodeScalars.count
        let limit = item.maxLength ?? item.type.definition.maximumLength
        if length > limit {
            faults.add(pointer, "too_long", "The maximum is \(limit) characters, not \(length).")
        }
        if let minimum = item.minLength, length < minimum {
            faults.add(pointer, "too_short", "The minimum is \(minimum) characters, not \(length).")
        }
        if text.utf8.contains(0) {
            faults.add(pointer, "nul_character", "The character U+0000 cannot be stored.")
        }
        guard faults.count == before else { return nil }
        if let pattern, !pattern.matches(text) {
            faults.add(pointer, "wrong_form", "The text does not match the pattern of this item.")
            return nil
        }
        return .text(text)
    }
}

extension Item {
    /// The compiled `regex`; nil without one. It is also nil for a pattern that cannot be compiled, but
    /// `Questionnaire.faults()` rejects such a questionnaire.
    var pattern: Pattern? {
        guard let regex else { return nil }
        do throws(PatternFault) {
            return try Pattern(regex)
        } catch {
            return nil
        }
    }

    /// A bound as text, in the form of an answer.
    package func boundText(_ value: Double) -> String {
        let json = boundJSON(value)
        return json.string ?? json.text
    }

    /// A bound in the JSON form of an answer.
    package func boundJSON(_ value: Double) -> JSON {
        (type.form == .moment ? type.answer(storedNumber: value)?.json : nil) ?? .double(value)
    }
}

extension AnswerReader {
    /// The digits of a number; nil with a fault for any other value.
    mutating func literal(_ value: JSON, _ pointer: String) -> JSONNumber? {
        if case .number(let number) = value { return number }
        faults.add(pointer, "wrong_type", "This item expects a number.")
        return nil
    }

    mutating func noteTooLarge(_ pointer: String) {
        faults.add(
            pointer, "number_too_large", "The number must be from -9007199254740991 to 9007199254740991.")
    }

    /// Checks the item's bounds. Adds a fault and returns false if the number violates one.
    /// - Parameter unit: the unit of a quantity's answer; nil for other types.
    mutating func isWithin(_ number: Double, _ unit: String?, _ pointer: String) -> Bool {
        let before = faults.count
        if let minimum = item.minValue, compare(number, unit, with: minimum).isLess {
            let bound = text(of: minimum)
            faults.add(pointer, "below_minimum", "The minimum is \(bound).")
        }
        if let maximum = item.maxValue, compare(number, unit, with: maximum).isMore {
            let bound = text(of: maximum)
            faults.add(pointer, "above_maximum", "The maximum is \(bound).")
        }
        return faults.count == before
    }

    /// Compares a number with a bound. A bound of a quantity applies to the first unit, and the answer is converted to
    /// it. If the units cannot be converted, the numbers are compared directly. Such an item can only have the bound 0,
    /// because `Questionnaire.faults()` rejects any other.
    private func compare(
        _ number: Double, _ unit: String?, with bound: Double
    ) -> (isLess: Bool, isMore: Bool) {
        guard let unit, let first = item.unitOption.first, unit != first,
            let (own, other) = UCUMScale.amounts(
                Measure(value: number, unit: unit), Measure(value: bound, unit: first))
        else { return (number < bound, number > bound) }
        return (own < other, other < own)
    }

    /// The text of a bound, with its unit if answers may use another one.
    private func text(of bound: Double) -> String {
        let unit = item.unitOption.count > 1 ? " \(item.unitOption[0])" : ""
        return JSON.double(bound).text + unit
    }

    /// Parses a number without checking bounds. More than 15 significant digits are rejected, because a `Double` does
    /// not preserve them.
    mutating func decimal(_ value: JSON, _ pointer: String) -> Double? {
        guard let number = literal(value, pointer) else { return nil }
        let decimal = number.decimalDigits
        guard let value = number.double, abs(value) <= 9_007_199_254_740_991 else {
            noteTooLarge(pointer)
            return nil
        }
        let before = faults.count
        if decimal.digits.count > Self.maximumDigits {
            faults.add(
                pointer, "too_many_digits", "The maximum is \(Self.maximumDigits) significant digits.")
        }
        let places = min(item.maxDecimalPlaces ?? Self.maximumDigits, Self.maximumDigits)
        if decimal.decimalPlaces > places {
            faults.add(pointer, "too_many_decimals", "The maximum is \(places) decimal places.")
        }
        guard faults.count == before else { return nil }
        // Negative zero becomes zero.
        return value == 0 ? 0 : value
    }
}

extension AnswerReader {
    /// Parses the values of a repeating question without options.
    mutating func list(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(pointer, "wrong_type", "This item expects an array.")
            return nil
        }
        guard !elements.isEmpty else { return nil }
        let before = faults.count
        checkOccurs(elements.count, pointer)
        guard elements.count <= item.maximumAnswers else { return nil }
        var answers: [Answer] = []
        for (index, element) in elements.enumerated() {
            let elementPointer = "\(pointer)/\(index)"
            let count = faults.count
            if let answer = element.isNull ? nil : single(element, elementPointer) {
                answers.append(answer)
            } else if faults.count == count {
                faults.add(elementPointer, "blank_value", "An array must not contain a blank value.")
            }
        }
        return faults.count == before ? .list(answers) : nil
    }

    /// Checks the number of answers to an item that is answered.
    mutating func checkOccurs(_ count: Int, _ pointer: String) {
        guard count > 0 else { return }
        if count > item.maximumAnswers {
            faults.add(pointer, "too_many_answers", "The maximum is \(item.maximumAnswers) answers.")
        }
        if let minimum = item.minOccurs, count < minimum {
            faults.add(pointer, "too_few_answers", "The minimum is \(minimum) answers.")
        }
    }
}

extension Item {
    /// The default and the greatest limit for the number of instances of a group, and of values of a repeating item.
    static let maximumOccurs = 100

    /// The maximum number of answers: `maxOccurs`, or the default of the type.
    var maximumAnswers: Int { maxOccurs ?? (type.hasOptions ? answerOption.count + 1 : Self.maximumOccurs) }
}
