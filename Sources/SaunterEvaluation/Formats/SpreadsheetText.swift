/// `excel/<table>.csv`: the canonical file with a byte order mark, by which spreadsheets know UTF-8, and an apostrophe
/// before every text that they would take for a formula. Numbers are left alone.
struct SpreadsheetText {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let pieceSize = 1 << 16

    let table: WrittenTable

    func write(into file: inout OutputFile) throws {
        var text = CSVText(header: table.table.columns.map { Self.guarded($0.name) })
        try file.write(Self.mark)
        try table.forEachRow { cells in
            text.add(
                zip(cells, table.table.columns).map { cell, column in
                    guard case .value(let value) = cell else { return nil }
                    return column.type == .string ? Self.guarded(value) : value
                })
            if text.bytes.count > Self.pieceSize { try file.write(text.take()) }
        }
        try file.write(text.take())
    }

    /// The same of a file that tells what columns and codes mean: every cell that is no number is guarded, whatever words a study gave its labels.
    static func copy(of csv: [UInt8]) throws -> [UInt8] {
        var reader = CSVReader(String(decoding: csv, as: UTF8.self))
        var text = CSVText(header: try (reader.next()?.fields ?? []).map(guarded))
        while let record = try reader.next() {
            text.add(record.fields.map { $0.isEmpty ? nil : Double($0)?.isFinite == true ? $0 : guarded($0) })
        }
        return mark + text.bytes
    }

    /// A text that begins as a formula does gets an apostrophe, which spreadsheets show as the text's beginning.
    static func guarded(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else {
            return text
        }
        return "'" + text
    }
}
