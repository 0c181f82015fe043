import Foundation
import SaunterCore
import SaunterStatisticsFiles

/// A table whose canonical file exists. Derived formats read it row by row, so that all formats have the same values.
struct WrittenTable: StatisticsRows {
    private static let pieceSize = 1 << 16

    let table: Table
    /// The number of rows in the canonical file.
    let rowCount: Int
    private let url: URL
    /// The file with the same rows that contains the reasons for blanks.
    private let reasons: URL?

    init(_ table: Table, rowCount: Int, url: URL, reasons: URL?) {
        self.table = table
        self.rowCount = rowCount
        self.url = url
        self.reasons = reasons
    }

    /// Passes every row in order to `body`. A row has a cell for each column of the table.
    /// - Throws: `DatasetFault.format` if the files do not fit the table, or an error of `body`.
    func forEachRow(_ body: ([StatisticsCell]) throws -> Void) throws {
        let names = table.columns.map(\.name)
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }  // Closing a file that was only read loses no data.
        var values = CSVReader { Array(try handle.read(upToCount: Self.pieceSize) ?? Data()) }
        guard try values.next()?.fields == names else { throw fault }
        guard let reasons else {
            while let record = try values.next() {
                try body(try cells(record.fields) { _ in nil })
            }
            return
        }
        let reasonsHandle = try FileHandle(forReadingFrom: reasons)
        defer { try? reasonsHandle.close() }
        var reasonRows = CSVReader { Array(try reasonsHandle.read(upToCount: Self.pieceSize) ?? Data()) }
        guard try reasonRows.next()?.fields == names else { throw fault }
        while let record = try values.next() {
            guard let codes = try reasonRows.next()?.fields, codes.count == names.count else {
                throw fault
            }
            try body(
                try cells(record.fields) { index in
                    table.columns[index].item == nil ? nil : MissingReason(code: codes[index])
                })
        }
    }

    private var fault: DatasetFault { .format(table.path(.csv), "the file does not fit its table") }

    private func cells(_ fields: [String], reason: (Int) -> MissingReason?) throws -> [StatisticsCell] {
        guard fields.count == table.columns.count else { throw fault }
        return fields.enumerated().map { index, text in
            text.isEmpty ? .blank(reason(index)) : .value(text)
        }
    }

    /// The maximum number of bytes in each text column; at least 1.
    func widths() throws -> [Int] {
        var widths = [Int](repeating: 1, count: table.columns.count)
        try forEachRow { cells in
            for (index, cell) in cells.enumerated() where table.columns[index].type == .string {
                if case .value(let text) = cell { widths[index] = max(widths[index], text.utf8.count) }
            }
        }
        return widths
    }
}
