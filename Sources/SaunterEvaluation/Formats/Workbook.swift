import CXLSXWriter
import Foundation
import SaunterCore

/// `excel/<table>.xlsx`: a table as a workbook of three sheets, its values, why they are blank, and its codebook. Numbers are
/// numbers and texts are texts, never formulas. libxlsxwriter writes it row by row.
struct Workbook {
    /// Excel's longest text and lowest row.
    private static let longestText = 32_767
    private static let rowsPerSheet = 1_048_576

    let table: WrittenTable
    let labels: CodeLabels
    let asOf: Instant

    func write(to url: URL) throws {
        var options = lxw_workbook_options(constant_memory: 1, tmpdir: nil, use_zip64: 0)
        guard let book = workbook_new_opt(url.path, &options) else { throw fault("it cannot be written") }
        do {
            try fill(book)
        } catch {
            // What was wrong is thrown; the folder goes with the rest of the dataset.
            _ = workbook_close(book)
            throw error
        }
        try check(workbook_close(book))
    }

    private func fill(_ book: UnsafeMutablePointer<lxw_workbook>) throws {
        var properties = lxw_doc_properties()
        properties.created = time_t(asOf.seconds)
        try check(workbook_set_properties(book, &properties))
        let columns = table.table.columns
        try rows(of: "values", book, columns.map(\.name)) { cell, place in
            guard case .value(let text) = cell else { return nil }
            return Self.isNumber(columns[place], text) ? .number(Double(text) ?? 0) : .text(text)
        }
        if table.hasReasons {
            try rows(of: "missing", book, columns.map(\.name)) { cell, place in
                switch cell {
                case .value(let text): columns[place].item == nil ? .text(text) : nil
                case .blank(let reason): reason.map { .text($0.code) }
                }
            }
        }
        try codebook(book)
    }

    private enum Content {
        case text(String)
        case number(Double)
    }

    /// A sheet of all rows, and another where one is full.
    private func rows(
        of name: String, _ book: UnsafeMutablePointer<lxw_workbook>, _ header: [String],
        _ content: (WrittenTable.Cell, Int) -> Content?
    ) throws {
        var sheet = try addSheet(name, book, header)
        var (row, sheets) = (1, 1)
        try table.forEachRow { cells in
            if row == Self.rowsPerSheet {
                sheets += 1
                sheet = try addSheet("\(name) \(sheets)", book, header)
                row = 1
            }
            for (place, cell) in cells.enumerated() {
                switch content(cell, place) {
                case .text(let text): try write(text, row, place, sheet)
                case .number(let number):
                    try check(worksheet_write_number(sheet, UInt32(row), UInt16(place), number, nil))
                case nil: continue
                }
            }
            row += 1
        }
    }

    private func codebook(_ book: UnsafeMutablePointer<lxw_workbook>) throws {
        let sheet = try addSheet("codebook", book, ["column", "label", "type", "unit", "code", "means"])
        var row = 1
        for column in table.table.columns {
            let codes = labels.of(column)
            let about = [column.name, column.label, column.type.rawValue, column.unit ?? ""]
            for (code, label) in codes.isEmpty ? [("", "")] : codes {
                for (place, text) in (about + [code, label]).enumerated() where !text.isEmpty {
                    try write(text, row, place, sheet)
                }
                row += 1
            }
        }
    }

    private func addSheet(
        _ name: String, _ book: UnsafeMutablePointer<lxw_workbook>, _ header: [String]
    ) throws -> UnsafeMutablePointer<lxw_worksheet> {
        guard let sheet = workbook_add_worksheet(book, name) else { throw fault("no memory") }
        for (place, text) in header.enumerated() { try write(text, 0, place, sheet) }
        return sheet
    }

    private func write(
        _ text: String, _ row: Int, _ column: Int, _ sheet: UnsafeMutablePointer<lxw_worksheet>
    ) throws {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestText)))
        try check(worksheet_write_string(sheet, UInt32(row), UInt16(column), shown, nil))
    }

    /// Excel holds fifteen digits: a longer whole number stands as text.
    private static func isNumber(_ column: Column, _ text: String) -> Bool {
        switch column.type {
        case .integer: text.count(where: \.isNumber) <= 15
        case .number, .boolean: true
        case .string, .date, .instant, .local, .time: false
        }
    }

    private func check(_ status: lxw_error) throws {
        guard status == LXW_NO_ERROR else {
            throw fault(lxw_strerror(status).map { String(cString: $0) } ?? "unknown fault")
        }
    }

    private func fault(_ reason: String) -> DatasetFault { .format(table.table.path(.csv), reason) }
}
