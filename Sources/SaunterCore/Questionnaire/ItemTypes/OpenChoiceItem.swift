/// One option or free text. If the item repeats: several options, and free text in addition.
enum OpenChoiceItem: OptionsForm {
    static let storedName: String? = "open_choice"
    static let properties: Set<ItemProperty> = [.repeats, .lengths, .shuffle, .initial, .placeholder]
    static let acceptsFreeText = true

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        guard value.object == nil else { return reader.freeText(value, pointer).map { .freeText($0) } }
        return reader.option(value, pointer).map { .option($0.value) }
    }
    static func readSeveral(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.openChoices(value, pointer)
    }

    static let slotKind = AnswerCodec.Slot.Kind.openChoice

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType {
        guard item.answerOption.first?.value.isNumber == false else {
            throw ExpressionNameFault(detail: "\(item.linkId) can be answered with numbers and with text")
        }
        return .text
    }
}
