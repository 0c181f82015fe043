import Foundation

/// A canonical file, row by row, so that several of one order can be read side by side.
struct TableCursor {
    private var reader: CSVReader
    private let places: [String: Int]
    private var fields: [String] = []

    init(_ url: URL) throws {
        let handle = try FileHandle(forReadingFrom: url)
        try self.init(CSVReader { Array(try handle.read(upToCount: 1 << 16) ?? Data()) })
    }

    /// - Parameter bytes: the same text, where there is little of it.
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
        places = Dictionary(header.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// False before the first row and after the last.
    var isAtRow: Bool { !fields.isEmpty }

    mutating func advance() throws {
        fields = try reader.next()?.fields ?? []
    }

    /// The cells of the row by the names of their columns.
    var row: [String: String] {
        var cells: [String: String] = [:]
        for (name, place) in places where fields.indices.contains(place) { cells[name] = fields[place] }
        return cells
    }

    /// Blank where there is no such column.
    subscript(column: String) -> String {
        guard let place = places[column], fields.indices.contains(place) else { return "" }
        return fields[place]
    }

    func isOfSheet(_ sheet: TableCursor) -> Bool {
        self["enrolment_id"] == sheet["enrolment_id"] && self["sheet_id"] == sheet["sheet_id"]
    }

    /// Whether it stands at a sheet that comes before this one in the order of the files.
    func isBefore(_ sheet: TableCursor) -> Bool {
        let own = [self["enrolment_id"], self["sheet_id"]].joined()
        return own.utf8.lexicographicallyPrecedes([sheet["enrolment_id"], sheet["sheet_id"]].joined().utf8)
    }
}
