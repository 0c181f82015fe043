import Postgres
import SaunterCore

extension Table {
    /// The same table with an expression for every cell, so that rows can be chosen by their cells: where rows are made of stored sheets, no
    /// expression makes them otherwise. Both ways give the same cells.
    func inExpressions(_ definitions: StudyDefinitions) -> Table {
        guard let stored else { return self }
        let heads = Array(columns.prefix(stored.heads))
        let rest = columns.dropFirst(stored.heads)
        guard let history = definitions.instruments.first(where: { $0.code == instrument }) else {
            let forms: [String: ColumnForm] = [
                "option": .expression("nullif(r.option, '')"), "value": .answer,
            ]
            return Table(
                name, title, key: key, statement: SQLFile.sheets["dataset_answers"],
                frames: [.sheetInScope, .definition, .answeredSheet], foreignKeys: foreignKeys,
                formats: formats,
                columns: [heads, rest.map { $0.made(by: forms[$0.name] ?? .raw) }])
        }
        let versions = history.versions.map(\.version)
        let cells = history.items.filter(\.isCoded).flatMap { item in
            item.columnOptions.map { CellExpression(history: item, option: $0) }
        }
        let isMask = name.hasSuffix("_missing")
        return Table(
            name, title, key: key, statement: SQLFile.sheets["dataset_wide"], frames: [.sheetInScope],
            instrument: history.code, foreignKeys: foreignKeys, formats: formats,
            columns: [
                heads,
                zip(rest, cells).map { column, cell in
                    column.made(
                        by: .expression(
                            isMask ? cell.reason(versions: versions) : cell.value(versions: versions)))
                },
            ])
    }
}

extension Table.Frame {
    static let answeredSheet = Table.Frame(
        name: "answered_sheet", statement: SQLFile.readers["reading_answered_sheet"])
}

extension Column {
    /// The same column, made of the raw row in another way.
    fileprivate func made(by form: ColumnForm) -> Column {
        var column = self
        column.form = form
        return column
    }
}
