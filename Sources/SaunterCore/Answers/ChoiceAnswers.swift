/// Parses answers to choices and open choices.
extension AnswerReader {
    /// Parses the value of one option, and returns the option with its index in the item.
    mutating func option(_ value: JSON, _ pointer: String) -> (value: OptionValue, index: Int)? {
        let candidate: OptionValue
        switch value {
        case .string(let code): candidate = .code(code)
        case .number(let number):
            guard let whole = number.int else { return reject(pointer) }
            candidate = .integer(whole)
        default:
            faults.add(pointer, "wrong_type", "This item expects the value of one of its options.")
            return nil
        }
        guard let index = optionIndices[candidate] else { return reject(pointer) }
        // Option values are compared by their bytes. Swift compares strings by Unicode equivalence.
        guard item.answerOption[index].value.text.utf8.elementsEqual(candidate.text.utf8) else {
            return reject(pointer)
        }
        return (item.answerOption[index].value, index)
    }

    private mutating func reject(_ pointer: String) -> (value: OptionValue, index: Int)? {
        faults.add(pointer, "not_an_option", "This is not an option of the item. \(item.optionsSentence)")
        return nil
    }

    /// Parses the chosen options of a repeating choice, and sorts them into the questionnaire's order. The result is
    /// nil if no option is chosen.
    mutating func options(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(pointer, "wrong_type", "This item expects an array of values of its options.")
            return nil
        }
        let before = faults.count
        if elements.count > item.answerOption.count {
            faults.add(pointer, "too_many_options", "The item has only \(item.answerOption.count) options.")
        }
        let named = elements.prefix(item.answerOption.count).enumerated().map { ($0.offset, $0.element) }
        let chosen = chosenIndices(named, pointer)
        if !isExclusive(chosen) { checkOccurs(chosen.count, pointer) }
        guard faults.count == before, !chosen.isEmpty else { return nil }
        return .options(chosen.map { item.answerOption[$0].value })
    }

    /// Whether the only chosen option is one that excludes all others. It is a complete answer, regardless of
    /// `minOccurs`.
    func isExclusive(_ chosen: [Int]) -> Bool { chosen.count == 1 && item.answerOption[chosen[0]].exclusive }

    /// The indices of the chosen options, in the questionnaire's order.
    /// - Parameter elements: the submitted values, each with its index in the submitted array.
    mutating func chosenIndices(_ elements: [(index: Int, value: JSON)], _ pointer: String) -> [Int] {
        var submitted: [Int: Int] = [:]
        for (index, element) in elements {
            guard let option = option(element, "\(pointer)/\(index)")?.index else { continue }
            if submitted.updateValue(submitted[option] ?? index, forKey: option) != nil {
                faults.add("\(pointer)/\(index)", "duplicate_option", "This option is named twice.")
            }
        }
        let chosen = submitted.keys.sorted()
        if chosen.count > 1 {
            for option in chosen where item.answerOption[option].exclusive {
                faults.add(
                    "\(pointer)/\(submitted[option] ?? 0)", "exclusive_option",
                    "This option excludes all others.")
            }
        }
        return chosen
    }

    /// Parses free text, `{"other": …}`. Returns nil without a fault for a value that is not an object, and for blank
    /// text.
    mutating func freeText(_ value: JSON, _ pointer: String) -> String? {
        guard let members = value.object else { return nil }
        guard members.count == 1, let freeText = members["other"] else {
            faults.add(pointer, "wrong_type", "Free text must be an object with one member, other.")
            return nil
        }
        guard case .text(let text)? = text(freeText, "\(pointer)/other") else { return nil }
        return text
    }

    /// Parses the answers to a repeating open choice: options, and free text at most once.
    mutating func openChoices(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(pointer, "wrong_type", "This item expects an array.")
            return nil
        }
        let before = faults.count
        var others: [(index: Int, freeText: String)] = []
        var options: [(index: Int, value: JSON)] = []
        for (index, element) in elements.prefix(item.answerOption.count + 2).enumerated() {
            if element.object == nil {
                options.append((index, element))
            } else if let freeText = freeText(element, "\(pointer)/\(index)") {
                others.append((index, freeText))
            }
        }
        if elements.count > item.answerOption.count + 1 {
            faults.add(pointer, "too_many_options", "The item has only \(item.answerOption.count) options.")
        }
        for other in others.dropFirst() {
            faults.add("\(pointer)/\(other.index)", "duplicate_option", "Free text is permitted once.")
        }
        let chosen = chosenIndices(options, pointer)
        if !isExclusive(chosen) { checkOccurs(chosen.count + min(others.count, 1), pointer) }
        if let other = others.first, let exclusive = chosen.first(where: { item.answerOption[$0].exclusive })
        {
            faults.add(
                "\(pointer)/\(other.index)", "exclusive_option",
                "The option \(item.answerOption[exclusive].value.text) excludes all others.")
        }
        guard faults.count == before else { return nil }
        let values = chosen.map { item.answerOption[$0].value }
        if let freeText = others.first?.freeText { return .optionsAndFreeText(values, freeText) }
        return values.isEmpty ? nil : .options(values)
    }
}

extension Item {
    /// Parses and validates a value of this item, by the same rules as a submitted answer. Nil is a blank.
    /// - Parameter single: parse one value although the item repeats, as in the `answer` of a condition.
    /// - Throws: all faults.
    package func answer(from value: JSON, pointer: String = "", single: Bool = false) throws(Faults)
        -> Answer?
    {
        var reader = AnswerReader(item: self, optionIndices: optionIndices)
        let answer =
            single && !value.isNull ? reader.single(value, pointer) : reader.read(value, pointer: pointer)
        try reader.faults.check()
        return answer
    }

    /// A sentence with the values of the options, for messages; at most 20 of them.
    package var optionsSentence: String {
        let values = answerOption.prefix(20).map(\.value.text)
        let more = answerOption.count > values.count ? " and \(answerOption.count - values.count) more" : ""
        return "The options are \(values.joined(separator: ", "))\(more)."
    }

    /// The index of each option, by its value. If two options have equal values, it contains the first.
    var optionIndices: [OptionValue: Int] {
        Dictionary(answerOption.enumerated().map { ($1.value, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
