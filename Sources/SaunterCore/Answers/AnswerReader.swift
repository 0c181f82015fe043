/// Parses and validates the submitted JSON value of one item, by the item's type, options and bounds. The result is nil
/// for a blank: null, an empty array, or a text of white space only. All faults are collected in `faults`. Their
/// details never quote the value.
struct AnswerReader {
    /// The default maximum length of a `string` item, in Unicode scalars.
    static let maximumStringLength = 1000
    /// The default maximum length of a `text` item, in Unicode scalars.
    static let maximumTextLength = 20_000
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
        switch item.type {
        case .choice: return options(value, pointer)
        case .openChoice: return openChoices(value, pointer)
        case .string where item.isComparedList && value.object != nil: return comparedWords(value, pointer)
        default: return item.isList ? list(value, pointer) : single(value, pointer)
        }
    }

    /// Parses one value, even if the item repeats. Conditions compare with a single value.
    mutating func single(_ value: JSON, _ pointer: String) -> Answer? {
        switch item.type {
        case .group, .display:
            faults.add(pointer, "not_a_question", "An item of type \(item.type.rawValue) has no answer.")
            return nil
        case .boolean:
            guard let truth = value.bool else { return wrongType(pointer, "true or false") }
            return .boolean(truth)
        case .integer, .decimal: return number(value, pointer)
        case .string, .text: return text(value, pointer)
        case .date, .dateTime, .time: return dateOrTime(value, pointer)
        case .choice: return option(value, pointer).map { .option($0.value) }
        case .openChoice: return openChoice(value, pointer)
        case .quantity: return quantity(value, pointer)
        case .ranking: return ranking(value, pointer)
        case .location: return location(value, pointer)
        }
    }

    private mutating func wrongType(_ pointer: String, _ expected: String) -> Answer? {
        faults.add(pointer, "wrong_type", "This item expects \(expected).")
        return nil
    }
}

// MARK: - Texts and instants

extension AnswerReader {
    mutating func text(_ value: JSON, _ pointer: String) -> Answer? {
        guard let text = value.string else { return wrongType(pointer, "a text") }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { return nil }
        let before = faults.count
        let length = text.unicodeScalars.count
        let limit =
            item.maxLength ?? (item.type == .text ? Self.maximumTextLength : Self.maximumStringLength)
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

    private mutating func dateOrTime(_ value: JSON, _ pointer: String) -> Answer? {
        guard let text = value.string else {
            return wrongType(
                pointer, "a text with a \(item.type == .dateTime ? "date and time" : item.type.rawValue)")
        }
        guard let answer = dateOrTime(text, pointer), let number = answer.storedNumber else { return nil }
        let before = faults.count
        if let minimum = item.minValue, number < minimum {
            faults.add(
                pointer, "below_minimum", "The earliest permitted value is \(item.boundText(minimum)).")
        }
        if let maximum = item.maxValue, number > maximum {
            faults.add(pointer, "above_maximum", "The latest permitted value is \(item.boundText(maximum)).")
        }
        return faults.count == before ? answer : nil
    }

    private mutating func dateOrTime(_ text: String, _ pointer: String) -> Answer? {
        switch item.type {
        case .date:
            if let date = LocalDate(text) { return .date(date) }
            faults.add(
                pointer, "invalid_date", "This item expects a date that exists, in the form yyyy-mm-dd.")
        case .time:
            if let time = LocalTime(text) { return .time(time) }
            faults.add(
                pointer, "invalid_time",
                "This item expects a time from 00:00 to 23:59:59, in the form hh:mm or hh:mm:ss.")
        default:
            if let instant = Instant(text) { return .dateTime(instant) }
            faults.add(
                pointer, "invalid_date_time",
                "This item expects a date and time of RFC 3339 with an offset, such as 2026-11-21T08:00:00Z."
            )
        }
        return nil
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
    func boundText(_ value: Double) -> String {
        let json = boundJSON(value)
        return json.string ?? json.text
    }

    /// A bound in the JSON form of an answer.
    func boundJSON(_ value: Double) -> JSON {
        switch type {
        case .date, .time, .dateTime: Answer(storedNumber: value, type: type)?.json ?? .double(value)
        default: .double(value)
        }
    }
}

extension AnswerReader {
    /// Parses an integer or a decimal, and checks the item's bounds.
    mutating func number(_ value: JSON, _ pointer: String) -> Answer? {
        guard let (answer, number) = anyNumber(value, pointer), isWithin(number, nil, pointer) else {
            return nil
        }
        return answer
    }

    /// Parses a number without checking bounds. More than 15 significant digits are rejected, because a `Double` does
    /// not preserve them.
    mutating func anyNumber(_ value: JSON, _ pointer: String) -> (Answer, Double)? {
        guard case .number(let number) = value else {
            faults.add(pointer, "wrong_type", "This item expects a number.")
            return nil
        }
        return item.type == .integer ? whole(number, pointer) : decimal(number, pointer)
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

    private mutating func whole(_ number: JSONNumber, _ pointer: String) -> (Answer, Double)? {
        if let value = number.int { return (.integer(value), Double(value)) }
        if number.decimalDigits.isWhole {
            faults.add(
                pointer, "number_too_large",
                "The number must be from -9007199254740991 to 9007199254740991.")
        } else {
            faults.add(pointer, "not_whole", "This item expects a whole number.")
        }
        return nil
    }

    private mutating func decimal(_ number: JSONNumber, _ pointer: String) -> (Answer, Double)? {
        let decimal = number.decimalDigits
        guard let value = number.double, abs(value) <= 9_007_199_254_740_991 else {
            faults.add(
                pointer, "number_too_large",
                "The number must be from -9007199254740991 to 9007199254740991.")
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
        return (.decimal(value == 0 ? 0 : value), value)
    }
}

extension AnswerReader {
    /// Parses a quantity: `{"value": 72.5, "unit": "kg"}`, or the number alone if the item has exactly one unit.
    mutating func quantity(_ value: JSON, _ pointer: String) -> Answer? {
        if case .number = value, item.unitOption.count == 1 {
            guard case .decimal(let number)? = self.number(value, pointer) else { return nil }
            return .quantity(Measure(value: number, unit: item.unitOption[0]))
        }
        guard let members = value.object, let number = members["value"], let unit = members["unit"]?.string,
            members.count == 2
        else {
            faults.add(pointer, "wrong_type", "This item expects an object with value and unit.")
            return nil
        }
        let read = anyNumber(number, "\(pointer)/value")
        guard let index = item.unitOption.firstIndex(where: { $0.utf8.elementsEqual(unit.utf8) }) else {
            faults.add(
                "\(pointer)/unit", "not_a_unit",
                "This is not a unit of the item. The units are \(item.unitOption.joined(separator: ", ")).")
            return nil
        }
        guard case (.decimal(let number), _)? = read, isWithin(number, unit, "\(pointer)/value") else {
            return nil
        }
        return .quantity(Measure(value: number, unit: item.unitOption[index]))
    }

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
