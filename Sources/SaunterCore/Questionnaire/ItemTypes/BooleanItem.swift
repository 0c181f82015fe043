/// Yes or no.
enum BooleanItem: ItemTypeDefinition {
    static let form = AnswerForm.truth
    static let properties: Set<ItemProperty> = [.initial]

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        value.bool.map { .boolean($0) } ?? reader.wrongType(pointer, "true or false")
    }
    static func answer(text: String) -> Answer? {
        text == "1" ? .boolean(true) : text == "0" ? .boolean(false) : nil
    }

    static let slotKind = AnswerCodec.Slot.Kind.boolean

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType { .boolean }
    static func variableKey(of item: Item, in questionnaire: String) -> VariableSignature.Key? {
        .init(type: .text, known: ["true", "false"], label: .plain)
    }
    static let covariateReadings: Set<CovariateSource.Reading> = [.value]
    static func writtenAnswers(to item: Item) -> [String]? { ["true", "false"] }

    static let column = AnswerColumn.boolean
    static func redcap(_ item: Item) -> REDCapFieldType { ("yesno", nil) }
    static let answerSeconds = 4.0
}
