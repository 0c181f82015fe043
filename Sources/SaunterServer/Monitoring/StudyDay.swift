import SaunterCore

/// One study day of a participant: its state, and the occasions by their result.
struct StudyDay: Sendable {
    /// Day 0 is the day of the enrolment.
    let number: Int
    let date: LocalDate
    let state: DayState
    private let adherence: Adherence
    private let states: [OccasionState]

    /// - Parameters:
    ///   - occasions: the occasions of the day.
    ///   - start: the local date of the enrolment.
    init(_ number: Int, _ occasions: [Occasion], enrolledOn start: LocalDate, at now: Instant) {
        self.number = number
        date = start.adding(days: number)
        state = DayState(occasions: occasions, at: now)
        adherence = Adherence(occasions: occasions, at: now)
        states = occasions.map { $0.state(at: now) }
    }

    /// The occasions by study day.
    static func group(_ occasions: [Occasion], enrolledOn start: LocalDate) -> [Int: [Occasion]] {
        Dictionary(grouping: occasions) { $0.localDate.days - start.days }
    }

    private func count(_ wanted: OccasionState...) -> JSON {
        .int(states.count { wanted.contains($0) })
    }

    var json: JSON {
        [
            "study_day": .int(number), "date": .string(date.description), "state": .string(state.rawValue),
            "planned": .int(states.count { !Self.unplanned.contains($0) }),
            "offered": .int(adherence.offered), "settled": .int(adherence.settled),
            "completed": .int(adherence.completed), "on_time": .int(adherence.onTime),
            "late": count(.completedLate), "missed": count(.missed), "open": count(.open, .overdue),
            "paused": count(.paused),
        ]
    }

    private static let unplanned: Set<OccasionState> = [.cancelled, .notApplicable, .nonexistent, .withdrawn]

    static let schema = Schema.named(
        "ParticipantDay",
        .object([
            .required("study_day", .integer(), "The day of the study; day 0 is the day of the enrolment."),
            .required("date", .string(format: .date), "The participant's local date."),
            .required(
                "state", .string(values: DayState.allCases.map(\.rawValue)),
                """
                All answered on time (`on_time`) or some of them late (`late`); some answered and some missed (`partly`), \
                all missed, not over yet (`open`), not begun (`upcoming`), paused, or nothing planned.
                """),
            .required(
                "planned", .integer(min: 0),
                """
                The number of occasions of the day. Occasions that were cancelled, do not apply or ended with the \
                participation do not count, unless they were answered. `planned` minus `completed`, `missed`, `open` and \
                `paused` is the number of occasions that open later.
                """),
            .required(
                "offered", .integer(min: 0),
                "The number of occasions of the day whose window has opened, including answered ones."),
            .required(
                "settled", .integer(min: 0),
                "The number of occasions of the day that are answered, or whose window has closed."),
            .required("completed", .integer(min: 0), "The number of occasions of the day that are answered."),
            .required(
                "on_time", .integer(min: 0),
                "The number of occasions of the day that were answered on time."),
            .required(
                "late", .integer(min: 0), "The number of occasions of the day that were answered late."),
            .required(
                "missed", .integer(min: 0),
                "The number of occasions of the day whose window has closed without an answer."),
            .required(
                "open", .integer(min: 0), "The number of occasions of the day that can be answered now."),
            .required(
                "paused", .integer(min: 0),
                "The number of occasions of the day that do not count because of a pause."),
        ]))
}
