import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct DatasetProfileTests {
    @Test(arguments: [
        (DatasetProfile.public, ["public"]), (.deidentified, ["deidentified", "public"]),
        (.coded, ["coded", "deidentified", "public"]), (.full, ["coded", "deidentified", "full", "public"]),
    ])
    func `the right to a profile includes the profiles that reveal less`(
        right: DatasetProfile, allowed: [String]
    ) {
        #expect(DatasetProfile.allCases.filter(right.allows).map(\.rawValue).sorted() == allowed)
    }

    @Test func `only the full profile includes earlier revisions of texts and device descriptions`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full) { folder, manifest in
                let texts = try TableRows(folder + "/data/text_revisions.csv").map { $0["text"] ?? "" }
                #expect(
                    texts == [
                        "first", "=1+1, \"quoted\"\nand a second line – ü", "Anna", "Käthe, \"the red\"",
                        "Early!",
                    ])
                let devices = try TableRows(folder + "/data/walk_devices.csv").map { $0["device"] ?? "" }
                #expect(devices == ["{\"model\": \"Watch, 2nd\"}"])
                #expect(manifest.json["profile"]?["name"] == "full")
            }
            try await garden.dataset { _, manifest in
                #expect(manifest.files.allSatisfy { !$0.path.contains("text_revisions") })
                #expect(manifest.files.allSatisfy { !$0.path.contains("walk_devices") })
            }
        }
    }

    @Test(arguments: DatasetProfile.allCases)
    func `the README names no file that the dataset does not have`(profile: DatasetProfile) async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: profile) { folder, manifest in
                let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
                let names = Set(
                    manifest.files.compactMap { $0.path.split(separator: "/").last.map(String.init) })
                let named = readme.matches(of: /`(?:[a-z]+\/)*([a-z0-9_.]+\.(?:csv|parquet|json|csv\.gz))`/)
                    .map { String($0.1) }
                #expect(named.count > 5)
                #expect(Set(named).subtracting(names).subtracting(["manifest.json"]).sorted() == [])
            }
        }
    }

    @Test func `participants who are not included appear only as rows for counting`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full) { folder, manifest in
                let rows = try TableRows(folder + "/data/tombstones.csv").map { $0 }
                #expect(
                    rows == [["kind": "erased", "ordinal": "1"], ["kind": "excluded", "ordinal": "1"]])
                for path in manifest.files.map(\.path) {
                    // Parquet stores texts without compression.
                    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(!text.contains("P003") && !text.contains("0000000000e3"), "\(path)")
                    #expect(!text.contains("0000000000f1"), "\(path)")
                }
            }
        }
    }
}
