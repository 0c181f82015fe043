import Foundation
import SaunterCore

@testable import SaunterEvaluation

/// The rows of a CSV file by column name.
struct TableRows: Sequence {
    private let rows: [[String: String]]

    init(_ path: String) throws {
        try self.init(text: String(contentsOfFile: path, encoding: .utf8))
    }

    init(text: String) throws {
        var reader = CSVReader(text)
        let header = try reader.next()?.fields ?? []
        var rows: [[String: String]] = []
        while let record = try reader.next() {
            rows.append(Dictionary(uniqueKeysWithValues: zip(header, record.fields)))
        }
        self.rows = rows
    }

    func makeIterator() -> IndexingIterator<[[String: String]]> { rows.makeIterator() }
}
