import Foundation
import SaunterCore
import SaunterPacks
import SaunterStore
import Testing

@testable import SaunterEvaluation

@Suite struct EntryTablesTests {
    @Test func `sheets state the entry to which they refer and their author`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                for file in ["sheets", "wide_care"] {
                    let partner = try Self.row("be03", of: file, folder)
                    #expect(Self.id(partner, "refers_to") == "be01" && partner["source"] == "shed")
                    let own = try Self.row("be07", of: file, folder)
                    #expect(Self.id(own, "refers_to") == "be05" && own["source"] == "participant")
                }
                let first = try Self.row("be01", of: "sheets", folder)
                #expect(first["refers_to"] == "" && first["source"] == "participant")
            }
        }
    }

    @Test func `a purged sheet is a deleted row without answers, and the manifest and the README state it`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full) { folder, manifest in
                let sheet = try Self.row("be04", of: "sheets", folder)
                #expect(sheet["deleted"] == "1" && sheet["counts"] == "0" && sheet["flags"] == "purged")
                #expect(try Self.filesWithPurgedSheet(manifest, folder) == ["data/sheets.csv"])
                #expect(manifest.json["counts"]?["purged_sheets"] == 1)
                let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
                let measures = manifest.json["profile"]?["measures"]?.text ?? ""
                for text in [readme, measures] {
                    #expect(text.contains("texts and scores of deleted sheets of care were removed"))
                }
            }
        }
    }

    private static func filesWithPurgedSheet(_ manifest: DatasetManifest, _ folder: String) throws -> [String]
    {
        try manifest.files.map(\.path).filter { path in
            guard path.hasPrefix("data/"), path.hasSuffix(".csv") else { return false }
            return try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8).contains("00000000be04")
        }
    }

    @Test func `every flag of the stored sheets has a label`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let known = Set(
                    try TableRows(folder + "/meta/value_labels.csv").filter { $0["set"] == "sheet_flag" }
                        .compactMap { $0["code"] })
                let flags = try Self.rows("sheets", folder).filter { $0["instrument"] == "care" }
                    .flatMap { ($0["flags"] ?? "").split(separator: "|").map(String.init) }
                #expect(Set(flags) == ["over_daily_limit", "entry_ended", "purged"])
                #expect(known.isSuperset(of: flags))
            }
        }
    }

    @Test func `an answer of a kind of data without permission is blank with its reason`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let answer = try #require(
                    try Self.rows("answers", folder).first {
                        Self.id($0, "sheet_id") == "be05" && $0["item"] == "spot"
                    })
                #expect(answer["value"] == "" && answer["missing"] == "no_consent")
                let codes = try TableRows(folder + "/meta/missing_codes.csv").map(\.self)
                let code = try #require(codes.first { $0["code"] == "no_consent" }, "\(codes)")
                #expect(code["spss"] == "-989")
            }
        }
    }

    @Test func `usage events state their feature, content and duration, and a release only the feature`()
        async throws
    {
        try await Garden.with { garden in
            func events(_ profile: DatasetProfile) async throws -> [[String?]] {
                try await garden.dataset(profile: profile) { folder, _ in
                    try Self.rows("usage_events", folder)
                        .filter { ["feature_opened", "content_shown"].contains($0["event"]) }
                        .map { [$0["event"], $0["feature"], $0["collection"], $0["item"], $0["seconds"]] }
                        .sorted { ($0[0] ?? "") < ($1[0] ?? "") }
                }
            }
            let coded = try await events(.coded)
            #expect(
                coded == [
                    ["content_shown", "", "tips", "rake", "12.5"], ["feature_opened", "beds", "", "", ""],
                ])
            let released = try await events(.deidentified)
            #expect(
                released == [
                    ["content_shown", "", "", "", "12.5"], ["feature_opened", "beds", "", "", ""],
                ])
        }
    }

    @Test func `settings have one row per value with the time for which it was in force`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let rows = try Self.rows("settings", folder)
                let columns = [
                    "item", "option", "value", "label", "missing", "valid_from_at", "valid_from_local",
                    "valid_to_at", "valid_to_local",
                ]
                let first = ["2026-03-28T23:10:00.000Z", "2026-03-28T19:10:00.000"]
                let second = ["2026-03-30T07:00:00.000Z", "2026-03-30T09:00:00.000"]
                #expect(
                    rows.filter { Self.id($0, "sheet_id") == "be09" }.map { row in columns.map { row[$0] } }
                        == [
                            ["bell", "", "08:00:00", "", ""] + first + second,
                            ["days", "1", "1", "first day", ""] + first + second,
                            ["days", "2", "0", "second day", ""] + first + second,
                            ["glove", "", "right", "the right, not the left", ""] + first + second,
                            ["motto", "", "", "", ""] + first + second,
                            ["since", "", "2026-01-05", "", ""] + first + second,
                        ])
                let inForce = rows.filter { $0["valid_to_at"] == "" }
                #expect(Set(inForce.map { Self.id($0, "sheet_id") }) == ["be0a"])
                #expect(inForce.first { $0["item"] == "glove" }?["value"] == "left")
                #expect(inForce.first { $0["item"] == "bell" }?["missing"] == "skipped")
                // The last sheet of the settings was deleted.
                #expect(!rows.contains { Self.id($0, "sheet_id") == "be0b" })
            }
        }
    }

    @Test(arguments: [
        ("2026-03-28", "2026-03-28", ["be09"]), ("2026-03-29", "2026-03-29", ["be09"]),
        ("2026-03-30", "2026-03-30", ["be09", "be0a"]), ("2026-03-27", "2026-03-27", []),
        ("2026-03-31", "2026-04-01", ["be0a"]),
    ])
    func `a dataset of some dates has the settings that were in force then`(
        from: String, to: String, sheets: [String]
    ) async throws {
        try await Garden.with { garden in
            let filters = DatasetFilters(from: LocalDate(from), to: LocalDate(to))
            try await garden.dataset(filters: filters) { folder, _ in
                let found = Set(try Self.rows("settings", folder).map { Self.id($0, "sheet_id") })
                #expect(found == Set(sheets))
            }
        }
    }

    @Test func `the settings of a release have shifted dates and no texts`() async throws {
        try await Garden.with { garden in
            let coded = try await garden.dataset { folder, _ in try Self.rows("settings", folder) }
            try await garden.dataset(profile: .deidentified) { folder, _ in
                let rows = try Self.rows("settings", folder)
                #expect(rows.count == coded.count)
                let since = try #require(rows.first { $0["item"] == "since" && $0["value"] != "" })
                let shift = 20_458 - (try #require(LocalDate(since["value"] ?? "")).days)
                let from = try #require(Instant(since["valid_from_at"] ?? ""))
                let original = try #require(Instant("2026-03-28T23:10:00.000Z"))
                #expect(shift % 7 == 0 && shift > 0)
                #expect(original.milliseconds(since: from) == Int64(shift) * 86_400_000)
                #expect(rows.first { $0["item"] == "glove" && $0["value"] == "right" } != nil)
            }
        }
    }

    @Test func `episodes state when and why entries ended, and which entries refer to them`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let rows = try Self.rows("episodes", folder)
                let columns = [
                    "instrument", "began_at", "began_local", "ended_at", "ended_local", "why", "linked",
                ]
                #expect(
                    rows.map { row in [Self.id(row, "sheet_id")] + columns.map { row[$0] ?? "" } } == [
                        [
                            "be01", "bed", "2026-03-28T23:30:00.000Z", "2026-03-28T19:30:00.000",
                            "2026-03-29T13:00:00.000Z", "2026-03-29T09:00:00.000", "replaced", "2",
                        ],
                        [
                            "be05", "bed", "2026-03-29T13:00:00.000Z", "2026-03-29T09:00:00.000",
                            "2026-03-29T20:30:00.000Z", "2026-03-29T22:30:00.000", "ended", "1",
                        ],
                        [
                            "be08", "bed", "2026-03-30T08:00:00.000Z", "2026-03-30T10:00:00.000",
                            "2026-03-30T09:00:00.000Z", "2026-03-30T11:00:00.000", "deleted", "0",
                        ],
                    ])
                #expect(rows.map { Self.id($0, "ended_by") } == ["be05", "be06", ""])
                let linked = rows.map { row in
                    (row["linked_sheets"] ?? "").split(separator: "|").map { String($0.suffix(4)) }
                }
                // The purged sheet and the sheet that ended the entry are not listed.
                #expect(linked == [["be02", "be03"], ["be07"], []])
            }
        }
    }

    @Test func `an entry that nothing ended is open`() async throws {
        try await Garden.with { garden in
            try await garden.change(
                "delete from research.answer_sheet where sheet_id::text like '%be06'")
            try await garden.dataset { folder, _ in
                let row = try Self.row("be05", of: "episodes", folder)
                #expect(row["why"] == "open" && row["ended_at"] == "" && row["ended_by"] == "")
            }
        }
    }

    @Test(arguments: [
        ("2026-03-28", ["be01"]), ("2026-03-29", ["be01", "be05"]), ("2026-03-30", ["be08"]),
        ("2026-03-31", []),
    ])
    func `a dataset of some dates has the episodes that touch them`(
        date: String, entries: [String]
    ) async throws {
        try await Garden.with { garden in
            let filters = DatasetFilters(from: LocalDate(date), to: LocalDate(date))
            try await garden.dataset(filters: filters) { folder, _ in
                let found = try Self.rows("episodes", folder).map { Self.id($0, "sheet_id") }
                #expect(found == entries)
            }
        }
    }

    @Test func `the ids of a release's episodes are those of its sheets`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .deidentified) { folder, _ in
                let sheets = Set(try Self.rows("sheets", folder).compactMap { $0["sheet_id"] })
                let episodes = try Self.rows("episodes", folder)
                let ids = episodes.flatMap { row in
                    [row["sheet_id"], row["ended_by"]].compactMap(\.self)
                        + (row["linked_sheets"] ?? "").split(separator: "|").map(String.init)
                }.filter { !$0.isEmpty }
                #expect(ids.count == 8)
                #expect(sheets.isSuperset(of: ids))
                let references = Set(try Self.rows("sheets", folder).compactMap { $0["refers_to"] })
                #expect(sheets.isSuperset(of: references.subtracting([""])))
                #expect(references.count == 3)
            }
        }
    }

    @Test func `permissions of kinds of data have one row per period`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let rows = try Self.rows("data_kinds", folder)
                let columns = ["participant_id", "kind", "ordinal", "granted_at", "revoked_at", "purged_at"]
                #expect(
                    rows.map { row in columns.map { row[$0] } } == [
                        [
                            "P001", "location", "1", "2026-03-28T11:00:00.000Z", "2026-03-28T12:00:00.000Z",
                            "2026-03-28T12:00:00.000Z",
                        ],
                        [
                            "P002", "location", "1", "2026-03-28T23:00:00.000Z", "2026-03-29T12:30:00.000Z",
                            "",
                        ],
                        ["P002", "location", "2", "2026-03-30T09:00:00.000Z", "", ""],
                    ])
            }
        }
    }

    @Test func `a permission changes the tag and the instant of the dataset`() async throws {
        try await Garden.with { garden in
            let writer = DatasetWriter(
                pool: garden.export, numberChanges: { try await ChangeNumbering.run($0, on: garden.research) }
            )
            let request = DatasetRequest(study: "garden")
            let before = try #require(try await writer.tag(of: request, now: Garden.now))
            try await garden.change(
                """
                update research.enrolment_data_kind set revoked_at = '2026-03-30T16:30:00Z'
                where revoked_at is null
                """)
            let after = try await writer.tag(of: request, now: Garden.now)
            #expect(after != before)
            try await garden.dataset { _, manifest in
                #expect(manifest.asOf.description == "2026-03-30T16:30:00.000Z")
            }
        }
    }

    @Test func `a study without entries, settings and variables has none of their tables`() async throws {
        let names = ["settings", "episodes", "data_kinds", "variables", "locations", "location_revisions"]
        let version = StudyDefinitions.Version(
            version: "1.0.0", digest: "",
            study: try StudyPack.read(Garden.pack("garden-1"), study: "garden").study,
            fhirMappings: [:])
        let study = StudyDefinitions(code: "garden", versions: [version])
        for profile in DatasetProfile.allCases {
            let tables = Set(Tables.all(study, profile).map(\.name))
            #expect(tables.isDisjoint(with: names))
        }
    }

    private static func rows(_ table: String, _ folder: String) throws -> [[String: String]] {
        try TableRows("\(folder)/data/\(table).csv").map(\.self)
    }

    /// The row of a sheet, whose id ends with these digits.
    private static func row(_ id: String, of table: String, _ folder: String) throws -> [String: String] {
        try #require(try rows(table, folder).first { Self.id($0, "sheet_id") == id })
    }

    /// The last four digits of an id. Empty if the cell is blank.
    private static func id(_ row: [String: String], _ column: String) -> String {
        String((row[column] ?? "").suffix(4))
    }
}
