import SaunterCore
import SaunterStore

/// The state of a study at one instant, as its team sees it first.
struct StudyOverview: Sendable {
    /// By what the course of enrolment is divided.
    enum Grouping: String, Sendable, CaseIterable {
        case arm, stratum, none
    }

    /// How many participants of a group had enrolled by each date.
    struct Course: Sendable, Hashable {
        /// The arm or the stratum; nil if the participants are not divided.
        var group: String?
        /// One point for each local date on which a participant of the group enrolled.
        var points: [Point]

        struct Point: Sendable, Hashable {
            var date: LocalDate
            /// Everyone of the group who enrolled on this date or earlier.
            var total: Int
        }
    }

    var asOf: Instant
    /// Sorted by date.
    var days: [EnrolmentDay]
    var numbers: StudyNumbers
    var troubles: [EnrolmentID: [ParticipantTrouble]]
    /// The number of participants whom the live version of the study wants to enrol; nil if it states none.
    var target: Int?

    /// The courses of the groups that have a participant, sorted by group.
    func courses(by grouping: Grouping, _ arms: ArmView = .codes) -> [Course] {
        let groups = Dictionary(grouping: days) { day -> String? in
            switch grouping {
            case .arm: arms.name(day.arm)
            case .stratum: day.stratum
            case .none: nil
            }
        }
        return groups.map { Course(group: $0.key, points: Self.points($0.value)) }
            .sorted { $0.group ?? "" < $1.group ?? "" }
    }

    private static func points(_ days: [EnrolmentDay]) -> [Course.Point] {
        var points: [Course.Point] = []
        for day in days {
            let total = (points.last?.total ?? 0) + day.enrolled
            if points.last?.date == day.date { points.removeLast() }
            points.append(Course.Point(date: day.date, total: total))
        }
        return points
    }

    // MARK: JSON

    func json(by grouping: Grouping, _ arms: ArmView) -> JSON {
        [
            "as_of": .instant(asOf),
            "steps": [
                "enrolled": .int(sum(\.enrolled)), "active": .int(sum(\.active)),
                "finished": .int(sum(\.finished)), "stopped": .int(sum(\.stopped)),
            ],
            "today": [
                "due": .int(numbers.dueToday), "answered": .int(numbers.answeredToday),
                "late": .int(numbers.lateToday), "open": .int(numbers.openToday),
                "last_record_at": .instant(numbers.lastRecordAt), "silent": .bool(numbers.isSilent),
            ],
            "trouble": .array(ParticipantTrouble.Code.allCases.map(json)),
            "target": .optional(target) { .int($0) },
            "group": .string(grouping.rawValue),
            "enrolment": .array(
                courses(by: grouping, arms).map { course in
                    [
                        "group": .optional(course.group, JSON.string),
                        "points": .array(
                            course.points.map {
                                ["date": .string($0.date.description), "total": .int($0.total)]
                            }),
                    ]
                }),
        ]
    }

    private func sum(_ count: (EnrolmentDay) -> Int) -> Int { days.reduce(0) { $0 + count($1) } }

    private func json(_ code: ParticipantTrouble.Code) -> JSON {
        let found = troubles.values.joined().filter { $0.code == code }
        return [
            "code": .string(code.rawValue), "participants": .int(found.count),
            "oldest_at": .instant(found.map(\.since).min()),
        ]
    }

    static let schema = Schema.named(
        "StudyOverview",
        .object([
            .required("as_of", .instant, "The instant of the numbers."),
            .required(
                "steps",
                .object([
                    .required("enrolled", .integer(min: 0), "All participants, those who stopped included."),
                    .required("active", .integer(min: 0), "Participants who have not stopped."),
                    .required(
                        "finished", .integer(min: 0),
                        """
                        The active participants for whom the last day of the study is over, by the live version and \
                        their local date.
                        """),
                    .required("stopped", .integer(min: 0), "Participants who stopped."),
                ]), "The participants by how far they are."),
            .required(
                "today",
                .object([
                    .required("due", .integer(min: 0), "The occasions of today."),
                    .required("answered", .integer(min: 0), "Those that are answered."),
                    .required("late", .integer(min: 0), "The answered ones that were answered late."),
                    .required(
                        "open", .integer(min: 0), "The unanswered ones whose window is open now."),
                    .required("last_record_at", .nullable(.instant), StaffStudy.lastRecordText),
                    .required("silent", .boolean, StaffStudy.silentText),
                ]), "The occasions of today, by the local date of each participant."),
            .required(
                "trouble",
                .array(
                    of: .object([
                        .required("code", ParticipantTrouble.codes, ParticipantTrouble.codesText),
                        .required(
                            "participants", .integer(min: 0), "The number of participants with this problem."
                        ),
                        .required(
                            "oldest_at", .nullable(.instant), "The earliest start; null if there is none."),
                    ])), "Each kind of problem that the team can act on."),
            .required(
                "target", .nullable(.integer(min: 1)),
                "How many participants the live version of the study wants to enrol; null if it states no target."
            ),
            .required(
                "group", .string(values: Grouping.allCases.map(\.rawValue)),
                "By what `enrolment` is divided."),
            .required(
                "enrolment",
                .array(
                    of: .object([
                        .required(
                            "group", .nullable(.string()),
                            "The arm or the stratum; null if the participants are not divided."),
                        .required(
                            "points",
                            .array(
                                of: .object([
                                    .required(
                                        "date", .string(format: .date),
                                        "A local date on which participants of the group enrolled."),
                                    .required(
                                        "total", .integer(min: 0),
                                        "The number who enrolled on this date or earlier."),
                                ])), "The steps of the course, by date."),
                    ])), "How many participants had enrolled by each date, by group."),
        ]))
}

extension ParticipantTrouble {
    static let codes = Schema.string(values: Code.allCases.map(\.rawValue))
    static let codesText = """
        `never_started`: a window has closed, and neither an answer sheet nor a walk has arrived; `unreachable`: \
        messages fail on a channel; `unsent`: a device has numbered records that have not arrived; `quarantined`: \
        records conflict with stored ones.
        """

    var json: JSON { ["code": .string(code.rawValue), "since": .instant(since)] }

    static let schema = Schema.object([
        .required("code", codes, codesText),
        .required(
            "since", .instant, "When it began. For `unsent`, when the device last sent a numbered record."),
    ])
}
