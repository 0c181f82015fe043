import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct DatasetReaderTests {
    @Test func `every table has the same rows as in the dataset`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, manifest in
                try await DatasetReader(pool: garden.export)
                    .read("garden", profile: .coded, now: Garden.now) { reading in
                        #expect(reading.tables.count > 10)
                        for table in reading.tables where table.formats.contains(.csv) {
                            let file = try Data(contentsOf: URL(filePath: "\(folder)/\(table.path(.csv))"))
                            let read = try await reading.rows(of: table, TableQuery())
                            #expect(Data(read) == file, "\(table.name)")
                            let rows = manifest.files.first { $0.path == table.path(.csv) }?.rows
                            #expect(try await reading.count(of: table) == rows, "\(table.name)")
                        }
                    }
            }
        }
    }

    @Test func `pages of one row form the complete table in both directions`() async throws {
        try await Garden.with { garden in
            try await DatasetReader(pool: garden.export)
                .read("garden", profile: .coded, now: Garden.now) { reading in
                    for table in reading.tables
                    where table.columns.contains(where: { $0.name == "enrolment_id" }) {
                        for descends in [false, true] {
                            var query = TableQuery(descends: descends)
                            let whole = try await Self.keys(of: table, query, reading)
                            query.limit = 1
                            var paged: [[String]] = []
                            while true {
                                let page = try await Self.keys(of: table, query, reading)
                                guard let last = page.last, paged.count <= whole.count else { break }
                                paged += page
                                query.after = last
                            }
                            #expect(paged == whole, "\(table.name)")
                        }
                    }
                }
        }
    }

    @Test(
        arguments: [
            (TableQuery.Condition.compare("standing", .equal, "late"), 1),
            (.compare("sheet_id", .equal, "S00000000-0000-4000-8000-0000000000c1"), 1),
            (.compare("rev", .greater, "1.0"), 2), (.compare("deleted", .equal, "1"), 4),
            (.compare("submitted_at", .less, "2026-03-28T18:01:00Z"), 1),
            (.compare("submitted_at", .atMost, "2026-03-28T18:01:00Z"), 2),
            (.compare("occasion_id", .notEqual, "O00000000-0000-8000-8000-0000000000a1"), 14),
            (.isBlank("occasion_id"), 12), (.not(.isBlank("occasion_id")), 4),
            (.oneOf("participant_id", ["P002", "P003", "x"]), 13), (.oneOf("participant_id", []), 0),
            (.oneOf("sheet_id", ["S00000000-0000-4000-8000-0000000000c1", "nonsense"]), 1),
            (.all([.compare("instrument", .equal, "mood"), .compare("late_s", .atLeast, "3600")]), 1),
            (.any([.compare("participant_id", .equal, "P002"), .compare("standing", .equal, "late")]), 14),
            (.all([]), 16), (.any([]), 0),
            (.compare("participant_id", .equal, "' or true --"), 0),
            (.compare("sheet_id", .equal, "'; drop table research.walk; --"), 0),
            (.oneOf("participant_id", ["{}", "\\", "P001'"]), 0),
        ] as [(TableQuery.Condition, Int)])
    func `conditions select rows, and values are never interpreted as SQL`(
        condition: TableQuery.Condition, rows: Int
    )
        async throws
    {
        try await Garden.with { garden in
            try await DatasetReader(pool: garden.export)
                .read("garden", profile: .coded, now: Garden.now) { reading in
                    #expect(try await reading.count(of: Tables.sheets, condition) == rows)
                    let read = try await reading.rows(of: Tables.sheets, TableQuery(condition: condition))
                    #expect(
                        try TableRows(text: String(decoding: read, as: UTF8.self)).map(\.self).count == rows)
                }
        }
    }

    @Test(arguments: [
        TableQuery(columns: ["hat"]), TableQuery(condition: .compare("hat", .equal, "1")),
        TableQuery(condition: .compare("rev", .equal, "many")), TableQuery(after: ["x"]),
        TableQuery(condition: .compare("submitted_at", .equal, "today")), TableQuery(after: ["E1", "S1"]),
    ])
    func `a query with an unknown column, value or key is rejected`(query: TableQuery) async throws {
        try await Garden.with { garden in
            await #expect(throws: TableQueryFault.self) {
                try await DatasetReader(pool: garden.export)
                    .read("garden", profile: .coded, now: Garden.now) { reading in
                        _ = try await reading.rows(of: Tables.sheets, query)
                    }
            }
        }
    }

    private nonisolated(nonsending) static func keys(
        of table: Table, _ query: TableQuery, _ reading: DatasetReadSession
    ) async throws
        -> [[String]]
    {
        try TableRows(text: String(decoding: await reading.rows(of: table, query), as: UTF8.self))
            .map { row in table.key.map { row[$0] ?? "" } }
    }
}
