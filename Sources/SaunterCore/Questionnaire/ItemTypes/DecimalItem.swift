/// A number with decimals.
enum DecimalItem: NumberForm {
    static let properties: Set<ItemProperty> = [
        .repeats, .bounds, .decimalPlaces, .step, .unit, .initial, .placeholder,
    ]

    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        guard let number = reader.decimal(value, pointer), reader.isWithin(number, nil, pointer) else {
            return nil
        }
        return .decimal(number)
    }
    static func answer(text: String) -> Answer? {
        Double(text).flatMap { $0.isFinite ? .decimal($0) : nil }
    }
    static func answer(number: Double) -> Answer? { .decimal(number) }

    static let covariateReadings: Set<CovariateSource.Reading> = [.value]

    static func redcap(_ item: Item) -> REDCapFieldType { ("text", "number") }
    static let xlsForm = ["decimal", "number"]
}
