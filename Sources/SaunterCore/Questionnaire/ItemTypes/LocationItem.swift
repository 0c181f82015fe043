/// Coordinates that the device records.
enum LocationItem: ItemTypeDefinition {
    static let form = AnswerForm.location
    static let properties: Set<ItemProperty> = [.repeats]

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.location(value, pointer)
    }

    static let slotKind = AnswerCodec.Slot.Kind.location
    static func rowOptions(of item: Item) -> [String] { Location.rowOptions }
    static func answer(to item: Item, rows: [RepeatedAnswer], text: String?) -> Answer? {
        let numbers = rows.map { $0.value.flatMap { Double($0) } }
        guard zip(rows, numbers).allSatisfy({ $0.value == nil || $1 != nil }) else { return nil }
        return Location(numbers: numbers).map { .location($0) }
    }

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType {
        throw ExpressionNameFault(detail: "\(item.linkId) is a location, which has no value")
    }
    static func variableKey(of item: Item, in questionnaire: String) -> VariableSignature.Key? {
        .init(type: .text, known: [], label: .location)
    }

    /// FHIR has no answer with coordinates.
    static let fhir: ItemType? = .string
    static func redcap(_ item: Item) -> REDCapFieldType { ("text", nil) }
    static let xlsForm = ["geopoint", "gps", "add location prompt"]
    static let answerSeconds = 4.0
}
