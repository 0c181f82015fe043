import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct StoredSheetEncoderTests {
    @Test(arguments: [DatasetProfile.coded, .full, .deidentified])
    func `the encoder writes the same cells as SQL expressions`(
        profile: DatasetProfile
    ) async throws {
        try await expectSame(profile, DatasetFilters(), minimumRows: ["answers": 5000, "wide_mood": 300])
    }

    @Test(arguments: [
        DatasetFilters(from: LocalDate("2026-03-29"), to: LocalDate("2026-03-29")),
        DatasetFilters(from: LocalDate("2026-03-30")), DatasetFilters(to: LocalDate("2026-03-28")),
        DatasetFilters(from: LocalDate("9999-12-31")), DatasetFilters(arms: ["stones"]),
    ])
    func `the encoder and SQL expressions agree for every filter`(filters: DatasetFilters) async throws {
        try await expectSame(.coded, filters, minimumRows: ["answers": 13, "wide_mood": 1])
    }

    /// - Parameter minimumRows: the minimum number of rows of a table, so that the comparison is not empty.
    private func expectSame(_ profile: DatasetProfile, _ filters: DatasetFilters, minimumRows: [String: Int])
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
                    let plain = table.withExpressions(snapshot.definitions)
                    try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: transaction)
                    var expected: [UInt8] = []
                    try await transaction.copyOut(plain.copyCommand(profile, hasUnknownZones: false)) {
                        expected += $0
                    }
                    var rows = StoredSheetEncoder(table.columns, stored, profile)
                    var written: [UInt8] = []
                    let settings = try await DatasetSettings.read(in: transaction)
                    let command = table.copyCommand(profile, hasUnknownZones: false, settings: settings)
                    try await transaction.copyOut(command) { written += try rows.csv($0) }

                    #expect(Self.lines(written) == Self.lines(expected), "\(table.name)")
                    #expect(written == expected, "\(table.name)")
                    #expect(Self.lines(written).count > minimumRows[table.name] ?? 0, "\(table.name)")
                    compared.insert(table.name)
                }
                let wide = snapshot.definitions.instruments.flatMap { instrument in
                    ["wide_\(instrument.code)", "wide_\(instrument.code)_missing"]
                }
                #expect(compared == Set(["answers", "panel"] + wide))
            }
        }
    }

    private static func lines(_ text: [UInt8]) -> [Substring] {
        String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    @Test func `a single table can be read, and an unknown table is rejected`() async throws {
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
