import SaunterCore

/// How the rows of a table are written from stored sheets as they are fetched: faster than an expression for each cell. The
/// table's first columns are the same in all rows of a sheet and come from its statement, which has the columns `version`,
/// `slots`, `numbers` and, where there are sheets of several instruments, `instrument`; the other columns are cells of a
/// line. Where repeated answers are told, the statement's `repeated` has them as lines of the sheet's own, between the others.
struct StoredLayout: Sendable {
    /// One row of a sheet.
    struct Line: Sendable, Hashable {
        let cells: [StoredCell]
        var key = AnswerKey()
    }

    struct Version: Sendable {
        let questionnaire: Questionnaire
        /// In the order of the table's key.
        let lines: [Line]
    }

    let versions: [Version]
    /// The columns that come from the statement.
    let heads: Int
    /// By which a sheet's version is known: names of head columns.
    let key: [String]
    /// Whether values that have no slot are told; then the cells of a line are those of `answers.csv`.
    var tellsRepeated = false

    /// The texts of `key` in a version.
    func keyTexts(_ version: Version) -> [String] {
        key.map { $0 == "instrument" ? version.questionnaire.code : version.questionnaire.version }
    }

    /// What the statement must give, in order: the columns' values and then the stored answers.
    func list(_ columns: [Column], _ profile: DatasetProfile, guardsZones: Bool) -> [String] {
        let heads = columns.prefix(heads).compactMap { column in
            HeadField(column, profile).sql(column, profile, guardsZones: guardsZones)
        }
        return heads + ["r.slots::text", numbers(profile)] + (tellsRepeated ? [repeated(profile)] : [])
    }

    /// The answers without slots as JSON; in a release that moves dates, with moved ones.
    private func repeated(_ profile: DatasetProfile) -> String {
        guard profile == .deidentified else { return "r.repeated::text" }
        let value = "(kept.row ->> 'value')"
        let moved = """
            case kept.row ->> 'type' when 'date' then \(ColumnForm.movedDate(value))
              when 'date_time' then \(ColumnForm.movedInstant(value)) else \(value) end
            """
        return """
            (select jsonb_agg(kept.row || jsonb_build_object('value', \(moved)) order by kept.place)
              from jsonb_array_elements(r.repeated) with ordinality as kept (row, place))::text
            """
    }

    /// A sheet's numbers in the order of storage, as texts; null in versions that have none.
    private func numbers(_ profile: DatasetProfile) -> String {
        let cases = versions.compactMap { version -> String? in
            let numbers = StoredNumber.all(of: version.questionnaire)
            guard !numbers.isEmpty else { return nil }
            let isVersion = zip(key, keyTexts(version)).map {
                "r.\(SQLText.identifier($0)) = \(SQLText.literal($1))"
            }
            return "when \(isVersion.joined(separator: " and ")) then array["
                + "\(numbers.map { $0.sql(profile) }.joined(separator: ", "))]"
        }
        return cases.isEmpty ? "null::text[]" : "case \(cases.joined(separator: " ")) end"
    }
}
