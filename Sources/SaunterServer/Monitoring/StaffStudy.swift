import SaunterCore
import SaunterStore

/// One study as the list of a study team shows it.
struct StaffStudy: Sendable {
    /// The code of the study.
    var study: String
    /// The title of the live version, in the caller's language.
    var title: String
    /// The version that new participants join.
    var liveVersion: String
    /// Since when the study accepts no enrolments; nil if it is open.
    var closedAt: Instant?
    /// The roles of the caller in the study.
    var roles: [Role]
    /// Whether the caller may export the profile `full`.
    var fullExport: Bool
    /// Whether arms are hidden from members of the team who may not see them.
    var isBlinded = false
    /// Whether the caller sees the codes of arms.
    var seesArms = true
    /// Whether some version of the study has walks.
    var hasWalks = true
    /// Whether the versions of the study have more than one arm.
    var hasArms = true
    /// Nil if the caller is no researcher of the study.
    var numbers: StudyNumbers?
    /// Nil if the caller may not read alerts.
    var openAlerts: Int?

    var json: JSON {
        [
            "study": .string(study), "title": .string(title), "live_version": .string(liveVersion),
            "closed_at": .instant(closedAt), "roles": .array(roles.map { .string($0.rawValue) }),
            "full_export": .bool(fullExport), "blinded": .bool(isBlinded), "sees_arms": .bool(seesArms),
            "has_walks": .bool(hasWalks), "has_arms": .bool(hasArms),
            "enrolled": .optional(numbers?.enrolled, JSON.int),
            "active": .optional(numbers?.active, JSON.int),
            "due_today": .optional(numbers?.dueToday, JSON.int),
            "answered_today": .optional(numbers?.answeredToday, JSON.int),
            "late_today": .optional(numbers?.lateToday, JSON.int),
            "last_record_at": .instant(numbers?.lastRecordAt),
            "silent": .optional(numbers?.isSilent, JSON.bool),
            "open_alerts": .optional(openAlerts, JSON.int),
        ]
    }

    static let lastRecordText = """
        The newest completion of an answer sheet, or the newest end of a walk, since yesterday; null if there is none.
        """
    static let silentText =
        "Whether occasions have closed since yesterday, and there is no record since then."

    static let schema = Schema.named(
        "StaffStudy",
        .object([
            .required("study", .string(format: .code), "The code of the study."),
            .required("title", .string(), "The title of the study."),
            .required("live_version", .string(), "The version that new participants join."),
            .required(
                "closed_at", .nullable(.instant),
                "Since when the study accepts no enrolments; null if it is open."),
            .required(
                "roles", .array(of: .string(values: Role.allCases.map(\.rawValue))),
                "The roles of the caller in the study."),
            .required("full_export", .boolean, "Whether the caller may export the profile full."),
            .required(
                "blinded", .boolean,
                "Whether the arms of the study are hidden from members of its team who may not see them."),
            .required(
                "sees_arms", .boolean,
                "Whether the caller sees the codes of arms; false in a blinded study without this permission."
            ),
            .required("has_walks", .boolean, "Whether a published version of the study has walks."),
            .required(
                "has_arms", .boolean,
                "Whether the published versions of the study have more than one arm together."),
            .required(
                "enrolled", .nullable(.integer(min: 0)),
                "The number of participants, those who stopped included, and excluded ones not."),
            .required("active", .nullable(.integer(min: 0)), "The number of participants who take part now."),
            .required(
                "due_today", .nullable(.integer(min: 0)),
                "The number of occasions of today, by the local date of each participant."),
            .required(
                "answered_today", .nullable(.integer(min: 0)),
                "The number of occasions of today that are answered."),
            .required(
                "late_today", .nullable(.integer(min: 0)),
                "The number of occasions of today that were answered late."),
            .required("last_record_at", .nullable(.instant), lastRecordText),
            .required("silent", .nullable(.boolean), silentText),
            .required(
                "open_alerts", .nullable(.integer(min: 0)),
                "The number of alerts that no coordinator has acknowledged; null without that role."),
        ]))
}

/// The order of the studies in a list: by one value, then by code. Studies without the value are last.
struct StaffStudyOrder: Sendable {
    /// The value by which studies are sorted.
    enum Key: String, Sendable, CaseIterable {
        /// Open alerts first, then studies without any record, then the others, then the closed ones.
        case attention
        /// By code.
        case study
        case enrolled, active
        case dueToday = "due_today", answeredToday = "answered_today", lateToday = "late_today"
        case lastRecord = "last_record_at", openAlerts = "open_alerts"
    }

    let key: Key
    let isDescending: Bool

    /// The values of the query parameter `sort`. A minus sign means the largest first.
    static let values = Key.allCases.flatMap { [$0.rawValue, "-" + $0.rawValue] }

    /// Nil for a text that is not one of `values`.
    init?(_ text: String) {
        isDescending = text.hasPrefix("-")
        guard let key = Key(rawValue: isDescending ? String(text.dropFirst()) : text) else { return nil }
        self.key = key
    }

    /// The position of a study in the list.
    struct Position: Comparable {
        var value: Int64
        var study: String

        static func < (left: Position, right: Position) -> Bool {
            (left.value, left.study) < (right.value, right.study)
        }
    }

    func position(of study: StaffStudy) -> Position {
        let value = value(of: study).map { isDescending ? -$0 : $0 }
        return Position(value: value ?? .max, study: study.study)
    }

    private func value(of study: StaffStudy) -> Int64? {
        switch key {
        case .attention: Self.rank(study)
        case .study: 0
        case .enrolled: study.numbers.map { Int64($0.enrolled) }
        case .active: study.numbers.map { Int64($0.active) }
        case .dueToday: study.numbers.map { Int64($0.dueToday) }
        case .answeredToday: study.numbers.map { Int64($0.answeredToday) }
        case .lateToday: study.numbers.map { Int64($0.lateToday) }
        case .lastRecord: study.numbers?.lastRecordAt?.milliseconds
        case .openAlerts: study.openAlerts.map { Int64($0) }
        }
    }

    private static func rank(_ study: StaffStudy) -> Int64 {
        if study.openAlerts ?? 0 > 0 { return 0 }
        if study.numbers?.isSilent ?? false { return 1 }
        return study.closedAt == nil ? 2 : 3
    }
}
