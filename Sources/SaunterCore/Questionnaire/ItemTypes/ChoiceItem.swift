/// One option, or several if the item repeats.
enum ChoiceItem: OptionsForm {
    static let properties: Set<ItemProperty> = [.repeats, .shuffle, .initial]

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.option(value, pointer).map { .option($0.value) }
    }
    static func readSeveral(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.options(value, pointer)
    }

    static let slotKind = AnswerCodec.Slot.Kind.choice

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType {
        item.answerOption.first?.value.expressionType ?? .text
    }
    static let covariateReadings: Set<CovariateSource.Reading> = [.value]

    static let answerSeconds = 4.0
}
