/// The tables of scores: per sheet, between occasions, and over windows of time.
extension Tables {
    static let scores = Table(
        "scores", "Scores of the sheets that count", key: ["enrolment_id", "sheet_id", "score"],
        statement: SQLFile.sheets["dataset_scores"], ctes: [.sheetInScope, .presentScore],
        foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version, .score,
                Column("value", .number, "Score; blank if the rule was not met", source: .derived),
                Column(
                    "reason", .string, "Why there is no score", valueSet: "score_reason", source: .derived),
                Column("band", .string, "Band of the score", source: .derived),
                Column("n_items", .integer, "Items of the scale", source: .derived),
                Column("n_valid", .integer, "Of these, answered", source: .derived),
                Column("n_imputed", .integer, "Of these, replaced by prorating", source: .derived),
                .flag("prorated", "The score was prorated", source: .derived),
                Column(
                    "exclusion", .string, "Exclusion that made it null; see meta/scoring.csv",
                    source: .derived),
                Column(
                    "standard_error", .number, "Standard error of a value from a look-up table",
                    source: .derived
                ),
                Column(
                    "covariates", .string, "Covariates that the key used (JSON)",
                    identifierClass: .quasi, source: .derived
                ).dropped,
                Column("rule_version", .string, "Version of the scoring key", source: .design),
                Column("rule_digest", .string, "SHA-256 of the scoring key", source: .design),
                Column("engine_version", .string, "Version of the scoring engine"),
                .moment("computed_at", "Score was computed, UTC"),
            ]
        ])

    static let scoreChanges = Table(
        "score_changes",
        "Changes of scores from the baseline of the participant, if the key has a change rule",
        key: ["enrolment_id", "sheet_id", "score"], statement: SQLFile.scores["dataset_score_changes"],
        ctes: [.sheetInScope, .presentScore, .timedScore, .changingScore],
        foreignKeys: [
            .sheet,
            Table.ForeignKey(fields: ["baseline_sheet_id"], table: "sheets", reference: ["sheet_id"]),
        ],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version, .score,
                Column(
                    "baseline_rule", .string, "Which score is the baseline", valueSet: "score_baseline",
                    source: .design),
                .id("baseline_sheet_id", "S", "Sheet of the baseline"),
                Column("baseline_value", .number, "Score of the baseline", source: .derived),
                Column("value", .number, "Score", source: .derived),
                Column(
                    "difference", .number, "Score minus the score of the baseline", source: .derived,
                    derivedFrom: "value baseline_value"),
                Column(
                    "reliable_change", .number,
                    "Difference divided by SD x sqrt(2 (1 - reliability)), both from the key; reliable if above 1.96 or below -1.96",
                    source: .derived, derivedFrom: "difference"),
                Column(
                    "verdict", .string, "Meaning of the reliable change", valueSet: "score_verdict",
                    source: .derived, derivedFrom: "reliable_change"),
                .flag(
                    "important", "The difference is at least the smallest important difference of the key",
                    source: .derived),
                Column(
                    "reason", .string, "Why there is no verdict", valueSet: "change_reason", source: .derived),
            ]
        ])

    static let scoreWindows = Table(
        "score_windows", "Scores over windows of participation, for the windows that keys declare",
        key: ["enrolment_id", "instrument", "score", "window", "window_index"],
        statement: SQLFile.scores["dataset_score_windows"],
        ctes: [.sheetInScope, .presentScore, .timedScore], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .instrument, .score,
                Column("window", .string, "Id of the window rule; see meta/scoring.csv", source: .design),
                Column("window_index", .integer, "Index of the window, from 0", source: .derived),
                Column(
                    "from_day", .integer, "First study day; blank for the whole participation", unit: "d",
                    source: .derived),
                Column("to_day", .integer, "Last study day", unit: "d", source: .derived),
                Column("n_scores", .integer, "Sheets with this score, known or null", source: .derived),
                Column("n_known", .integer, "Of these, with a value", source: .derived),
                Column("mean", .number, "Mean of the participant", source: .derived),
                Column(
                    "sd", .number,
                    "Standard deviation of the participant (n - 1); blank for fewer than two values",
                    source: .derived),
                Column(
                    "slope_per_day", .number, "Slope by least squares over time, per 24 hours", unit: "1/d",
                    source: .derived),
                Column("min", .number, "Smallest score", source: .derived),
                Column("max", .number, "Largest score", source: .derived),
                Column(
                    "reason", .string, "Why there are no numbers", valueSet: "window_reason", source: .derived
                ),
            ]
        ])
}

extension Column {
    static let score = Column("score", .string, "Scale; see meta/scoring.csv", source: .design)
}

extension Table.CTE {
    fileprivate static let timedScore = Table.CTE(
        name: "timed_score", statement: SQLFile.scores["dataset_timed_score"], isMaterialized: true)
    fileprivate static let changingScore = Table.CTE(
        name: "changing_score", statement: SQLFile.scores["dataset_changing_score"])
}
