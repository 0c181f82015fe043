/// A time of day.
enum TimeItem: MomentForm {
    static let noun = "a time"
    static let invalid = (
        code: "invalid_time",
        detail: "This item expects a time from 00:00 to 23:59:59, in the form hh:mm or hh:mm:ss."
    )

    static func answer(text: String) -> Answer? { LocalTime(text).map { .time($0) } }
    static func answer(number: Double) -> Answer? {
        Int(exactly: number).flatMap { LocalTime(seconds: $0) }.map { .time($0) }
    }

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType { .time }

    static let column = AnswerColumn.time
    static func redcap(_ item: Item) -> REDCapFieldType { ("text", "time_hh_mm_ss") }
    static let xlsForm = ["time"]
}
