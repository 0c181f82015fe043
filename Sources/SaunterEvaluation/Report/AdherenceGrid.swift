import SaunterCore

/// The adherence of each participant on each day of the study.
package struct AdherenceGrid: Sendable {
    /// One day of one participant.
    package struct Cell: Sendable, Hashable {
        /// The number of occasions that were answered or closed unanswered.
        package let due: Int
        /// Of these, the answered ones.
        package let done: Int
        /// Of these, the ones that were answered after they were due.
        package let late: Int
    }

    /// Sorted by pseudonym. `days` maps the days since enrolment to the settled occasions that were planned for
    /// that day.
    package let participants: [(pseudonym: String, days: [Int: Cell])]

    /// The number of due occasions of all participants and days.
    package var due: Int { cells.reduce(0) { $0 + $1.due } }
    /// The number of answered occasions of all participants and days.
    package var done: Int { cells.reduce(0) { $0 + $1.done } }
    /// The number of occasions of all participants and days that were answered late.
    package var late: Int { cells.reduce(0) { $0 + $1.late } }

    private var cells: [Cell] { participants.flatMap { $0.days.values } }

    var json: JSON {
        [
            "due": .int(due), "done": .int(done), "late": .int(late),
            "people": .array(
                participants.map { pseudonym, days in
                    [
                        "participant_id": .string(pseudonym),
                        "days": .array(
                            days.sorted { $0.key < $1.key }.map { day, cell in
                                [
                                    "study_day": .int(day), "due": .int(cell.due), "done": .int(cell.done),
                                    "late": .int(cell.late),
                                ]
                            }),
                    ]
                }),
        ]
    }
}
