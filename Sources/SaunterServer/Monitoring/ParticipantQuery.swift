import SaunterCore
import SaunterStore

/// The query of a list of participants: filters, order and position.
struct ParticipantQuery: Sendable {
    /// The values of `state`: the steps and the problems that the overview of a study counts.
    static let states =
        ["active", "finished", "stopped"] + ParticipantTrouble.Code.allCases.map(\.rawValue)

    static let pseudonym = QueryParameter(
        "q", .string(minLength: 1, maxLength: 100),
        "Only participants whose pseudonym begins with this text, in capitals or not.")
    static let arm = QueryParameter(
        "arm", .string(minLength: 1, maxLength: 100), "Only participants of this arm.")

    static let parameters: [QueryParameter] = [
        pseudonym, arm,
        QueryParameter(
            "state", .string(values: states),
            """
            Only participants who have not stopped (`active`), those of them for whom the last day of the study is \
            over (`finished`), those who stopped, or those with this problem.
            """),
        QueryParameter(
            "enrolled_from", .string(format: .date),
            "Only participants who enrolled on this local date or later."),
        QueryParameter(
            "enrolled_to", .string(format: .date),
            "Only participants who enrolled on this local date or earlier."),
        QueryParameter(
            "sort", .string(values: ParticipantOrder.values),
            """
            The value by which participants are sorted; with a minus sign, the largest first. The default is \
            `participant_id`. Participants with the same value are sorted by pseudonym. Those without the value are \
            last in both directions: participants without a sheet (`last_sheet_at`), without a settled occasion \
            (`adherence`), without missing records (`unsent`) or without problems (`trouble`, their number). \
            `arm` is the order of the names that the caller sees. `state` lists participants who never started first, \
            then those who take part, those for whom the last day is over, and those who stopped. The order by \
            `adherence` is that of the percentage as the rows state it, at the instant of the request: a participant \
            whose percentage changes between two pages can be on both or on none.
            """),
        .limit, .cursor,
    ]

    let order: ParticipantOrder
    /// The order as in the query. A cursor belongs to one order.
    let orderText: String
    let position: ParticipantOrder.Position?
    private let state: String?
    private let text: String?
    private let arm: String?
    private let enrolled: DateRange

    /// - Parameter arm: the code of an arm that the query names.
    /// - Throws: `request-invalid` for dates in the wrong order, and for a cursor of another order.
    init(_ call: Call<Identity>, arm: (String) -> String) throws(Problem) {
        state = call.query("state")
        text = call.query("q")
        self.arm = call.query("arm").map(arm)
        enrolled = try DateRange(call, from: "enrolled_from", to: "enrolled_to")
        orderText = call.query("sort") ?? ParticipantOrder.Key.participantID.rawValue
        guard let order = ParticipantOrder(orderText) else { throw Problem(.internalError) }
        self.order = order
        position = try Self.position(call, orderText)
    }

    private static func position(
        _ call: Call<Identity>, _ order: String
    ) throws(Problem) -> ParticipantOrder.Position? {
        guard let cursor = try call.cursor(parts: 3) else { return nil }
        guard cursor.parts[0] == order, let value = Int64(cursor.parts[1]) else { throw .invalidCursor }
        return ParticipantOrder.Position(value: value, participantID: cursor.parts[2])
    }

    /// The problem that the participants must have; nil for any or none.
    var trouble: ParticipantTrouble.Code? { state.flatMap { ParticipantTrouble.Code(rawValue: $0) } }

    /// The filters, without that for a problem.
    /// - Parameter days: the number of the last day of the study.
    func filter(days: Int) -> ParticipantFilter {
        var filter = ParticipantFilter()
        filter.pseudonym = text
        filter.arm = arm
        filter.state = state == "finished" ? .active : state.flatMap { EnrolmentState(rawValue: $0) }
        filter.finishedAfter = state == "finished" ? days : nil
        filter.enrolledFrom = enrolled.from
        filter.enrolledTo = enrolled.to
        return filter
    }

    /// The cursor after a participant of this list.
    func cursor(after position: ParticipantOrder.Position) -> Cursor {
        Cursor([orderText, String(position.value), position.participantID])
    }
}
