/// A whole number.
enum IntegerItem: NumberForm {
    static let properties: Set<ItemProperty> = [.repeats, .bounds, .step, .unit, .initial, .placeholder]
    static let isWhole = true

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        guard let number = reader.literal(value, pointer) else { return nil }
        guard let whole = number.int else {
            if number.decimalDigits.isWhole {
                reader.noteTooLarge(pointer)
            } else {
                reader.faults.add(pointer, "not_whole", "This item expects a whole number.")
            }
            return nil
        }
        return reader.isWithin(Double(whole), nil, pointer) ? .integer(whole) : nil
    }
    static func answer(text: String) -> Answer? { Int(text).map { .integer($0) } }
    static func answer(number: Double) -> Answer? { Int(exactly: number).map { .integer($0) } }

    static func variableKey(of item: Item, in questionnaire: String) -> VariableSignature.Key? {
        .init(type: .number, known: nil, label: .plain)
    }
    /// A year of birth gives an age.
    static let covariateReadings: Set<CovariateSource.Reading> = [.value, .yearsSince]

    static let column = AnswerColumn.integer
    static func redcap(_ item: Item) -> REDCapFieldType {
        item.itemControl == .slider ? ("slider", nil) : ("text", "integer")
    }
    static let xlsForm = [
        "integer", "int", "add integer prompt", "number of days in last month", "percentage",
    ]
}
