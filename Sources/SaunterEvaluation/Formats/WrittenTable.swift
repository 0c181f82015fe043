import Foundation
import SaunterCore

/// A table whose canonical file is written, to be read again row by row: every other form of it is made from that file,
/// so that all forms say the same.
struct WrittenTable {
    /// One cell: its text, or why it is blank where that is known.
    enum Cell: Hashable {
        case value(String)
        case blank(MissingReason?)
    }

    private static let pieceSize = 1 << 16

    let table: Table
    /// Of the canonical file.
    let rows: Int
    private let url: URL
    /// The table of the same rows that tells why values are blank.
    private let reasons: URL?

    init(_ table: Table, rows: Int, url: URL, reasons: URL?) {
        self.table = table
        self.rows = rows
        self.url = url
        self.reasons = reasons
    }

    /// Whether it is known why values are blank.
    var hasReasons: Bool { reasons != nil }

    /// Every row in order, as many cells as the table has columns.
    func forEachRow(_ body: ([Cell]) throws -> Void) throws {
        let names = table.columns.map(\.name)
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }  // A file that was only read has nothing to lose.
        var values = CSVReader { Array(try handle.read(upToCount: Self.pieceSize) ?? Data()) }
        guard try values.next()?.fields == names else { throw DatasetFault.damaged([table.path(.csv)]) }
        guard let reasons else {
            while let record = try values.next() {
                try body(try cells(record.fields) { _ in nil })
            }
            return
        }
        let second = try FileHandle(forReadingFrom: reasons)
        defer { try? second.close() }
        var masks = CSVReader { Array(try second.read(upToCount: Self.pieceSize) ?? Data()) }
        guard try masks.next()?.fields == names else { throw DatasetFault.damaged([table.path(.csv)]) }
        while let record = try values.next() {
            guard let mask = try masks.next()?.fields, mask.count == names.count else {
                throw DatasetFault.damaged([table.path(.csv)])
            }
            try body(
                try cells(record.fields) { place in
                    table.columns[place].item == nil ? nil : MissingReason(code: mask[place])
                })
        }
    }

    private func cells(_ fields: [String], reason: (Int) -> MissingReason?) throws -> [Cell] {
        guard fields.count == table.columns.count else { throw DatasetFault.damaged([table.path(.csv)]) }
        return fields.enumerated().map { place, text in
            text.isEmpty ? .blank(reason(place)) : .value(text)
        }
    }

    /// The most bytes that a column's texts have, for forms in which texts have a width.
    func widths() throws -> [Int] {
        var widths = [Int](repeating: 1, count: table.columns.count)
        try forEachRow { cells in
            for (place, cell) in cells.enumerated() where table.columns[place].type == .string {
                if case .value(let text) = cell { widths[place] = max(widths[place], text.utf8.count) }
            }
        }
        return widths
    }
}

extension MissingReason {
    init?(code: String) {
        guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }
}

extension Table {
    /// Whether its rows are people's own words, which no statistics program takes at full length.
    var isProse: Bool { columns.contains { $0.identifierClass == .direct } }
}
