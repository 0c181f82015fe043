import SaunterCore

extension Adherence {
    /// Contains the numerator and denominator of each percentage, except for `live_percent`, which changes until the
    /// occasions close.
    var json: JSON {
        [
            "settled": .int(settled), "completed": .int(completed), "on_time": .int(onTime),
            "adherence_percent": .optional(adherence, JSON.double),
            "on_time_percent": .optional(onTimePercent, JSON.double), "live_percent": .int(live),
        ]
    }

    static let schema = Schema.named(
        "Adherence",
        .object([
            .required(
                "settled", .integer(min: 0),
                "The number of occasions that are answered, or whose window has closed."),
            .required("completed", .integer(min: 0), "The number of settled occasions that are answered."),
            .required(
                "on_time", .integer(min: 0), "The number of settled occasions that were answered on time."),
            .required(
                "adherence_percent", .nullable(.number(min: 0, max: 100)),
                "completed as a percentage of settled, with one decimal; null while settled is 0."),
            .required(
                "on_time_percent", .nullable(.number(min: 0, max: 100)),
                "on_time as a percentage of settled, with one decimal; null while settled is 0."),
            .required(
                "live_percent", .integer(min: 0, max: 100),
                "Answered occasions as a whole percentage of all that have opened. 100 while none has opened."
            ),
        ]))

    /// The JSON list of `weeks(of:enrolledOn:at:)`.
    static func weeksJSON(of occasions: [Occasion], enrolledOn start: LocalDate, at now: Instant) -> JSON {
        .array(
            weeks(of: occasions, enrolledOn: start, at: now).map {
                ["week": .int($0.week), "adherence": $0.adherence.json]
            })
    }

    static let weeksSchema = Schema.array(
        of: .object([
            .required("week", .integer(), "Week 1 begins on the day of the enrolment."),
            .required("adherence", schema, "The adherence of this week."),
        ]))
}

extension Streak {
    var json: JSON { ["current": .int(current), "best": .int(best)] }

    static let schema = Schema.named(
        "Streak",
        .object([
            .required(
                "current", .integer(min: 0),
                "It continues over dates on which nothing has been missed yet, such as today."
            ),
            .required("best", .integer(min: 0), "The longest streak so far, the current one included."),
        ]))
}
