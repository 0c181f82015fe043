import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct StoredRowsTests {
    @Test(arguments: [DatasetProfile.coded, .full, .deidentified])
    func `what is written from stored sheets is what the database would write, cell by cell`(
        profile: DatasetProfile
    ) async throws {
        try await expectSame(profile, DatasetFilters(), least: ["answers": 5000, "wide_mood": 300])
    }

    @Test(arguments: [
        DatasetFilters(from: LocalDate("2026-03-29"), to: LocalDate("2026-03-29")),
        DatasetFilters(from: LocalDate("2026-03-30")), DatasetFilters(to: LocalDate("2026-03-28")),
        DatasetFilters(from: LocalDate("9999-12-31")), DatasetFilters(arms: ["stones"]),
    ])
    func `the same sheets are in scope whatever the dates and arms`(filters: DatasetFilters) async throws {
        try await expectSame(.coded, filters, least: ["answers": 13, "wide_mood": 1])
    }

    /// - Parameter least: rows that a table must have, so that something is compared.
    private func expectSame(_ profile: DatasetProfile, _ filters: DatasetFilters, least: [String: Int])
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(
                String(contentsOfFile: Garden.fixtures + "/many_sheets.sql", encoding: .utf8))
            try await garden.export.read(isolation: .repeatableRead) { transaction in
                let snapshot = try await DatasetSnapshot.open(
                    "garden", profile: profile, filters: filters, secret: { Array($0.utf8) }, now: nil,
                    in: transaction)
                var compared: Set<String> = []
                for table in Tables.all(snapshot.definitions, profile) {
                    guard let stored = table.stored else { continue }
                    let plain = table.inExpressions(snapshot.definitions)
                    try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: transaction)
                    var expected: [UInt8] = []
                    try await transaction.copyOut(plain.copy(profile, guardsZones: false)) { expected += $0 }
                    var rows = StoredRows(table.columns, stored, profile)
                    var written: [UInt8] = []
                    let settings = try await FrameSettings.read(in: transaction)
                    let command = table.copy(profile, guardsZones: false, settings: settings)
                    try await transaction.copyOut(command) { written += try rows.csv($0) }

                    #expect(Self.lines(written) == Self.lines(expected), "\(table.name)")
                    #expect(written == expected, "\(table.name)")
                    #expect(Self.lines(written).count > least[table.name] ?? 0, "\(table.name)")
                    compared.insert(table.name)
                }
                #expect(compared == ["answers", "wide_mood", "wide_mood_missing"])
            }
        }
    }

    private static func lines(_ text: [UInt8]) -> [Substring] {
        String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    @Test func `a table can be read alone, and one that is not there is refused`() async throws {
        try await Garden.with { garden in
            let writer = DatasetWriter(pool: garden.export)
            let golden = try Data(
                contentsOf: URL(filePath: Garden.folder + "/Golden/data/wide_mood.csv"))
            try await writer.read(study: "garden") { tables in
                var text: [UInt8] = []
                try await tables.copy("wide_mood") { text += $0 }
                #expect(Data(text) == golden)
                await #expect(throws: DatasetFault.self) { try await tables.copy("wide_none") { _ in } }
            }
        }
    }
}
