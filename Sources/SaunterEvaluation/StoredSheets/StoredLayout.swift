import SaunterCore

/// How the rows of a table are made from stored sheets. This is faster than an SQL expression per cell.
///
/// 1. The first `sheetColumnCount` columns have one value per sheet and are selected by the statement.
/// 2. The statement also returns `version`, `slots`, `numbers`, and `instrument` if the table contains several
///    instruments. `slots` and `numbers` are the arrays of `research.answer_sheet` with the stored answers.
///    Here a slot is an element of `slots`, not a slot of a schedule.
/// 3. All other columns are cells of a line. A sheet has one row per line of its version.
/// 4. If repeated answers are included, the statement returns them in `repeated`, and they are merged with the lines by
///    their sort key.
struct StoredLayout: Sendable {
    /// One row of a sheet.
    struct Line: Sendable, Hashable {
        let cells: [StoredCell]
        /// The position of the row among repeated answers, if the table includes them.
        var sortKey = AnswerKey()
    }

    struct Version: Sendable {
        let questionnaire: Questionnaire
        /// In the order of the table's key.
        let lines: [Line]
    }

    let versions: [Version]
    /// The number of leading columns that the statement selects.
    let sheetColumnCount: Int
    /// The names of the columns that identify the version of a sheet.
    let versionColumns: [String]
    /// Whether answers without a slot are included. The cells of a line must then be those of `answers.csv`.
    var includesRepeated = false
    /// Whether a row may have no sheet: `slots` is null and all cells are blank.
    var includesRowsWithoutSheet = false

    /// The values of `versionColumns` for a version.
    func versionValues(_ version: Version) -> [String] {
        versionColumns.map { $0 == "instrument" ? version.questionnaire.code : version.questionnaire.version }
    }

    /// The select list: the columns with one value per sheet, followed by the stored answers.
    func selectList(_ columns: [Column], _ profile: DatasetProfile, hasUnknownZones: Bool) -> [String] {
        let sheetColumns = columns.prefix(sheetColumnCount).compactMap { column in
            SheetColumnFormat(column, profile).sql(column, profile, hasUnknownZones: hasUnknownZones)
        }
        return sheetColumns + ["r.slots::text", numbers(profile)]
            + (includesRepeated ? [repeated(profile)] : [])
    }

    /// The answers without a slot as JSON. The profile `deidentified` shifts their dates.
    private func repeated(_ profile: DatasetProfile) -> String {
        guard profile == .deidentified else { return "r.repeated::text" }
        let value = "(kept.row ->> 'value')"
        let shifted = """
            case kept.row ->> 'type' when 'date' then \(ColumnForm.shiftedDate(value))
              when 'date_time' then \(ColumnForm.shiftedInstant(value)) else \(value) end
            """
        return """
            (select jsonb_agg(kept.row || jsonb_build_object('value', \(shifted)) order by kept.ordinal)
              from jsonb_array_elements(r.repeated) with ordinality as kept (row, ordinal))::text
            """
    }

    /// The numbers of a sheet in storage order, as texts. Null for versions without numbers.
    private func numbers(_ profile: DatasetProfile) -> String {
        let cases = versions.compactMap { version -> String? in
            let numbers = StoredNumber.all(of: version.questionnaire)
            guard !numbers.isEmpty else { return nil }
            let isVersion = zip(versionColumns, versionValues(version)).map {
                "r.\(SQLText.identifier($0)) = \(SQLText.literal($1))"
            }
            return "when \(isVersion.joined(separator: " and ")) then array["
                + "\(numbers.map { $0.sql(profile) }.joined(separator: ", "))]"
        }
        return cases.isEmpty ? "null::text[]" : "case \(cases.joined(separator: " ")) end"
    }
}
