/// An order of all options, which the participant gives at once or by comparing pairs.
enum RankingItem: ItemTypeDefinition {
    static let form = AnswerForm.ranking
    static let properties: Set<ItemProperty> = [.shuffle, .initial]

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.ranking(value, pointer)
    }

    static let slotKind = AnswerCodec.Slot.Kind.rank
    static func answer(to item: Item, rows: [RepeatedAnswer], text: String?) -> Answer? { nil }

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType {
        throw ExpressionNameFault(detail: "\(item.linkId) is a ranking, which has no value")
    }
    static func variableType(of item: Item) -> ExpressionType? {
        .several(item.answerOption.first?.value.expressionType ?? .text)
    }

    /// A choice accepts the same answers.
    static let fhir: ItemType? = .choice
    static func redcap(_ item: Item) -> REDCapFieldType { ("notes", nil) }
    static let answerSeconds = 20.0
}
