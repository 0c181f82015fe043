import Foundation
import SaunterCore

/// Reads a canonical CSV file row by row, so that several files with the same order can be merged.
struct TableCursor {
    private var reader: CSVReader
    private let indexes: [String: Int]
    private var fields: [String] = []

    init(_ url: URL) throws {
        let handle = try FileHandle(forReadingFrom: url)
        try self.init(CSVReader { Array(try handle.read(upToCount: 1 << 16) ?? Data()) })
    }

    /// - Parameter bytes: a complete CSV text in memory.
    init(_ bytes: [UInt8]) throws {
        var rest: [UInt8]? = bytes
        try self.init(
            CSVReader {
                defer { rest = nil }
                return rest ?? []
            })
    }

    private init(_ reader: CSVReader) throws {
        self.reader = reader
        let header = try self.reader.next()?.fields ?? []
        indexes = Dictionary(header.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the cursor is at a row, not before the first row or after the last row.
    var isAtRow: Bool { !fields.isEmpty }

    mutating func advance() throws {
        fields = try reader.next()?.fields ?? []
    }

    /// The cells of the current row by column name.
    var row: [String: String] {
        var cells: [String: String] = [:]
        for (name, index) in indexes where fields.indices.contains(index) { cells[name] = fields[index] }
        return cells
    }

    /// The cell of a column. Empty if the column does not exist.
    subscript(column: String) -> String {
        guard let index = indexes[column], fields.indices.contains(index) else { return "" }
        return fields[index]
    }

    func isOfSheet(_ sheet: TableCursor) -> Bool {
        self["enrolment_id"] == sheet["enrolment_id"] && self["sheet_id"] == sheet["sheet_id"]
    }

    /// Whether the current row belongs to a sheet that precedes this sheet in the order of the files.
    func isBefore(_ sheet: TableCursor) -> Bool {
        let own = [self["enrolment_id"], self["sheet_id"]].joined()
        return own.utf8.lexicographicallyPrecedes([sheet["enrolment_id"], sheet["sheet_id"]].joined().utf8)
    }
}
