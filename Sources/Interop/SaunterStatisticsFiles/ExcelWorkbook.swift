import CXLSXWriter
import Foundation
import SaunterCore

/// Writes tables as one workbook (.xlsx): a sheet of contents, a sheet per table, and sheets that describe the columns
/// and codes. Cells are numbers, dates or texts, never formulas. libxlsxwriter writes the workbook row by row.
package struct ExcelWorkbook {
    /// The maximum length of a text in Excel, in characters.
    private static let longestText = 32_767
    /// The maximum number of rows of a sheet.
    private static let rowsPerSheet = 1_048_576
    /// The maximum length of the name of a sheet, in characters.
    private static let longestName = 31

    /// A table and its rows.
    package typealias Source = (table: StatisticsTable, rows: any StatisticsRows)

    private let path: String
    private let tables: [Source]
    private let descriptions: [(name: String, csv: [UInt8])]
    private let asOf: Instant

    /// - Parameters:
    ///   - path: the path of the workbook in the dataset, for errors.
    ///   - tables: a table with more rows than a sheet can have is only named in the contents.
    ///   - descriptions: names of further sheets, with their CSV text.
    ///   - asOf: the instant of the snapshot, which is the creation time in the file.
    package init(
        path: String, tables: [Source], descriptions: [(name: String, csv: [UInt8])], asOf: Instant
    ) {
        self.path = path
        self.tables = tables
        self.descriptions = descriptions
        self.asOf = asOf
    }

    /// Writes the workbook.
    /// - Throws: `StatisticsFileError`, `CancellationError`, or an error of the rows.
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
        let formats = try Formats(book, failure("no memory"))
        let names = sheetNames()
        try addContents(names, book, formats)
        for (source, name) in zip(tables, names) {
            guard let name else { continue }
            try Task.checkCancellation()
            try add(source, name, book, formats)
        }
        for description in descriptions {
            var reader = CSVReader(String(decoding: description.csv, as: UTF8.self))
            let sheet = try addSheet(description.name, book, try reader.next()?.fields ?? [], formats)
            var row = 1
            while let record = try reader.next() {
                for (index, text) in record.fields.enumerated() where !text.isEmpty {
                    try write(Self.plain(text), row, index, sheet, formats)
                }
                row += 1
            }
        }
    }

    /// The names of the sheets: those of the tables, shortened if they are too long. Nil for a table with too many
    /// rows.
    private func sheetNames() -> [String?] {
        var taken = Set(descriptions.map(\.name) + ["contents"])
        return tables.map { source in
            guard source.rows.rowCount < Self.rowsPerSheet else { return nil }
            var name = String(source.table.name.prefix(Self.longestName))
            var number = 2
            while !taken.insert(name).inserted {
                let suffix = "_\(number)"
                name = source.table.name.prefix(Self.longestName - suffix.count) + suffix
                number += 1
            }
            return name
        }
    }

    private func addContents(
        _ names: [String?], _ book: UnsafeMutablePointer<lxw_workbook>, _ formats: Formats
    ) throws {
        let sheet = try addSheet("contents", book, ["sheet", "title", "rows", "file"], formats)
        for (index, (source, name)) in zip(tables, names).enumerated() {
            let cells: [Content] = [
                .text(name ?? "(more rows than a sheet can have)"), .text(source.table.title),
                .number(Double(source.rows.rowCount)), .text(source.table.path),
            ]
            for (column, cell) in cells.enumerated() { try write(cell, index + 1, column, sheet, formats) }
        }
    }

    private func add(
        _ source: Source, _ name: String, _ book: UnsafeMutablePointer<lxw_workbook>, _ formats: Formats
    ) throws {
        let columns = source.table.columns
        let sheet = try addSheet(name, book, columns.map(\.name), formats)
        for (index, column) in columns.enumerated() {
            guard let width = Formats.width(column.kind) else { continue }
            try check(worksheet_set_column(sheet, UInt16(index), UInt16(index), width, nil))
        }
        var row = 1
        try source.rows.forEachRow { cells in
            for (index, cell) in cells.enumerated() {
                guard case .value(let text) = cell else { continue }
                try write(Self.content(columns[index].kind, text), row, index, sheet, formats)
            }
            row += 1
        }
    }

    /// Adds a sheet whose first row is the header and stays visible.
    private func addSheet(
        _ name: String, _ book: UnsafeMutablePointer<lxw_workbook>, _ header: [String], _ formats: Formats
    ) throws -> UnsafeMutablePointer<lxw_worksheet> {
        guard let sheet = workbook_add_worksheet(book, name) else { throw failure("no memory") }
        worksheet_freeze_panes(sheet, 1, 0)
        for (index, text) in header.enumerated() { try write(.text(text), 0, index, sheet, formats) }
        return sheet
    }

    // MARK: Cells

    private enum Content {
        case text(String)
        case number(Double)
        /// The number of days since 1899-12-30, or the share of a day, displayed according to the kind.
        case time(Double, StatisticsColumn.Kind)
    }

    /// How dates and times are displayed.
    private struct Formats {
        let date, moment, time: UnsafeMutablePointer<lxw_format>

        init(_ book: UnsafeMutablePointer<lxw_workbook>, _ failure: StatisticsFileError) throws {
            func add(_ text: String) throws -> UnsafeMutablePointer<lxw_format> {
                guard let format = workbook_add_format(book) else { throw failure }
                format_set_num_format(format, text)
                return format
            }
            date = try add("yyyy-mm-dd")
            moment = try add("yyyy-mm-dd hh:mm:ss.000")
            time = try add("hh:mm:ss")
        }

        func format(_ kind: StatisticsColumn.Kind) -> UnsafeMutablePointer<lxw_format>? {
            switch kind {
            case .date: date
            case .instant, .local: moment
            case .time: time
            case .string, .integer, .number, .boolean: nil
            }
        }

        /// The width of a column in characters. Excel shows a date that does not fit as `####`.
        static func width(_ kind: StatisticsColumn.Kind) -> Double? {
            switch kind {
            case .date: 12
            case .instant, .local: 24
            case .time: 10
            case .string, .integer, .number, .boolean: nil
            }
        }
    }

    /// Excel stores 15 digits. A longer whole number is written as text, and so is a date that Excel cannot represent.
    private static func content(_ kind: StatisticsColumn.Kind, _ text: String) -> Content {
        switch kind {
        case .integer where text.count(where: \.isNumber) > 15: .text(text)
        case .integer, .number, .boolean: Double(text).map { .number($0) } ?? .text(text)
        case .date, .instant, .local, .time:
            StatisticsTime.excelDays(text, kind).map { .time($0, kind) } ?? .text(text)
        case .string: .text(text)
        }
    }

    /// A number only if it is displayed with the same characters, because a code such as `1e5` or `01` is a text.
    private static func plain(_ text: String) -> Content {
        guard let number = Double(text), number.isFinite, JSON.double(number).text == text,
            text.utf8.count <= 15
        else { return .text(text) }
        return .number(number)
    }

    private func write(
        _ content: Content, _ row: Int, _ column: Int, _ sheet: UnsafeMutablePointer<lxw_worksheet>,
        _ formats: Formats
    ) throws {
        switch content {
        case .text(let text):
            let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestText)))
            try check(worksheet_write_string(sheet, UInt32(row), UInt16(column), shown, nil))
        case .number(let number):
            try check(worksheet_write_number(sheet, UInt32(row), UInt16(column), number, nil))
        case .time(let days, let kind):
            let format = formats.format(kind)
            try check(worksheet_write_number(sheet, UInt32(row), UInt16(column), days, format))
        }
    }

    private func check(_ status: lxw_error) throws {
        guard status == LXW_NO_ERROR else {
            throw failure(lxw_strerror(status).map { String(cString: $0) } ?? "unknown fault")
        }
    }

    private func failure(_ reason: String) -> StatisticsFileError {
        StatisticsFileError(path: path, reason: reason)
    }
}
