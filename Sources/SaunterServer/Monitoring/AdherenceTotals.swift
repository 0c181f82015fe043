import SaunterCore
import SaunterStore

/// The adherence of several participants together, by study week, arm and questionnaire.
struct AdherenceTotals {
    /// One participant with the occasions that count.
    typealias Row = (participant: ParticipantRow, occasions: [Occasion])

    let rows: [Row]
    let now: Instant

    /// The adherence of all participants.
    var total: Adherence { Adherence(occasions: rows.flatMap(\.occasions), at: now) }

    /// The study weeks in which an occasion has opened, in order.
    private var weeks: JSON {
        let all = rows.flatMap { row in
            row.occasions.map {
                (Adherence.week(of: $0.localDate, enrolledOn: row.participant.enrolledOn), $0)
            }
        }
        let adherence = Dictionary(grouping: all, by: \.0)
            .mapValues { Adherence(occasions: $0.map(\.1), at: now) }
        return .array(
            adherence.filter { $0.value.offered > 0 }.sorted { $0.key < $1.key }.map {
                ["week": .int($0.key), "adherence": $0.value.json]
            })
    }

    private func arms(_ view: ArmView) -> JSON {
        let groups = Dictionary(grouping: rows) { view.name($0.participant.arm) }
        return .array(
            groups.sorted { $0.key < $1.key }.map { name, rows in
                [
                    "arm": .string(name), "participants": .int(rows.count),
                    "adherence": Adherence(occasions: rows.flatMap(\.occasions), at: now).json,
                ]
            })
    }

    /// The JSON list of the adherence by questionnaire.
    static func questionnaires(_ occasions: [Occasion], at now: Instant) -> JSON {
        let groups = Dictionary(grouping: occasions, by: \.questionnaire)
        return .array(
            groups.sorted { $0.key < $1.key }.map {
                [
                    "questionnaire": .string($0.key),
                    "adherence": Adherence(occasions: $0.value, at: now).json,
                ]
            })
    }

    /// - Parameter showsArms: whether the caller sees numbers by arm.
    func json(_ view: ArmView, showsArms: Bool) -> JSON {
        [
            "weeks": weeks, "arms": showsArms ? arms(view) : [],
            "questionnaires": Self.questionnaires(rows.flatMap(\.occasions), at: now),
        ]
    }

    static let questionnairesSchema = Schema.array(
        of: .object([
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("adherence", Adherence.schema, "The adherence for this questionnaire."),
        ]))

    static let schema = Schema.named(
        "AdherenceTotals",
        .object([
            .required("weeks", Adherence.weeksSchema, "Study weeks in which an occasion has opened."),
            .required(
                "arms",
                .array(
                    of: .object([
                        .required("arm", .string(), ArmView.description),
                        .required(
                            "participants", .integer(min: 0), "The number of participants on this page."),
                        .required("adherence", Adherence.schema, "The adherence of these participants."),
                    ])), "The adherence by arm, sorted by its name; empty if the numbers would reveal arms."),
            .required("questionnaires", questionnairesSchema, "The adherence by questionnaire."),
        ]))
}
