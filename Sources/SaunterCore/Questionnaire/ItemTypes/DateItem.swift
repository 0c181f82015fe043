/// A date.
enum DateItem: MomentForm {
    static let noun = "a date"
    static let invalid = (
        code: "invalid_date", detail: "This item expects a date that exists, in the form yyyy-mm-dd."
    )

    static func answer(text: String) -> Answer? { LocalDate(text).map { .date($0) } }
    static func answer(number: Double) -> Answer? {
        guard let days = Int(exactly: number), LocalDate(days: days).days == days else { return nil }
        return .date(LocalDate(days: days))
    }

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType { .date }
    static func variableKey(of item: Item, in questionnaire: String) -> VariableSignature.Key? {
        .init(type: .date, known: [], label: .date)
    }
    /// A date of birth gives an age.
    static let covariateReadings: Set<CovariateSource.Reading> = [.yearsSince]

    static let column = AnswerColumn.date
    static func redcap(_ item: Item) -> REDCapFieldType { ("text", "date_ymd") }
    static let xlsForm = ["date", "add date prompt"]
}
