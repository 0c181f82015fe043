import Postgres
import SaunterCore

extension Table {
    /// A copy of the table in which every cell has an SQL expression, so that rows can be filtered by their cells.
    /// Cells of a table that is made from stored sheets have no expression otherwise. Both ways produce the same cells.
    func withExpressions(_ definitions: StudyDefinitions) -> Table {
        guard let stored else { return self }
        let sheetColumns = Array(columns.prefix(stored.sheetColumnCount))
        let rest = columns.dropFirst(stored.sheetColumnCount)
        if name == PanelTable.name {
            // There are no columns of answers if there would be too many.
            let expressions = rest.isEmpty ? [] : PanelTable(of: definitions).answerExpressions
            return Table(
                name, title, key: key, statement: statement, ctes: ctes, foreignKeys: foreignKeys,
                formats: formats,
                columns: [
                    sheetColumns, zip(rest, expressions).map { $0.computed(by: .expression($1)) },
                ])
        }
        guard let history = definitions.instruments.first(where: { $0.code == instrument }) else {
            let forms: [String: ColumnForm] = [
                "option": .expression("nullif(r.option, '')"), "value": .answer,
            ]
            return Table(
                name, title, key: key, statement: SQLFile.sheets["dataset_answers"],
                ctes: [.sheetInScope, .definition, .answeredSheet], foreignKeys: foreignKeys,
                formats: formats,
                columns: [sheetColumns, rest.map { $0.computed(by: forms[$0.name] ?? .raw) }])
        }
        let versions = history.versions.map(\.version)
        let cells = history.items.filter(\.isCoded).flatMap { item in
            item.columnOptions.map { CellExpression(history: item, option: $0) }
        }
        let containsReasons = name.hasSuffix("_missing")
        return Table(
            name, title, key: key, statement: SQLFile.sheets["dataset_wide"], ctes: [.sheetInScope],
            instrument: history.code, foreignKeys: foreignKeys, formats: formats,
            columns: [
                sheetColumns,
                zip(rest, cells).map { column, cell in
                    column.computed(
                        by: .expression(
                            containsReasons ? cell.reason(versions: versions) : cell.value(versions: versions)
                        ))
                },
            ])
    }
}

extension Table.CTE {
    static let answeredSheet = Table.CTE(
        name: "answered_sheet", statement: SQLFile.readers["reading_answered_sheet"])
}

extension Column {
    /// A copy of the column that is computed in another way.
    fileprivate func computed(by form: ColumnForm) -> Column {
        var column = self
        column.form = form
        return column
    }
}
