import SaunterCore

extension Adherence {
    /// Numerator and denominator stand beside every percentage but `live_percent`, which is a view of what still goes on.
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
            .required("settled", .integer(min: 0), "Occasions whose window is over, or that are answered."),
            .required("completed", .integer(min: 0)), .required("on_time", .integer(min: 0)),
            .required(
                "adherence_percent", .nullable(.number(min: 0, max: 100)),
                "One decimal; null while nothing is settled."),
            .required("on_time_percent", .nullable(.number(min: 0, max: 100))),
            .required(
                "live_percent", .integer(min: 0, max: 100),
                "Answered ones of all that have opened, still open ones included, without decimals; 100 while none has."
            ),
        ]))

    /// `weeks(of:enrolledOn:at:)` as a list.
    static func weeksJSON(of occasions: [Occasion], enrolledOn start: LocalDate, at now: Instant) -> JSON {
        .array(
            weeks(of: occasions, enrolledOn: start, at: now).map {
                ["week": .int($0.week), "adherence": $0.adherence.json]
            })
    }

    static let weeksSchema = Schema.array(
        of: .object([
            .required("week", .integer(), "1 is the one that begins with the day of enrolment."),
            .required("adherence", schema),
        ]))
}

extension Streak {
    var json: JSON { ["current": .int(current), "best": .int(best)] }

    static let schema = Schema.named(
        "Streak",
        .object([
            .required(
                "current", .integer(min: 0),
                "It lasts while the dates since can still be met: today, and those of which nothing was missed yet."
            ),
            .required("best", .integer(min: 0), "The longest there was, the current one included."),
        ]))
}
