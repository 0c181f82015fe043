import SaunterCore

extension Tables {
    /// The occasions, with the sheets that they follow if some version has a schedule that follows sheets.
    static func occasions(_ definitions: StudyDefinitions) -> Table {
        var table = occasions
        let followsSheets = definitions.versions.contains { version in
            version.study.schedules.contains { $0.anchor.isRepeated && $0.anchor != .walk }
        }
        guard followsSheets, let index = table.columns.firstIndex(where: { $0.name == "anchor_instance" })
        else {
            return table
        }
        table.columns.insert(
            .id("follows_sheet", "S", "Sheet that it follows, such as that of a rated practice"),
            at: index + 1)
        return table
    }

    static let occasions = Table(
        "occasions", "Occasions: planned measurements, answered or not",
        key: ["enrolment_id", "occasion_id"],
        statement: SQLFile.people["dataset_occasions"], foreignKeys: [.enrolment],
        columns: [
            [
                .id("occasion_id", "O", "Occasion"), .enrolment, .participant, .arm,
                Column("instrument", .string, "Instrument that was planned", source: .design),
                Column("schedule", .string, "Schedule that planned it", source: .design),
                Column(
                    "anchor_instance", .string, .anchor,
                    "Walk or sheet that it follows; blank if it follows the enrolment"),
                Column("rule_version", .string, "Version of the study that planned it", source: .design),
                .studyDay, .weekday,
                Column("day_index", .integer, "Days since the schedule's anchor", unit: "d", source: .design),
                Column("slot_index", .integer, "Which window of that day, from 0", source: .design),
                .date("local_date", "Local date that it belongs to"),
                .moment("planned_at", "When the server planned it, UTC"),
                .moment("visible_at", "Participants see it from then on, UTC"),
            ],
            Column.instant("opens", "Window opens (inclusive)"),
            Column.instant("due", "Due (inclusive)"),
            Column.instant("closes", "Window closes (exclusive)"),
            [
                Column.flag("dst_adjusted", "A clock change adjusted the window").dropped,
                Column(
                    "status", .string, "State at the snapshot's moment", valueSet: "occasion_status",
                    source: .derived,
                    derivedFrom: "opens_at due_at closes_at completed_at"),
            ],
            Column.instant("completed", "Sheet that fulfilled it was completed"),
            [
                .id("sheet_id", "S", "Sheet that fulfilled it"),
                Column(
                    "missing", .string,
                    "Why it has no sheet, if its participant deleted the one that it had",
                    valueSet: "missing", source: .derived),
            ],
        ])

    static let adherenceDaily = Table(
        "adherence_daily", "Adherence: one row per enrolment and study day that has begun",
        key: ["enrolment_id", "study_day"],
        statement: SQLFile.people["dataset_adherence_daily"], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .arm, .studyDay, .weekday,
                .date("local_date", "Local date", source: .derived),
                Column(
                    "due", .integer, "Occasions settled: answered, or closed unanswered", source: .derived),
                Column("done", .integer, "Occasions answered", source: .derived),
                Column("late", .integer, "Of these, answered after they were due", source: .derived),
                Column("missed", .integer, "Occasions closed unanswered", source: .derived),
                Column("still_open", .integer, "Occasions open at the snapshot's moment", source: .derived),
                Column("walks", .integer, "Walks begun", source: .derived),
                Column("walk_active_s", .number, "Active time of these walks", unit: "s", source: .derived),
            ]
        ])
}
