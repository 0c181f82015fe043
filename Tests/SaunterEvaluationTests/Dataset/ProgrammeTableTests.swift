import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

/// `programmes.csv`, and the sheets that occasions follow.
@Suite struct ProgrammeTableTests {
    private static let columns = [
        "participant_id", "programme", "module", "first_done_at", "times", "edition",
    ]
    private static let expected = [
        ["P002", "beds", "bed", "2026-03-28T23:30:00.000Z", "2", ""],
        ["P002", "beds", "care", "2026-03-29T10:00:00.000Z", "3", "1"],
        ["P002", "water", "care", "2026-03-29T10:00:00.000Z", "3", "1"],
    ]

    @Test func `progress is that of current sheets, in the programmes of any edition`() async throws {
        try await Garden.with { garden in
            try await garden.change(Self.editions)
            try await garden.dataset { folder, _ in
                #expect(try Self.rows(folder) == Self.expected)
                let codebook = try TableRows(folder + "/meta/codebook.csv")
                    .filter { $0["file"] == "data/programmes.csv" }.compactMap { $0["column"] ?? $0["name"] }
                #expect(
                    Set(codebook).isSuperset(of: ["programme", "module", "first_done_at", "times", "edition"])
                )
                let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
                #expect(readme.contains("programmes.csv"))
            }
        }
    }

    @Test func `a release has no stored ids and no true dates`() async throws {
        try await Garden.with { garden in
            try await garden.change(Self.editions)
            try await garden.dataset(profile: .deidentified) { folder, _ in
                let rows = try Self.rows(folder)
                #expect(
                    rows.map { $0[1...2].joined(separator: " ") }
                        == Self.expected.map { $0[1...2].joined(separator: " ") })
                #expect(
                    zip(rows, Self.expected).allSatisfy { row, stored in
                        row[0] != stored[0] && row[3] != stored[3] && !row[3].isEmpty
                    })
            }
        }
    }

    @Test func `an earlier dataset has the programmes and the sheets of that time`() async throws {
        try await Garden.with { garden in
            try await garden.change(Self.editions)
            let then = try #require(Instant("2026-03-29T10:30:00Z"))
            try await garden.dataset(asOf: then) { folder, _ in
                let rows = try Self.rows(folder).map { Array($0[1...4]) }
                #expect(
                    rows == [
                        ["beds", "bed", "2026-03-28T23:30:00.000Z", "1"],
                        ["beds", "care", "2026-03-29T10:00:00.000Z", "1"],
                    ])
            }
        }
    }

    @Test func `there is no table without programmes, and none for some dates`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { _, manifest in
                #expect(!manifest.files.contains { $0.path == "data/programmes.csv" })
            }
            try await garden.change(Self.editions)
            let filters = DatasetFilters(from: LocalDate("2026-03-29"))
            try await garden.dataset(filters: filters) { _, manifest in
                #expect(!manifest.files.contains { $0.path == "data/programmes.csv" })
                #expect(manifest.files.contains { $0.path == "data/content_shown.csv" })
            }
        }
    }

    @Test func `an occasion states the sheet that it follows, if a schedule of the study follows sheets`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let first = try TableRows(folder + "/data/occasions.csv").first { _ in true }
                #expect(first != nil && first?["follows_sheet"] == nil)
            }
            try await garden.change(
                #"""
                update research.study_version
                set files = replace(files::text, 'id: daily\n', 'id: daily\n    anchor: {completion: [bed, care]}\n')::jsonb
                where study = 'garden' and version = '2.0.0';
                update research.occasion set anchor_instance = '00000000-0000-4000-8000-00000000be01'
                where occasion_id = '00000000-0000-8000-8000-0000000000b2';
                update research.occasion set anchor_instance = '00000000-0000-4000-8000-00000000ffff'
                where occasion_id = '00000000-0000-8000-8000-0000000000b1'
                """#)
            for profile in [DatasetProfile.coded, .deidentified] {
                try await garden.dataset(profile: profile) { folder, _ in
                    let sheets = Set(try TableRows(folder + "/data/sheets.csv").compactMap { $0["sheet_id"] })
                    let followed = try TableRows(folder + "/data/occasions.csv").compactMap {
                        $0["follows_sheet"]
                    }
                    .filter { !$0.isEmpty }
                    // A walk is no sheet.
                    #expect(followed.count == 1 && sheets.isSuperset(of: followed))
                }
            }
        }
    }

    private static func rows(_ folder: String) throws -> [[String]] {
        try TableRows(folder + "/data/programmes.csv").map { row in columns.map { row[$0] ?? "" } }
    }

    /// Two editions. The second one removes the programme `beds`, and adds `water`. `gone` is in no version of the
    /// study.
    private static var editions: String {
        func edition(_ number: Int, _ at: String, _ programmes: String) -> String {
            let files: JSON = [
                "studies/garden/library/programmes.yaml": .string(programmes),
                "studies/garden/library/media/a.png": .string("sha256:" + String(repeating: "0", count: 64)),
            ]
            return """
                insert into research.content_edition (study, edition, digest, files, media, public_media, published_at)
                values ('garden', \(number), repeat('\(number)', 64), $files$\(files.text)$files$, '{}', '{}', '\(at)');
                """
        }
        return edition(
            1, "2026-03-29T09:00:00Z",
            "programmes: [{code: beds, picture: media/a.png, modules: [bed, gone, care]}]")
            + edition(
                2, "2026-03-29T13:00:00Z",
                "programmes: [{code: water, modules: [care]}, {code: old, withdrawn: true, modules: [leave_it]}]"
            )
    }
}
