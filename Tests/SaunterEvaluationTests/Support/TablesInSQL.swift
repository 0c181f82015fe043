import Postgres
import SaunterCore

@testable import SaunterEvaluation

/// The tables that are written from stored sheets, made by the database alone: an expression for each cell, a row for each
/// answer, and a date worked out for every sheet.
enum TablesInSQL {
    /// The same table; nil for one that is not written from stored sheets.
    static func table(_ table: Table, _ definitions: StudyDefinitions) -> Table? {
        guard let stored = table.stored else { return nil }
        let heads = Array(table.columns.prefix(stored.heads))
        guard let history = definitions.instruments.first(where: { $0.code == table.instrument }) else {
            return Table(
                table.name, table.title, key: table.key, statement: SQLFile.sheets["dataset_answers"],
                frames: [.sheetInScope, .definition, answeredSheet], columns: [heads, answerColumns])
        }
        let versions = history.versions.map(\.version)
        let cells = history.items.filter(\.isCoded).flatMap { item in
            item.isMultiple
                ? item.options.map { CellInSQL(history: item, option: $0.value) }
                : [CellInSQL(history: item, option: nil)]
        }
        let columns = zip(table.columns.dropFirst(stored.heads), cells).map { column, cell in
            let isMask = table.name.hasSuffix("_missing")
            return Column(
                column.name, column.type,
                .expression(isMask ? cell.reason(versions: versions) : cell.value(versions: versions)),
                column.label)
        }
        return Table(
            table.name, table.title, key: table.key, statement: SQLFile.sheets["dataset_wide"],
            frames: [.sheetInScope], instrument: history.code, columns: [heads, columns])
    }

    private static let answerColumns = [
        Column("item", .string, ""),
        Column("option", .string, .expression("nullif(r.option, '')"), ""),
        Column("type", .string, ""),
        Column("value", .string, .answer, ""),
        Column("missing", .string, ""),
    ]

    private static let answeredSheet = Table.Frame(
        name: "answered_sheet",
        statement: Statement(
            name: "answered_sheet", sql: "select * from sheet_in_scope where deleted_at is null"))
}
