import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

/// Datasets in which letters replace the codes of arms. The garden has the arms `plants` and `stones`.
@Suite struct BlindedDatasetTests {
    private static let secret = Array("gardenrain".utf8)
    private static let names = ArmNames(blinding: ["plants", "stones"], of: "garden", secret: secret)
    private static let textFormats = ["csv", "json", "xml", "md", "R", "py", "do", "sps"]

    /// The files that name an arm, without compressed ones.
    private static func filesWithArms(_ folder: String, _ manifest: DatasetManifest) throws -> [String] {
        let paths = manifest.files.map(\.path) + ["manifest.json"]
        return try paths.filter { path in
            guard let format = path.split(separator: ".").last, textFormats.contains(String(format)) else {
                return false
            }
            let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
                .replacing("tombstones", with: "")
            return text.contains("plants") || text.contains("stones")
        }
    }

    @Test(arguments: [DatasetProfile.coded, .full, .deidentified, .public])
    func `no file of a blinded dataset names an arm`(_ profile: DatasetProfile) async throws {
        try await Garden.with { garden in
            let formats = Set(DatasetFormat.allCases)
            let named = try await garden.dataset(profile: profile, formats: formats) {
                try Self.filesWithArms($0, $1)
            }
            #expect(named.count > (profile == .public ? 0 : 20))

            try await garden.dataset(profile: profile, formats: formats, isBlinded: true) {
                folder, manifest in
                let stillNamed = try Self.filesWithArms(folder, manifest)
                #expect(stillNamed == [])
                #expect(!manifest.files.contains { $0.path.hasPrefix("meta/study/") })
                #expect(manifest.json["profile"]?["measures"]?.text.contains("arms are letters") == true)
            }
        }
    }

    @Test func `every cell of a column with an arm has the letter of the arm`() async throws {
        try await Garden.with { garden in
            let open = try await garden.dataset { folder, _ in
                try Array(TableRows("\(folder)/data/panel.csv"))
            }

            try await garden.dataset(isBlinded: true) { folder, _ in
                let blinded = try Array(TableRows("\(folder)/data/panel.csv"))
                #expect(blinded.count == open.count && !open.isEmpty)
                for (row, before) in zip(blinded, open) {
                    #expect(row["arm"] == Self.names[before["arm"] ?? ""])
                    #expect(row["occasion_id"] == before["occasion_id"])
                }
                let change = try #require(Array(TableRows("\(folder)/data/arm_changes.csv")).first)
                #expect(
                    change["from_arm"] == Self.names["plants"] && change["to_arm"] == Self.names["stones"])
                #expect(change["reason"] == "")
                for row in try Array(TableRows("\(folder)/data/enrolments.csv")) {
                    #expect(row["allocated_arm"] == Self.names["plants"])
                    #expect(row["allocation_position"] == "" && row["allocation_basis"] == "")
                }
            }
        }
    }

    @Test func `the filter for arms takes letters, and codes are unknown`() async throws {
        try await Garden.with { garden in
            let letter = try #require(Self.names["stones"])
            try await garden.dataset(filters: DatasetFilters(arms: [letter]), isBlinded: true) {
                folder, manifest in
                #expect(manifest.participants.enrolments == 1)
                let arms = try Array(TableRows("\(folder)/data/participants.csv")).map { $0["arm"] }
                #expect(arms == [letter])
            }
            await #expect(throws: DatasetFault.unknownArm("stones", known: ["A", "B"])) {
                try await garden.dataset(filters: DatasetFilters(arms: ["stones"]), isBlinded: true) {
                    _, _ in
                }
            }
        }
    }

    @Test func `an earlier state has the letters of the present`() async throws {
        try await Garden.with { garden in
            let earlier = try #require(Instant("2026-03-28T23:00:00Z"))
            try await garden.dataset(asOf: earlier, isBlinded: true) { folder, manifest in
                let stillNamed = try Self.filesWithArms(folder, manifest)
                #expect(stillNamed == [])
                let arms = try Array(TableRows("\(folder)/data/participants.csv")).map { $0["arm"] ?? "" }
                #expect(!arms.isEmpty && Set(arms).isSubset(of: ["A", "B"]))
            }
        }
    }

    @Test func `a blinded request is another request, and one for codes keeps its digest`() {
        let open = DatasetRequest(study: "garden")
        var blinded = open
        blinded.isBlinded = true

        #expect(open.digest != blinded.digest)
        #expect(open.json["blinded"] == nil && blinded.json["blinded"] == true)
    }

    @Test func `readers get letters in definitions, rows, filters and projects`() async throws {
        try await Garden.with { garden in
            let reader = DatasetReader(pool: garden.export)
            let definitions = try await reader.definitions(of: "garden", blindingSecret: Self.secret)
            #expect(definitions.arms == ["A", "B"])
            #expect(REDCapProject(definitions).arms == ["A", "B"])
            #expect(try await reader.definitions(of: "garden").arms == ["plants", "stones"])

            try await reader.read(
                "garden", profile: .full, blindingSecret: Self.secret, now: Garden.now
            ) { reading in
                for table in reading.tables {
                    let text = String(
                        decoding: try await reading.rows(of: table, TableQuery()), as: UTF8.self
                    )
                    .replacing("tombstones", with: "")
                    #expect(!text.contains("plants") && !text.contains("stones"), "\(table.name)")
                }
                let people = try #require(reading.tables.first { $0.name == "participants" })
                for (code, count) in [("stones", 1), ("plants", 1)] {
                    let letter = try #require(Self.names[code])
                    #expect(try await reading.count(of: people, .compare("arm", .equal, letter)) == count)
                    #expect(try await reading.count(of: people, .compare("arm", .equal, code)) == 0)
                }
            }
        }
    }
}
