/// The defaults of questions that are answered with a number.
protocol NumberForm: ItemTypeDefinition {}

extension NumberForm {
    static var form: AnswerForm { .number }
    static var slotKind: AnswerCodec.Slot.Kind { .number }
    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType { .number }
    static var column: AnswerColumn { .number }
}

/// The defaults of questions that are answered with the participant's own words.
protocol TextForm: ItemTypeDefinition {}

extension TextForm {
    static var form: AnswerForm { .text }
    static var properties: Set<ItemProperty> { [.repeats, .lengths, .initial, .placeholder] }

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.text(value, pointer)
    }
    static func answer(text: String) -> Answer? { .text(text) }

    static var slotKind: AnswerCodec.Slot.Kind { .text }
    static func answer(to item: Item, rows: [RepeatedAnswer], text: String?) -> Answer? {
        text.map { .text($0) }
    }

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType { .text }
}

/// The defaults of questions that are answered with a date, a time of day, or both.
protocol MomentForm: ItemTypeDefinition {
    /// What the item expects, such as `a date`.
    static var noun: String { get }
    /// The fault of a text that is not such a moment.
    static var invalid: (code: String, detail: String) { get }
}

extension MomentForm {
    static var form: AnswerForm { .moment }
    static var properties: Set<ItemProperty> { [.repeats, .bounds, .initial] }

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        guard let text = value.string else { return reader.wrongType(pointer, "a text with \(noun)") }
        guard let answer = answer(text: text), let number = answer.storedNumber else {
            reader.faults.add(pointer, invalid.code, invalid.detail)
            return nil
        }
        let item = reader.item
        let before = reader.faults.count
        if let minimum = item.minValue, number < minimum {
            reader.faults.add(
                pointer, "below_minimum", "The earliest permitted value is \(item.boundText(minimum)).")
        }
        if let maximum = item.maxValue, number > maximum {
            reader.faults.add(
                pointer, "above_maximum", "The latest permitted value is \(item.boundText(maximum)).")
        }
        return reader.faults.count == before ? answer : nil
    }

    static var slotKind: AnswerCodec.Slot.Kind { .number }
}

/// The defaults of questions that are answered with options.
protocol OptionsForm: ItemTypeDefinition {}

extension OptionsForm {
    static var form: AnswerForm { .options }
    static func variableKey(of item: Item, in questionnaire: String) -> VariableSignature.Key? {
        .init(
            type: item.answerOption.first?.value.expressionType ?? .text,
            known: Set(item.answerOption.map(\.value.text)),
            label: .option(questionnaire: questionnaire, item: item.linkId))
    }
    static func writtenAnswers(to item: Item) -> [String]? { item.answerOption.map(\.value.text) }

    static func rowOptions(of item: Item) -> [String] {
        guard item.repeats else { return [""] }
        return item.answerOption.map(\.value.text) + (acceptsFreeText ? [Item.otherCode] : [])
    }
    static func answer(to item: Item, rows: [RepeatedAnswer], text: String?) -> Answer? {
        guard item.repeats else {
            let value = rows.first?.value
            if acceptsFreeText, value == Item.otherCode, let text { return .freeText(text) }
            return item.answerOption.first { $0.value.text == value }.map { .option($0.value) }
        }
        guard rows.allSatisfy({ $0.value == "0" || $0.value == "1" || $0.isNotOffered }) else { return nil }
        let chosen = Set(rows.filter { $0.value == "1" }.map(\.option))
        let values = item.answerOption.map(\.value).filter { chosen.contains($0.text) }
        if acceptsFreeText, chosen.contains(Item.otherCode) {
            return text.map { .optionsAndFreeText(values, $0) }
        }
        return values.isEmpty ? nil : .options(values)
    }

    static func redcap(_ item: Item) -> REDCapFieldType {
        if item.repeats { return ("checkbox", nil) }
        if item.itemControl == .autocomplete { return ("dropdown", "autocomplete") }
        return (item.itemControl == .dropDown ? "dropdown" : "radio", nil)
    }
}
