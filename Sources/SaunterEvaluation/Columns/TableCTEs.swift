import Postgres

extension Table.CTE {
    static let includedWalk = Table.CTE(
        name: "included_walk", statement: SQLFile.walks["dataset_included_walk"])
    static let includedObservation = Table.CTE(
        name: "included_observation", statement: SQLFile.walks["dataset_included_observation"])
    static let included = Table.CTE(
        name: "included", statement: SQLFile.frame["dataset_included"], isMaterialized: true)
    static let numberedSheet = Table.CTE(
        name: "numbered_sheet", statement: SQLFile.readers["reading_numbered_sheet"])
    static let activeKey = Table.CTE(
        name: "active_key", statement: SQLFile.readers["reading_active_key"], isMaterialized: true)
    static let presentScore = Table.CTE(
        name: "present_score", statement: SQLFile.sheets["dataset_present_score"])
    static let definition = Table.CTE(
        name: "definition", statement: SQLFile.sheets["dataset_definition"], isMaterialized: true)
    static let revisedSheet = Table.CTE(
        name: "answered_sheet", statement: SQLFile.sheets["dataset_revised_sheet"])
    static let answer = Table.CTE(name: "answer", statement: SQLFile.sheets["dataset_answers"])
}

/// Which sheets are in scope, by the dates of the filters.
extension Table.CTE {
    private static let allSheets = SQLFile.frame["dataset_sheet_in_scope"]

    /// For commands that look up the dates in the settings.
    static let sheetInScope = Table.CTE(
        name: "sheet_in_scope",
        statement: Statement(
            name: "sheet_in_scope",
            sql: allSheets.sql
                + """

                  and day.local_date
                    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
                """))

    /// The expressions that replace `sheetInScope` in a command whose dates are known; other expressions are kept.
    /// Without dates there is no comparison. With dates the sheets are found by their indexes.
    func replacements(for dates: DatasetSettings.Dates) -> [Table.CTE] {
        guard name == Self.sheetInScope.name else { return [self] }
        switch dates {
        case .unknown: return [self]
        case .all: return [Table.CTE(name: name, statement: Self.allSheets)]
        case .some:
            let sql =
                Self.allSheets.sql
                    + """

                      and (sheet.enrolment_id, sheet.sheet_id) in (select slice.enrolment_id, slice.sheet_id from slice)
                    """
            return [
                Table.CTE(name: "slice", statement: SQLFile.frame["dataset_slice"]),
                Table.CTE(name: name, statement: Statement(name: name, sql: sql)),
            ]
        }
    }
}
