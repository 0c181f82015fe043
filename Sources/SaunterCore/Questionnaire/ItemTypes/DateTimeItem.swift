/// A date with a time of day, which is stored as an instant.
enum DateTimeItem: MomentForm {
    static let storedName: String? = "date_time"
    static let noun = "a date and time"
    static let invalid = (
        code: "invalid_date_time",
        detail: "This item expects a date and time of RFC 3339 with an offset, such as 2026-11-21T08:00:00Z."
    )

    static func answer(text: String) -> Answer? { Instant(text).map { .dateTime($0) } }
    static func answer(number: Double) -> Answer? {
        guard let milliseconds = Int64(exactly: number),
            Instant(milliseconds: milliseconds).milliseconds == milliseconds
        else { return nil }
        return .dateTime(Instant(milliseconds: milliseconds))
    }

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType { .instant }

    static let column = AnswerColumn.instant
    static func redcap(_ item: Item) -> REDCapFieldType { ("text", "datetime_seconds_ymd") }
    static let xlsForm = ["datetime", "date time"]
}
