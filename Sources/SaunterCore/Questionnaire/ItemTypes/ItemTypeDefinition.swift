/// The definition of one item type: how it is read, checked, stored, compared, scored, exported and mapped to other
/// formats. Each type has its own file in this folder. Types whose answers have the same form share defaults in
/// `AnswerForms.swift`.
package protocol ItemTypeDefinition {
    /// The form of the answers.
    static var form: AnswerForm { get }
    /// The name of the type in the dataset and in stored rows; nil for the raw value.
    static var storedName: String? { get }
    /// The type that stores its answers in the same way, so that a later version of a study can change the item to it;
    /// nil if there is none.
    static var succession: ItemType? { get }
    /// The properties that an item of this type may have, besides those of all items.
    static var properties: Set<ItemProperty> { get }
    /// Whether bounds, steps and answers are whole numbers.
    static var isWhole: Bool { get }
    /// Whether an answer can be free text instead of an option.
    static var acceptsFreeText: Bool { get }
    /// The default and the greatest `maxLength`, in Unicode scalars.
    static var maximumLength: Int { get }

    /// Parses and validates one submitted value. Nil is a blank, or a value with a fault.
    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer?
    /// Parses and validates the submitted value of a repeating item.
    static func readSeveral(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer?
    /// Restores a single answer from `Answer.datasetText`. Nil for a text that is not an answer, and for types whose
    /// answers need their item.
    static func answer(text: String) -> Answer?

    /// How a single answer is stored.
    static var slotKind: AnswerCodec.Slot.Kind { get }
    /// Restores an answer from its element of `StoredAnswers.numbers`, which is within ±(2^53 − 1).
    static func answer(number: Double) -> Answer?
    /// The option codes that each have a row, if the answer is stored in rows.
    static func rowOptions(of item: Item) -> [String]
    /// Restores an answer from its rows, which have the options `rowOptions`. Nil for rows that are impossible.
    /// - Parameter text: the stored text of the answer.
    static func answer(to item: Item, rows: [RepeatedAnswer], text: String?) -> Answer?

    /// The type of one answer in an expression.
    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType
    /// The type of the answer in an expression over variables; nil if a variable cannot have the answer as its value.
    static func variableType(of item: Item) -> ExpressionType?
    /// What the answers are as keys of a variable; nil if they cannot be keys.
    static func variableKey(of item: Item, in questionnaire: String) -> VariableSignature.Key?
    /// How an answer can supply a covariate.
    static var covariateReadings: Set<CovariateSource.Reading> { get }
    /// The answers as written in recoding tables and codes of scoring keys. Nil if there is no closed list.
    static func writtenAnswers(to item: Item) -> [String]?

    /// The type of the dataset's columns with answers.
    static var column: AnswerColumn { get }
    /// The type as which FHIR R4 knows it; nil for the type itself.
    static var fhir: ItemType? { get }
    /// The equivalent in REDCap, for an item that becomes one field.
    static func redcap(_ item: Item) -> REDCapFieldType
    /// The XLSForm types that are imported as this type, in lower case and with spaces instead of underscores.
    static var xlsForm: [String] { get }
    /// The estimated time to answer, in seconds.
    static var answerSeconds: Double { get }
}

extension ItemTypeDefinition {
    static var storedName: String? { nil }
    static var succession: ItemType? { nil }
    static var isWhole: Bool { false }
    static var acceptsFreeText: Bool { false }
    static var maximumLength: Int { 1000 }

    static func readSeveral(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        reader.item.isList ? reader.list(value, pointer) : read(value, pointer, by: &reader)
    }
    static func answer(text: String) -> Answer? { nil }
    static func answer(number: Double) -> Answer? { nil }
    static func rowOptions(of item: Item) -> [String] { [""] }
    static func answer(to item: Item, rows: [RepeatedAnswer], text: String?) -> Answer? {
        rows.first?.value.flatMap { answer(text: $0) }
    }

    static func variableType(of item: Item) -> ExpressionType? {
        (try? expressionType(of: item)).map { item.repeats ? .several($0) : $0 }
    }
    static func variableKey(of item: Item, in questionnaire: String) -> VariableSignature.Key? { nil }
    static var covariateReadings: Set<CovariateSource.Reading> { [] }
    static func writtenAnswers(to item: Item) -> [String]? { nil }

    static var column: AnswerColumn { .string }
    static var fhir: ItemType? { nil }
    static var answerSeconds: Double { 8 }
    static var xlsForm: [String] { [] }
}

/// The form of an answer, which decides the cases of `Answer` that are possible.
package enum AnswerForm: Sendable, Hashable {
    /// No answer: the item is not a question.
    case nothing
    case truth, number, text
    /// A date, a time of day, or both.
    case moment
    /// One or several options.
    case options
    /// All options, in an order.
    case ranking
    case location

    /// Whether conditions may use other operators than `exists`.
    package var isComparable: Bool { isOrdered || self == .truth || self == .text }
    /// Whether conditions may use `<` and `>`. The options of the item must then be numbers.
    package var isOrdered: Bool { self == .number || self == .moment || self == .options }
}

/// The properties that only some item types may have. `bounds` are `minValue` and `maxValue`; `lengths` are
/// `minLength`, `maxLength` and `regex`; `units` are `unitOption`.
package enum ItemProperty: Sendable {
    case repeats, bounds, lengths, decimalPlaces, step, unit, units, shuffle, initial, placeholder
}

/// The type of the dataset's columns with answers.
package enum AnswerColumn: String, Sendable {
    case string, integer, number, boolean, date, instant, time
}

/// The type and the validation of a field in REDCap.
package typealias REDCapFieldType = (type: String, validation: String?)

extension ItemType {
    /// The definition of the type. This is the only list of all types.
    package var definition: any ItemTypeDefinition.Type {
        switch self {
        case .group: GroupItem.self
        case .display: DisplayItem.self
        case .boolean: BooleanItem.self
        case .integer: IntegerItem.self
        case .decimal: DecimalItem.self
        case .string: StringItem.self
        case .text: TextItem.self
        case .date: DateItem.self
        case .dateTime: DateTimeItem.self
        case .time: TimeItem.self
        case .choice: ChoiceItem.self
        case .openChoice: OpenChoiceItem.self
        case .quantity: QuantityItem.self
        case .ranking: RankingItem.self
        case .location: LocationItem.self
        }
    }

    /// The form of the answers.
    package var form: AnswerForm { definition.form }
    /// The name of the type in the dataset and in stored rows.
    package var storedName: String { definition.storedName ?? rawValue }
    /// The type as which FHIR R4 knows it.
    package var fhir: ItemType { definition.fhir ?? self }
    /// Whether the item is a question. Groups and displays are not.
    package var isQuestion: Bool { form != .nothing }
    /// Whether items of this type have options.
    package var hasOptions: Bool { form == .options || form == .ranking }
    /// Whether an answer can be free text instead of an option.
    package var acceptsFreeText: Bool { definition.acceptsFreeText }
    /// Whether answers have one of the units of `unitOption`.
    package var hasUnits: Bool { permits(.units) }
    /// Whether items of this type have an input field, which can show a placeholder.
    package var hasPlaceholder: Bool { permits(.placeholder) }

    /// Whether items of this type may have a property.
    package func permits(_ property: ItemProperty) -> Bool { definition.properties.contains(property) }

    /// Restores an answer from its stored number. Returns nil for a number that is impossible for the type, such as NaN
    /// or half a day.
    package func answer(storedNumber value: Double) -> Answer? {
        value.isFinite && abs(value) <= 9_007_199_254_740_991 ? definition.answer(number: value) : nil
    }
}
