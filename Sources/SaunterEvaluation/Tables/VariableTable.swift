import SaunterCore

extension Tables {
    /// The table `variables`. Included only if the study has variables. A release contains no free text, but the header
    /// is the same in all profiles.
    static func variables(_ definitions: StudyDefinitions, _ profile: DatasetProfile) -> Table {
        let hasFreeText = profile != .deidentified && definitions.hasVariablesOfFreeText
        return Table(
            "variables", "Variables at the snapshot's moment: one row per variable, and one per key",
            key: ["enrolment_id", "variable", "key"], statement: SQLFile.histories["dataset_variables"],
            foreignKeys: [.enrolment], computed: .variables,
            columns: [
                [
                    .enrolment, .participant,
                    Column("variable", .string, "Variable; see meta/variables.csv", source: .design),
                    Column(
                        "key", .string, .typed(by: "key_type"),
                        "Key, such as a code, a date or a sheet; blank for the variable as a whole",
                        source: .derived),
                    Column(
                        "value", .number, "Value, if it is a number; 1 or 0 if it is a boolean",
                        source: .derived),
                    Column(
                        "code", .string, .typed(by: "code_type"),
                        "Value, if it is a code, a date, a time or a text; several are separated by |",
                        identifierClass: hasFreeText ? .direct : .quasi, source: .derived),
                    Column("n", .integer, "Number of records from which it was computed", source: .derived),
                    Column(
                        "reason", .string, "Why there is no value", valueSet: "variable_reason",
                        source: .derived),
                    Column("best", .integer, "Longest streak", unit: "d", source: .derived),
                    .date(
                        "last_on", "Last local date of a streak, or local date of a moment", source: .derived),
                    .date(
                        "window_from", "First local date of the window; blank without one", source: .derived),
                    .date("window_to", "Last local date of the window", source: .derived),
                ]
            ])
    }
}
