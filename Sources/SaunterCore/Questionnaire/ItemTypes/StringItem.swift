/// A short text.
enum StringItem: TextForm {
    static func readSeveral(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.item.isComparedList && value.object != nil
            ? reader.comparedWords(value, pointer) : reader.list(value, pointer)
    }

    static func redcap(_ item: Item) -> REDCapFieldType { ("text", nil) }
    static let xlsForm = ["text", "string", "phone number", "add text prompt"]
    static let answerSeconds = 20.0
}
