/// Scores: of every sheet, between occasions, and over spans of time.
extension Tables {
    static let scores = Table(
        "scores", "Scores of the sheets that count", key: ["enrolment_id", "sheet_id", "score"],
        statement: SQLFile.sheets["dataset_scores"], frames: [.sheetInScope, .presentScore],
        foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version, .score,
                Column("value", .number, "Score; blank when the rule was not met", source: .derived),
                Column(
                    "reason", .string, "Why there is no score", valueSet: "score_reason", source: .derived),
                Column("band", .string, "Band that the score lies in", source: .derived),
                Column("n_items", .integer, "Items of the scale", source: .derived),
                Column("n_valid", .integer, "Of these, answered", source: .derived),
                Column("n_imputed", .integer, "Of these, stood in for by prorating", source: .derived),
                .flag("prorated", "The score was prorated", source: .derived),
                Column(
                    "exclusion", .string, "Exclusion that made it null; see meta/scoring.csv",
                    source: .derived),
                Column(
                    "standard_error", .number, "Standard error of a value that a table gave", source: .derived
                ),
                Column("rule_version", .string, "Version of the scoring key", source: .design),
                Column("rule_digest", .string, "SHA-256 of the scoring key", source: .design),
                Column("engine_version", .string, "Version of the scoring engine"),
                .moment("computed_at", "Score was computed, UTC"),
            ]
        ])

    static let scoreChanges = Table(
        "score_changes", "How scores differ from the person's baseline, where the key says what that means",
        key: ["enrolment_id", "sheet_id", "score"], statement: SQLFile.scores["dataset_score_changes"],
        frames: [.sheetInScope, .presentScore, .timedScore, .changingScore],
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
                    "difference", .number, "Score less the baseline's", source: .derived,
                    derivedFrom: "value baseline_value"),
                Column(
                    "reliable_change", .number,
                    "Difference divided by SD x sqrt(2 (1 - reliability)), both from the key; beyond 1.96 either way it is reliable",
                    source: .derived, derivedFrom: "difference"),
                Column(
                    "verdict", .string, "What the reliable change says", valueSet: "score_verdict",
                    source: .derived, derivedFrom: "reliable_change"),
                .flag(
                    "important", "The difference is at least the least important one of the key",
                    source: .derived),
                Column(
                    "reason", .string, "Why nothing can be said", valueSet: "change_reason", source: .derived),
            ]
        ])

    static let scoreWindows = Table(
        "score_windows", "Scores over spans of participation, for the spans that keys declare",
        key: ["enrolment_id", "instrument", "score", "window", "window_index"],
        statement: SQLFile.scores["dataset_score_windows"],
        frames: [.sheetInScope, .presentScore, .timedScore], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .instrument, .score,
                Column("window", .string, "Row of spans; see meta/scoring.csv", source: .design),
                Column("window_index", .integer, "Which span, from 0", source: .derived),
                Column(
                    "from_day", .integer, "First study day; blank for the whole participation", unit: "d",
                    source: .derived),
                Column("to_day", .integer, "Last study day", unit: "d", source: .derived),
                Column("n_scores", .integer, "Sheets with this score, known or null", source: .derived),
                Column("n_known", .integer, "Of these, with a value", source: .derived),
                Column("mean", .number, "The person's mean", source: .derived),
                Column(
                    "sd", .number, "The person's standard deviation (n - 1); blank below two",
                    source: .derived),
                Column(
                    "slope_per_day", .number, "Least squares over time, per 24 hours", unit: "1/d",
                    source: .derived),
                Column("min", .number, "Least score", source: .derived),
                Column("max", .number, "Greatest score", source: .derived),
                Column(
                    "reason", .string, "Why there are no numbers", valueSet: "window_reason", source: .derived
                ),
            ]
        ])
}

extension Column {
    static let score = Column("score", .string, "Scale; see meta/scoring.csv", source: .design)
}

extension Table.Frame {
    fileprivate static let timedScore = Table.Frame(
        name: "timed_score", statement: SQLFile.scores["dataset_timed_score"], isMaterialized: true)
    fileprivate static let changingScore = Table.Frame(
        name: "changing_score", statement: SQLFile.scores["dataset_changing_score"])
}
