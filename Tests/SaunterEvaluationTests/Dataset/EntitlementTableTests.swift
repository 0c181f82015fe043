import Foundation
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterEvaluation

/// `entitlements.csv`: the periods in which participants had an entitlement.
@Suite struct EntitlementTableTests {
    private static let columns = [
        "participant_id", "ordinal", "entitlement", "source", "valid_from_at", "valid_until_at", "revoked_at",
    ]
    /// A purchase that is renewed, and refunded after the renewal; a gift of another participant, which changes.
    private static let periods = """
        insert into research.entitlement_period
          (enrolment_id, entitlement_id, valid_from, recorded_at, entitlement, source, valid_until, revoked_at) values
        ('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-00000000f001', '2026-03-28T12:00:00Z',
          '2026-03-28T12:00:01Z', 'premium', 'app_store', '2026-03-29T12:00:00Z', null),
        ('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-00000000f001', '2026-03-29T12:00:00Z',
          '2026-03-29T12:00:01Z', 'premium', 'app_store', '2026-03-30T12:00:00Z', null),
        ('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-00000000f001', '2026-03-29T12:00:00Z',
          '2026-03-30T08:00:00Z', 'premium', 'app_store', '2026-03-30T12:00:00Z', '2026-03-29T18:00:00Z'),
        ('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000f002', '2026-03-29T10:00:00Z',
          '2026-03-29T10:00:00Z', 'premium', 'gift', '2026-03-30T10:00:00Z', null),
        ('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000f002', '2026-03-29T10:00:00Z',
          '2026-03-29T11:00:00Z', 'premium', 'gift', null, null)
        """
    private static let first = [
        "P001", "1", "premium", "app_store", "2026-03-28T12:00:00.000Z", "2026-03-29T12:00:00.000Z", "",
    ]
    private static let renewal = [
        "P001", "2", "premium", "app_store", "2026-03-29T12:00:00.000Z", "2026-03-30T12:00:00.000Z",
    ]
    private static let gift = ["P002", "1", "premium", "gift", "2026-03-29T10:00:00.000Z"]

    /// Runs a test with the study of the fixture that has an entitlement, as version 3.0.0.
    private static func with(_ test: (Garden) async throws -> Void) async throws {
        var files = try Garden.pack("garden-2").files
        let study = try #require(files.keys.first { $0.hasSuffix("studies/garden/study.yaml") })
        files[study]? += "\nentitlements: [premium]\n"
        files[study] = files[study]?.replacing(
            "version: 2.0.0\n", with: "version: 3.0.0\n", maxReplacements: 1)
        let text = try #require(files.keys.first { $0.hasSuffix("content/text.en.yaml") })
        files[text]? += "\nentitlements: {premium: {title: Premium}}\n"
        let pack = PackFiles(files: files)
        try await Garden.with { garden in
            try await garden.publish(pack, version: "3.0.0", at: "2026-03-03T00:00:00Z")
            try await garden.change(periods)
            try await test(garden)
        }
    }

    private static func rows(_ folder: String) throws -> [[String]] {
        try TableRows(folder + "/data/entitlements.csv").map { row in columns.map { row[$0] ?? "?" } }
    }

    @Test func `every period has a row with its last state, and the same data give the same bytes`()
        async throws
    {
        try await Self.with { garden in
            func read(_ profile: DatasetProfile) async throws -> (rows: [[String]], digest: Data) {
                try await garden.dataset(profile: profile) { folder, _ in
                    let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
                    #expect(readme.contains("## Entitlements"))
                    let file = URL(filePath: folder + "/data/entitlements.csv")
                    return (try Self.rows(folder), try Data(contentsOf: file))
                }
            }
            let coded = try await read(.coded)

            #expect(
                coded.rows == [
                    Self.first, Self.renewal + ["2026-03-29T18:00:00.000Z"], Self.gift + ["", ""],
                ])
            #expect(try await read(.coded).digest == coded.digest)
            #expect(try await read(.full).rows == coded.rows)
        }
    }

    @Test func `an earlier dataset has the states that were known then`() async throws {
        try await Self.with { garden in
            for (instant, expected) in [
                ("2026-03-29T10:30:00Z", [Self.first, Self.gift + ["2026-03-30T10:00:00.000Z", ""]]),
                ("2026-03-29T20:00:00Z", [Self.first, Self.renewal + [""], Self.gift + ["", ""]]),
            ] {
                try await garden.dataset(asOf: Instant(instant)) { folder, _ in
                    let rows = try Self.rows(folder)
                    #expect(rows == expected, "\(instant)")
                }
            }
        }
    }

    @Test(arguments: [DatasetProfile.deidentified, .public])
    func `a release has no entitlements`(profile: DatasetProfile) async throws {
        try await Self.with { garden in
            try await garden.dataset(profile: profile) { folder, manifest in
                #expect(!manifest.files.contains { $0.path.contains("entitlements") })
                #expect(
                    (manifest.json["profile"]?["measures"]?.text ?? "").contains("entitlements are left out")
                        == (profile == .deidentified))
                #expect(!FileManager.default.fileExists(atPath: folder + "/data/entitlements.csv"))
            }
        }
    }

    @Test func `a study without entitlements has no table`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { _, manifest in
                #expect(!manifest.files.contains { $0.path.contains("entitlements") })
            }
        }
    }
}
