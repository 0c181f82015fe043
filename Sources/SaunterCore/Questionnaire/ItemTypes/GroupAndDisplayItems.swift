/// A group of items. It has no answer itself; a repeating group has instances.
enum GroupItem: UnaskedItem {
    static let properties: Set<ItemProperty> = [.repeats, .shuffle]
}

/// A text that is shown between questions.
enum DisplayItem: UnaskedItem {
    static let properties: Set<ItemProperty> = []
    static let xlsForm = ["note", "add note prompt"]
}

/// The defaults of the two types that are not questions.
protocol UnaskedItem: ItemTypeDefinition {}

extension UnaskedItem {
    static var form: AnswerForm { .nothing }

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.faults.add(
            pointer, "not_a_question", "An item of type \(reader.item.type.rawValue) has no answer.")
        return nil
    }

    static var slotKind: AnswerCodec.Slot.Kind { .text }
    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType {
        throw ExpressionNameFault(
            detail: "\(item.linkId) is an item of type \(item.type.rawValue), which has no answer")
    }

    static func redcap(_ item: Item) -> REDCapFieldType { ("descriptive", nil) }
    static var answerSeconds: Double { 0 }
}
