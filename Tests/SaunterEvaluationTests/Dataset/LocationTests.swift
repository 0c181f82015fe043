import Foundation
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterEvaluation

@Suite struct LocationTests {
    /// The degrees in `Fixtures/garden.sql`, also those of the earlier revision.
    private static let degrees = [47.31, 8.59, 47.99, 8.01, 47.311, 8.591, -47.322, 8.602]
    /// What `stored` adds: a correction, a quarantined sheet, and a refused correction.
    private static let bodies = [46.87, 9.53, 46.21, 9.84]

    @Test func `the profile full has the coordinates as stored, and those of all revisions`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full) { folder, _ in
                let locations = try Self.lines("locations", folder)
                let revisions = try Self.lines("location_revisions", folder)
                let treatments = try Self.treatments(folder)
                #expect(
                    locations == [
                        "be01 2 spot 47.31 8.59 12.5 2", "be02 1 stop.1 47.311 8.591  3",
                        "be02 1 stop.2 -47.322 8.602 5 3",
                    ])
                #expect(
                    revisions == [
                        "be01 1 spot 47.99 8.01  2", "be01 2 spot 47.31 8.59 12.5 2",
                        "be02 1 stop.1 47.311 8.591  3", "be02 1 stop.2 -47.322 8.602 5 3",
                    ])
                #expect(
                    treatments == [
                        "lat quasi kept", "lon quasi kept", "accuracy_m quasi kept",
                    ])
            }
        }
    }

    @Test func `the profile coded has one decimal place`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, manifest in
                let locations = try Self.lines("locations", folder)
                let treatments = try Self.treatments(folder)
                #expect(
                    locations == [
                        "be01 2 spot 47.3 8.6 12.5 1", "be02 1 stop.1 47.3 8.6  1",
                        "be02 1 stop.2 -47.3 8.6 5 1",
                    ])
                #expect(
                    treatments == [
                        "lat quasi coarsened", "lon quasi coarsened", "accuracy_m quasi kept",
                    ])
                #expect(!manifest.files.contains { $0.path.contains("location_revisions") })
            }
        }
    }

    @Test func `an item with fewer decimal places than the profile keeps its own`() async throws {
        try await Garden.with { garden in
            let old = try Garden.pack("garden-2").files
            let files = old.map { path, text in
                guard path.contains("/bed/") || path.hasSuffix("study.yaml") else { return (path, text) }
                return (
                    path.replacing("bed/1.0.0", with: "bed/1.1.0"),
                    text.replacing("{code: bed, version: 1.0.0}", with: "{code: bed, version: 1.1.0}")
                        .replacing("code: bed\nversion: 1.0.0", with: "code: bed\nversion: 1.1.0")
                        .replacing("version: 2.0.0", with: "version: 3.0.0")
                        .replacing("decimals: 2", with: "decimals: 0")
                )
            }
            let pack = PackFiles(files: Dictionary(uniqueKeysWithValues: files))
            try await garden.publish(pack, version: "3.0.0", at: "2026-03-03T00:00:00Z")
            try await garden.change(
                """
                update research.answer_sheet
                set version = '1.1.0', study_version = '3.0.0', numbers = array[47, 9, 12.5, numbers[4]]
                where sheet_id::text like '%be01'
                """)
            try await garden.dataset { folder, _ in
                let first = try Self.lines("locations", folder).first
                #expect(first == "be01 2 spot 47 9 12.5 0")
            }
        }
    }

    @Test(arguments: [DatasetProfile.deidentified, .public])
    func `a release has no locations`(profile: DatasetProfile) async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: profile, formats: Set(DatasetFormat.allCases)) { _, manifest in
                #expect(!manifest.files.contains { $0.path.contains("location") })
            }
        }
    }

    @Test(arguments: DatasetProfile.allCases)
    func `no other file of any format contains coordinates`(profile: DatasetProfile) async throws {
        try await Garden.with { garden in
            try await garden.change(Self.stored)
            let formats = Set(DatasetFormat.allCases)
            try await garden.dataset(profile: profile, formats: formats) { folder, manifest in
                var separate: Set<String> = []
                for path in manifest.files.map(\.path) + ["manifest.json"] {
                    let found = try Self.coordinates(in: URL(filePath: "\(folder)/\(path)"))
                    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
                    if ["locations", "location_revisions"].contains(name) {
                        separate.insert(path)
                        #expect(profile == .full ? !found.isEmpty : found.isEmpty, "\(path): \(found)")
                    } else {
                        #expect(found.isEmpty, "\(path): \(found)")
                    }
                }
                let count = profile == .full ? 8 : profile == .coded ? 4 : 0
                #expect(separate.count == count, "\(separate.sorted())")
            }
        }
    }

    @Test func `stored edits and quarantined records show that a location was removed`() async throws {
        try await Garden.with { garden in
            try await garden.change(Self.stored)
            try await garden.dataset(profile: .full) { folder, _ in
                for table in ["edits", "conflicts"] {
                    let bodies = try TableRows("\(folder)/data/\(table).csv").compactMap { $0["body"] }
                    #expect(!bodies.isEmpty)
                    for body in bodies {
                        let json = try JSONReader.read(body)
                        #expect(json["answers"]?["spot"]?.string == "location removed", "\(body)")
                        // A text that looks like a location is a text.
                        #expect(json["answers"]?["name"]?.string == "{\"lat\": 1, \"lon\": 2}")
                    }
                }
            }
        }
    }

    @Test func `a correction of a location is a row of revisions without its values`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let rows = try TableRows(folder + "/data/revisions.csv").filter {
                    $0["sheet_id"]?.hasSuffix("be01") == true
                }
                #expect(rows.map { $0["item"] } == ["name", "spot"])
                for row in rows {
                    #expect(row["text_changed"] == "1" && row["old_value"] == "" && row["new_value"] == "")
                }
            }
        }
    }

    @Test(arguments: [DatasetProfile.coded, .full])
    func `REDCap, FHIR and OData clients read coordinates from no other table`(
        profile: DatasetProfile
    ) async throws {
        try await Garden.with { garden in
            try await garden.change(Self.stored)
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await DatasetReader(pool: garden.export)
                .read("garden", profile: profile, now: Garden.now) { reading in
                    var separate = 0
                    for table in reading.tables {
                        let found = Self.coordinates(in: try await reading.rows(of: table, TableQuery()))
                        if table.hasCoordinates {
                            separate += 1
                            #expect(found.isEmpty == (profile == .coded), "\(table.name)")
                        } else {
                            #expect(found.isEmpty, "\(table.name): \(found)")
                        }
                    }
                    #expect(separate == (profile == .coded ? 1 : 2))
                    var records: [UInt8] = []
                    try await REDCapRecords(
                        reading, REDCapProject(reading.definitions), REDCapSelection()
                    )
                    .write(into: folder) { records += $0 }
                    #expect(String(decoding: records, as: UTF8.self).contains("\"rose\""))
                    #expect(Self.coordinates(in: records).isEmpty)
                    let page = try await reading.responses(
                        ResponseSearch(), after: nil, limit: 100, counts: false)
                    let responses = page.resources.map { JSON.object($0).text }.joined()
                    #expect(responses.contains("bed"))
                    #expect(Self.coordinates(in: Array(responses.utf8)).isEmpty)
                }
        }
    }

    /// SQL that inserts bodies with locations.
    private static let stored: String = {
        func body(_ latitude: Double, _ longitude: Double, _ rest: String) -> String {
            let name = "{\\\"lat\\\": 1, \\\"lon\\\": 2}"
            return
                "{\"answers\": {\"spot\": {\"lat\": \(latitude), \"lon\": \(longitude)\(rest)}, \"name\": \"\(name)\"}}"
        }
        return """
            insert into research.amendment (enrolment_id, amendment_id, subject, subject_id, kind, made_at, received_at, body, body_sha256,
              state) values
            ('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000ed01', 'answer_sheet',
              '00000000-0000-4000-8000-00000000be01', 'correction', '2026-03-28T23:40:00Z', '2026-03-28T23:40:00Z',
              '\(body(bodies[0], bodies[1], ", \"accuracy_m\": 3"))', '\\x01', 'applied');
            insert into research.quarantine (enrolment_id, kind, client_id, body_sha256, body, received_at) values
            ('00000000-0000-4000-8000-0000000000e2', 'answer_sheet', '00000000-0000-4000-8000-00000000be01', '\\x02',
              convert_to('\(body(bodies[2], bodies[3], ""))', 'UTF8'), '2026-03-28T23:50:00Z');
            """
    }()

    /// The degrees that a file contains as text or as binary number.
    private static func coordinates(in url: URL) throws -> [Double] {
        let data = try Data(contentsOf: url)
        if url.pathExtension == "gz" {
            return coordinates(in: try Program.output("gzip", ["-dc", url.path]))
        }
        if url.pathExtension == "xlsx" {
            return coordinates(in: try Program.output("unzip", ["-p", url.path]))
        }
        return coordinates(in: Array(data))
    }

    private static func coordinates(in bytes: [UInt8]) -> [Double] {
        let data = Data(bytes)
        return (degrees + self.bodies).filter { degrees in
            let bits = degrees.bitPattern
            let patterns = [
                Data(String(abs(degrees)).utf8), withUnsafeBytes(of: bits.littleEndian) { Data($0) },
                withUnsafeBytes(of: bits.bigEndian) { Data($0) },
            ]
            return patterns.contains { data.range(of: $0) != nil }
        }
    }

    private static func lines(_ table: String, _ folder: String) throws -> [String] {
        try TableRows("\(folder)/data/\(table).csv").map { row in
            ([String((row["sheet_id"] ?? "").suffix(4))]
                + ["rev", "item", "lat", "lon", "accuracy_m", "decimals"].map { row[$0] ?? "" })
                .joined(separator: " ")
        }
    }

    private static func treatments(_ folder: String) throws -> [String] {
        try TableRows(folder + "/meta/codebook.csv").filter { row in
            row["file"] == "data/locations.csv" && ["lat", "lon", "accuracy_m"].contains(row["column"])
        }.map { "\($0["column"] ?? "") \($0["identifier_class"] ?? "") \($0["treatment"] ?? "")" }
    }
}
