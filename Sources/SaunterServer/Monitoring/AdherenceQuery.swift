import SaunterCore
import SaunterStore

/// The query of the adherence of a study: which participants, and which of their occasions.
struct AdherenceQuery: Sendable {
    /// The highest number of a study day in a query.
    private static let maximumDay = 36_500

    static let parameters: [QueryParameter] = [
        ParticipantQuery.pseudonym, ParticipantQuery.arm,
        QueryParameter(
            "questionnaire", .string(minLength: 1, maxLength: 100),
            "Only occasions of the questionnaire with this code."),
        QueryParameter(
            "from_day", .integer(min: 0, max: maximumDay),
            "Only occasions of this study day or later. The day of the enrolment is day 0."),
        QueryParameter(
            "to_day", .integer(min: 0, max: maximumDay), "Only occasions of this study day or earlier."),
        .limit, .cursor,
    ]

    let participants: ParticipantQuery
    private let questionnaire: String?
    private let firstDay: Int?
    private let lastDay: Int?

    /// - Parameter arm: the code of an arm that the query names.
    /// - Throws: `request-invalid` for days in the wrong order, and for a cursor of another list.
    init(_ call: Call<Identity>, arm: (String) -> String) throws(Problem) {
        participants = try ParticipantQuery(call, arm: arm)
        questionnaire = call.query("questionnaire")
        firstDay = call.queryInt("from_day")
        lastDay = call.queryInt("to_day")
        if let firstDay, let lastDay, lastDay < firstDay {
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(
                        pointer: "/to_day", code: "before_from",
                        detail: "`to_day` must not be before `from_day`.")
                ]))
        }
    }

    /// The occasions that fit the questionnaire and the study days.
    func select(_ occasions: [Occasion], enrolledOn start: LocalDate) -> [Occasion] {
        occasions.filter { occasion in
            let day = occasion.localDate.days - start.days
            return questionnaire.map { $0 == occasion.questionnaire } ?? true
                && firstDay.map { day >= $0 } ?? true && lastDay.map { day <= $0 } ?? true
        }
    }
}
