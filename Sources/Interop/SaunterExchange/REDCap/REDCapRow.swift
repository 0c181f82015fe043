import SaunterCore

/// One row of a data dictionary: a field.
struct REDCapRow {
    let line: Int
    private let cells: [REDCapColumn: String]

    init(_ row: Worksheet.Row, _ columns: [REDCapColumn: Int]) {
        line = row.number
        cells = columns.compactMapValues { index in
            guard row.cells.indices.contains(index) else { return nil }
            let cell = row.cells[index]
            return cell.nonBlank == nil ? nil : cell
        }
    }

    var isBlank: Bool { cells.isEmpty }

    /// The remark that the row is omitted, because it has no field name.
    var omissionRemark: Remark {
        Remark(location: location(.field), detail: "the row has no field name and is left out")
    }

    /// The trimmed text of a cell; empty if it is blank.
    subscript(column: REDCapColumn) -> String {
        let cell = cells[column]?.trimmed ?? ""
        // R writes NA for a missing value.
        return cell == "NA" && ![.field, .form, .label, .choices].contains(column) ? "" : cell
    }

    /// The cell exactly as it is in the file; nil if it is blank.
    func verbatim(_ column: REDCapColumn) -> String? { cells[column] }

    func location(_ column: REDCapColumn) -> String { "line \(line), \(column.rawValue)" }
}
