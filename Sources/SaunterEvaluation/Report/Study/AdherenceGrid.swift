import SaunterCore

/// Who did what was due on which day of the study.
package struct AdherenceGrid: Sendable {
    /// One person's day.
    package struct Cell: Sendable, Hashable {
        package let due: Int
        package let done: Int
        package let late: Int
    }

    /// By pseudonym, sorted; days since enrolment -> what was due then.
    package let people: [(person: String, days: [Int: Cell])]

    package var due: Int { cells.reduce(0) { $0 + $1.due } }
    package var done: Int { cells.reduce(0) { $0 + $1.done } }
    package var late: Int { cells.reduce(0) { $0 + $1.late } }

    private var cells: [Cell] { people.flatMap { $0.days.values } }

    var json: JSON {
        [
            "due": .int(due), "done": .int(done), "late": .int(late),
            "people": .array(
                people.map { person, days in
                    [
                        "participant_id": .string(person),
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
