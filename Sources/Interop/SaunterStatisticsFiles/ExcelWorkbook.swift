import CXLSXWriter
import Foundation
import SaunterCore

/// Writes a table as a workbook (.xlsx) with three sheets: values, reasons for blanks, and codebook. Cells are numbers
/// or texts, never formulas. libxlsxwriter writes the workbook row by row.
package struct ExcelWorkbook {
    /// The maximum length of a text in Excel, in characters, and the maximum number of rows of a sheet.
    private static let longestText = 32_767
    private static let rowsPerSheet = 1_048_576

    private let table: StatisticsTable
    private let rows: any StatisticsRows
    private let asOf: Instant

    /// - Parameter asOf: the instant of the snapshot, which is the creation time in the file.
    package init(_ table: StatisticsTable, rows: any StatisticsRows, asOf: Instant) {
        self.table = table
        self.rows = rows
        self.asOf = asOf
    }

    /// Writes the workbook.
    /// - Throws: `StatisticsFileError`, or an error of `rows`.
    package func write(to url: URL) throws {
        var options = lxw_workbook_options(constant_memory: 1, tmpdir: nil, use_zip64: 0)
        guard let book = workbook_new_opt(url.path, &options) else { throw failure("it cannot be written") }
        do {
            try fill(book)
        } catch {
            // The error is thrown. The caller removes the folder with the incomplete file.
            _ = workbook_close(book)
            throw error
        }
        try check(workbook_close(book))
    }

    private func fill(_ book: UnsafeMutablePointer<lxw_workbook>) throws {
        var properties = lxw_doc_properties()
        properties.created = time_t(asOf.seconds)
        try check(workbook_set_properties(book, &properties))
        let columns = table.columns
        try addRows(of: "values", book, columns.map(\.name)) { cell, index in
            guard case .value(let text) = cell else { return nil }
            return Self.isNumber(columns[index], text) ? .number(Double(text) ?? 0) : .text(text)
        }
        if table.reasons != nil {
            try addRows(of: "missing", book, columns.map(\.name)) { cell, index in
                switch cell {
                case .value(let text): !columns[index].isAnswer ? .text(text) : nil
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

    /// Adds a sheet with all rows, and further sheets if it is full.
    private func addRows(
        of name: String, _ book: UnsafeMutablePointer<lxw_workbook>, _ header: [String],
        _ content: (StatisticsCell, Int) -> Content?
    ) throws {
        var sheet = try addSheet(name, book, header)
        var (row, sheets) = (1, 1)
        try rows.forEachRow { cells in
            if row == Self.rowsPerSheet {
                sheets += 1
                sheet = try addSheet("\(name) \(sheets)", book, header)
                row = 1
            }
            for (index, cell) in cells.enumerated() {
                switch content(cell, index) {
                case .text(let text): try write(text, row, index, sheet)
                case .number(let number):
                    try check(worksheet_write_number(sheet, UInt32(row), UInt16(index), number, nil))
                case nil: continue
                }
            }
            row += 1
        }
    }

    private func codebook(_ book: UnsafeMutablePointer<lxw_workbook>) throws {
        let sheet = try addSheet("codebook", book, ["column", "label", "type", "unit", "code", "means"])
        var row = 1
        for column in table.columns {
            let codes = column.codes
            let about = [column.name, column.label, column.kind.rawValue, column.unit ?? ""]
            for (code, label) in codes.isEmpty ? [("", "")] : codes {
                for (index, text) in (about + [code, label]).enumerated() where !text.isEmpty {
                    try write(text, row, index, sheet)
                }
                row += 1
            }
        }
    }

    private func addSheet(
        _ name: String, _ book: UnsafeMutablePointer<lxw_workbook>, _ header: [String]
    ) throws -> UnsafeMutablePointer<lxw_worksheet> {
        guard let sheet = workbook_add_worksheet(book, name) else { throw failure("no memory") }
        for (index, text) in header.enumerated() { try write(text, 0, index, sheet) }
        return sheet
    }

    private func write(
        _ text: String, _ row: Int, _ column: Int, _ sheet: UnsafeMutablePointer<lxw_worksheet>
    ) throws {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestText)))
        try check(worksheet_write_string(sheet, UInt32(row), UInt16(column), shown, nil))
    }

    /// Excel stores 15 digits. A longer whole number is written as text.
    private static func isNumber(_ column: StatisticsColumn, _ text: String) -> Bool {
        switch column.kind {
        case .integer: text.count(where: \.isNumber) <= 15
        case .number, .boolean: true
        case .string, .date, .instant, .local, .time: false
        }
    }

    private func check(_ status: lxw_error) throws {
        guard status == LXW_NO_ERROR else {
            throw failure(lxw_strerror(status).map { String(cString: $0) } ?? "unknown fault")
        }
    }

    private func failure(_ reason: String) -> StatisticsFileError {
        StatisticsFileError(path: table.path, reason: reason)
    }
}
