import Postgres

/// The sheets of the dates that are asked for.
extension Table.Frame {
    private static let everySheet = SQLFile.frame["dataset_sheet_in_scope"]

    /// For commands that look their dates up.
    static let sheetInScope = Table.Frame(
        name: "sheet_in_scope",
        statement: Statement(
            name: "sheet_in_scope",
            sql: everySheet.sql
                + """

                  and day.local_date
                    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
                """))

    /// The frames that take its place in a command whose dates are known: without any nothing is compared, and a few days
    /// are found by their indexes.
    func within(_ dates: FrameSettings.Dates) -> [Table.Frame] {
        guard name == Self.sheetInScope.name else { return [self] }
        switch dates {
        case .unknown: return [self]
        case .all: return [Table.Frame(name: name, statement: Self.everySheet)]
        case .some:
            let sql =
                Self.everySheet.sql
                    + """

                      and (sheet.enrolment_id, sheet.sheet_id) in (select slice.enrolment_id, slice.sheet_id from slice)
                    """
            return [
                Table.Frame(name: "slice", statement: SQLFile.frame["dataset_slice"]),
                Table.Frame(name: name, statement: Statement(name: name, sql: sql)),
            ]
        }
    }
}
