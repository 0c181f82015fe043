import SaunterCore
import SaunterStatisticsFiles

/// `excel/<table>.csv`: the canonical file with a byte order mark, by which spreadsheets detect UTF-8, and with an
/// apostrophe before every text that looks like a formula. Numbers are not changed.
package struct SpreadsheetText {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let bufferSize = 1 << 16

    let table: WrittenTable

    func write(into file: inout OutputFile) throws {
        var text = CSVText(header: table.table.columns.map { Self.guarded($0.name) })
        try file.write(Self.byteOrderMark)
        try table.forEachRow { cells in
            text.add(
                zip(cells, table.table.columns).map { cell, column in
                    guard case .value(let value) = cell else { return nil }
                    return column.type == .string ? Self.guarded(value) : value
                })
            if text.bytes.count > Self.bufferSize { try file.write(text.take()) }
        }
        try file.write(text.take())
    }

    /// Makes the same copy of a file that describes columns and codes. Every cell that is not a number is guarded,
    /// because labels are texts of the study.
    static func copy(of csv: [UInt8]) throws -> [UInt8] {
        var reader = CSVReader(String(decoding: csv, as: UTF8.self))
        var text = CSVText(header: try (reader.next()?.fields ?? []).map(guarded))
        while let record = try reader.next() {
            text.add(record.fields.map { $0.isEmpty ? nil : guardedUnlessNumber($0) })
        }
        return byteOrderMark + text.bytes
    }

    /// A table of a page as a file for spreadsheets. Nil is an empty field.
    package static func file(header: [String], rows: [[String?]]) -> [UInt8] {
        var text = CSVText(header: header.map(guarded))
        for row in rows { text.add(row.map { $0.map(guardedUnlessNumber) }) }
        return byteOrderMark + text.bytes
    }

    private static func guardedUnlessNumber(_ text: String) -> String {
        Double(text)?.isFinite == true ? text : guarded(text)
    }

    /// Adds an apostrophe to a text that begins like a formula.
    static func guarded(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else {
            return text
        }
        return "'" + text
    }
}
