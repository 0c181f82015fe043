import Postgres
import SaunterCore

/// Estimates the number of rows of each table before the table is written, for the progress report. A table without an
/// estimate counts as empty until its rows are written.
struct RowEstimate {
    /// The estimated number of rows by the name of the table.
    private(set) var rows: [String: Int] = [:]

    /// - Parameters:
    ///   - sizes: the row of the statement `dataset_sizes`.
    ///   - shapes: the rows of the statement `dataset_shapes`.
    init(_ definitions: StudyDefinitions, _ tables: [Table], sizes: Row, shapes: Rows) throws {
        let enrolments: Int = try sizes.get("enrolments")
        let samples: Int = try sizes.get("samples")
        let occasions: Int = try sizes.get("occasions")
        let months = tables.filter { $0.formats == [.csvGzip] }
        rows = [
            "participants": enrolments, "enrolments": enrolments, "occasions": occasions, "panel": occasions,
            "walks": try sizes.get("walks"), "walk_samples": samples,
            "observations": try sizes.get("observations"),
            "observation_samples": try sizes.get("observation_samples"),
            "calibrations": try sizes.get("calibrations"), "reminders": try sizes.get("reminders"),
            "usage_events": try sizes.get("usage_events"),
            "adherence_daily": try sizes.get("study_days"),
            "variables": enrolments * definitions.newest.variables.count,
            "programmes": enrolments * definitions.programmeModules.count,
        ]
        for name in [
            "consents", "followed_versions", "zones", "pauses", "events", "arm_changes", "devices", "edits",
            "conflicts", "snoozes",
        ] { rows[name] = try sizes.get(name) }
        rows["phases"] = enrolments * definitions.newest.phases.count
        let timedShare: Double = try sizes.get("timed_share")
        for month in months { rows[month.name] = samples / months.count }
        for row in shapes {
            let code = try row.get("questionnaire", as: String.self)
            let version = try row.get("version", as: String.self)
            let sheets = try row.get("sheets", as: Int.self)
            let instrument = definitions.instruments.first { $0.code == code }
            guard let questionnaire = instrument?.versions.first(where: { $0.version == version }) else {
                continue
            }
            let rowsPerSheet = questionnaire.questions.reduce(0) {
                $0 + ($1.isByOption ? $1.answerOption.count : $1.type.hasUnits ? 2 : 1)
            }
            rows["sheets", default: 0] += sheets
            rows["timings", default: 0] += Int(Double(sheets * questionnaire.questions.count) * timedShare)
            rows["answers", default: 0] += sheets * rowsPerSheet
            rows["wide_\(code)", default: 0] += sheets
            rows["wide_\(code)_missing", default: 0] += sheets
            rows["scores", default: 0] += sheets * (questionnaire.scoring?.scales.count ?? 0)
            let study = definitions.newest
            if definitions.settings.contains(code) { rows["settings", default: 0] += sheets * rowsPerSheet }
            if study.anyTimeRule(of: code)?.isActiveOne ?? false { rows["episodes", default: 0] += sheets }
            rows["locations", default: 0] +=
                sheets * questionnaire.questions.count { $0.type.form == .location }
        }
        rows = rows.filter { entry in tables.contains { $0.name == entry.key } }
    }

    /// The estimated number of rows of all tables.
    var total: Int { rows.values.reduce(0, +) }

    /// Replaces an estimate by the number of rows that were written.
    /// - Parameter isWhole: whether the table is complete.
    mutating func update(_ table: String, rows count: Int, isWhole: Bool) {
        rows[table] = isWhole ? count : max(rows[table] ?? 0, count)
    }
}
