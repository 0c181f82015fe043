import Crypto
import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct DeidentifiedTests {
    @Test func `no table identifies a participant, a location or a device`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .deidentified) { folder, manifest in
                let tables = manifest.files.map(\.path).filter { $0.hasPrefix("data/") }
                #expect(!tables.contains("data/free_text.csv"))
                for path in tables {
                    // Parquet stores texts without compression.
                    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
                    let text = String(decoding: bytes, as: UTF8.self)
                    for word in [
                        "00000000-0000", "Europe/", "America/", "slip", "moved, and", "Watch",
                        "Cuff",
                        "2026-03-28", "2026-03-29", "=1+1",
                    ] {
                        #expect(!text.contains(word), "\(path) contains \(word)")
                    }
                    #expect(!text.containsGardenPseudonym, "\(path) contains a pseudonym of the study")
                }
                let text = try String(contentsOfFile: folder + "/manifest.json", encoding: .utf8)
                #expect(!text.contains("Berlin"))
            }
        }
    }

    @Test
    func `headers are the same as in every profile, and the codebook states the treatment of each column`()
        async throws
    {
        try await Garden.with { garden in
            let coded = try await garden.dataset { folder, _ in try Self.headers(folder) }
            try await garden.dataset(profile: .deidentified) { folder, _ in
                #expect(
                    try Self.headers(folder)
                        == coded.filter { $0.key != "free_text" && $0.key != "locations" })
                var treatments: [String: String] = [:]
                for row in try TableRows(folder + "/meta/codebook.csv") {
                    treatments["\(row["file"] ?? "") \(row["column"] ?? "")"] = row["treatment"]
                }
                for (column, treatment) in [
                    ("data/sheets.csv participant_id", "pseudonymised"),
                    ("data/sheets.csv walk_id", "pseudonymised"),
                    ("data/sheets.csv started_at", "shifted"), ("data/sheets.csv started_tz", "coarsened"),
                    ("data/enrolments.csv end_reason", "dropped"),
                    ("data/enrolments.csv allocation_stratum", "dropped"),
                    ("data/walks.csv source", "dropped"),
                    ("data/observations.csv observation_id", "pseudonymised"),
                    ("data/observations.csv started_at", "shifted"),
                    ("data/observations.csv source", "dropped"),
                    ("data/usage_events.csv event_id", "pseudonymised"),
                    ("data/usage_events.csv happened_at", "shifted"),
                    ("data/usage_events.csv properties", "dropped"),
                    ("data/usage_events.csv item", "dropped"), ("data/usage_events.csv feature", "kept"),
                    ("data/sheets.csv refers_to", "pseudonymised"), ("data/sheets.csv source", "kept"),
                    ("data/episodes.csv linked_sheets", "pseudonymised"),
                    ("data/variables.csv key", "shifted"), ("data/variables.csv window_from", "shifted"),
                    ("data/occasions.csv dst_adjusted", "dropped"), ("data/wide_mood.csv day", "shifted"),
                    ("data/wide_mood.csv feel", "kept"), ("data/scores.csv value", "kept"),
                ] {
                    #expect(treatments[column] == treatment, "\(column)")
                }
                for row in try TableRows(folder + "/data/enrolments.csv") {
                    #expect(row["end_reason"] == "" && row["allocation_position"] == "")
                    #expect(row["allocation_stratum"] == "")
                }
            }
        }
    }

    @Test func `all dates of one participant are shifted by the same number of weeks`() async throws {
        try await Garden.with { garden in
            let coded = try await garden.dataset { folder, _ in try Self.rowsByID(folder) }
            try await garden.dataset(profile: .deidentified) { folder, manifest in
                let key = Self.key(manifest)
                let released = try Self.rowsByID(folder)
                var moves: [String: Set<Int64>] = [:]
                for (id, row) in coded {
                    // The test computes the keyed digest independently.
                    let name = "\(id.prefix(1))" + Self.uuid(Self.digest(String(id.dropFirst()), key))
                    let other = try #require(released[name], "\(id) is not there as \(name)")
                    #expect(other["study_day"] == row["study_day"])
                    #expect(other["weekday"] == row["weekday"])
                    for column in ["started_at", "submitted_at", "ended_at", "received_at", "revised_at"] {
                        guard let old = Instant(row[column] ?? "") else {
                            #expect(other[column] ?? "" == "")
                            continue
                        }
                        let new = try #require(Instant(other[column] ?? ""))
                        moves[row["participant_id"] ?? "", default: []].insert(old.milliseconds(since: new))
                    }
                }
                #expect(released.count == coded.count)
                for (participant, found) in moves {
                    let digest = Self.digest("shift/\(participant)", key)
                    let number = digest.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
                    #expect(found == [(number % 104 * 7 + 7) * 86_400_000])
                }
                #expect(moves.count == 2)
            }
        }
    }

    @Test(arguments: [DatasetProfile.coded, .deidentified])
    func `the weekday is that of the local date`(profile: DatasetProfile) async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: profile) { folder, _ in
                var count = 0
                for file in ["occasions", "adherence_daily"] {
                    for row in try TableRows(folder + "/data/\(file).csv") {
                        let date = try #require(LocalDate(row["local_date"] ?? ""))
                        #expect(row["weekday"] == "\(date.weekday)")
                        count += 1
                    }
                }
                #expect(count > 0)
            }
        }
    }

    @Test(arguments: [DatasetProfile.coded, .deidentified])
    func `every row with a study day has the weekday of its date`(profile: DatasetProfile) async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: profile) { folder, manifest in
                var firstDates: [String: LocalDate] = [:]
                for row in try TableRows(folder + "/data/enrolments.csv") {
                    firstDates[row["enrolment_id"] ?? ""] = LocalDate(row["started_on"] ?? "")
                }
                var tables: Set<String> = []
                for path in manifest.files.map(\.path)
                where path.hasPrefix("data/") && path.hasSuffix(".csv") {
                    for row in try TableRows("\(folder)/\(path)") {
                        guard let day = row["study_day"].flatMap({ Int($0) }) else { continue }
                        let first = try #require(firstDates[row["enrolment_id"] ?? ""], "\(path)")
                        #expect(row["weekday"] == "\(first.adding(days: day).weekday)", "\(path): \(row)")
                        tables.insert(path)
                    }
                }
                #expect(
                    tables.isSuperset(
                        of: [
                            "panel", "occasions", "sheets", "wide_mood", "wide_mood_missing", "walks",
                            "observations", "usage_events", "adherence_daily",
                        ].map { "data/\($0).csv" }))
            }
        }
    }

    @Test func `time zones are reduced to their standard time, and local times follow it`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .deidentified) { folder, _ in
                let rows = try TableRows(folder + "/data/sheets.csv").map { $0 }
                // Berlin in summer and in winter, and New York in summer.
                #expect(Set(rows.map { $0["started_tz"] }) == ["Etc/GMT-1", "Etc/GMT+5"])
                #expect(Set(rows.map { $0["started_offset_min"] }) == ["60", "-300"])
                for row in rows {
                    let at = try #require(Instant(row["started_at"] ?? ""))
                    let minutes = try #require(Int64(row["started_offset_min"] ?? ""))
                    let local = at.adding(seconds: Int(minutes) * 60).description.dropLast()
                    #expect(row["started_local"] ?? "" == local)
                }
            }
        }
    }

    @Test func `date answers are shifted too, and blank if the result is before the year 1`()
        async throws
    {
        try await Garden.with { garden in
            let coded = try await garden.dataset { folder, _ in try Self.days(folder) }
            #expect(coded == ["", "0001-01-01", "2026-03-28"])
            try await garden.dataset(profile: .deidentified) { folder, _ in
                let days = try Self.days(folder)
                #expect(days[0] == "" && days[1] == "" && days[2] < "2026-03-28" && days[2] > "2024-03-27")
                let answers = try TableRows(folder + "/data/answers.csv").filter { $0["item"] == "day" }
                #expect(Set(answers.map { $0["value"] ?? "" }) == Set(days))
            }
        }
    }

    @Test func `the same release has the same pseudonyms, another release or secret has others`()
        async throws
    {
        try await Garden.with { garden in
            func participants(now: Instant = Garden.now, secret: String = "rain") async throws -> [String] {
                try await garden.dataset(profile: .deidentified, now: now, secret: Array(secret.utf8)) {
                    folder, _ in
                    try TableRows(folder + "/data/participants.csv").map { $0["participant_id"] ?? "" }
                }
            }
            let first = try await participants()
            let later = try await participants(now: Garden.now.adding(seconds: 3600))
            let next = try await participants(now: Garden.now.adding(seconds: 86_400))
            let other = try await participants(secret: "sun")

            #expect(first == later && first.count == 2)
            #expect(Set(first + next + other).count == 6)
        }
    }

    @Test func `a de-identified dataset requires the secret`() async throws {
        try await Garden.with { garden in
            await #expect(throws: DatasetFault.noSecret(.deidentified)) {
                _ = try await DatasetWriter(pool: garden.export).write(
                    DatasetRequest(study: "garden", profile: .deidentified),
                    to: NSTemporaryDirectory() + UUID().uuidString)
            }
        }
    }

    private static func headers(_ folder: String) throws -> [String: [String]] {
        var headers: [String: [String]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/data")
        where name.hasSuffix(".csv") {
            var reader = CSVReader(try String(contentsOfFile: "\(folder)/data/\(name)", encoding: .utf8))
            headers[String(name.dropLast(4))] = try reader.next()?.fields
        }
        return headers
    }

    /// The rows of sheets, and of first components of observations, by their ids.
    private static func rowsByID(_ folder: String) throws -> [String: [String: String]] {
        let sheets = try TableRows(folder + "/data/sheets.csv").map { ($0["sheet_id"] ?? "", $0) }
        let observations = try TableRows(folder + "/data/observations.csv")
            .filter { $0["component"] == "1" }.map { ($0["observation_id"] ?? "", $0) }
        return Dictionary(uniqueKeysWithValues: sheets + observations)
    }

    private static func days(_ folder: String) throws -> [String] {
        try TableRows(folder + "/data/wide_mood.csv").map { $0["day"] ?? "" }.sorted()
    }

    private static func key(_ manifest: DatasetManifest) -> [UInt8] {
        let text =
            "{\"study\":\"garden\",\"profile\":\"deidentified\",\"version\":\"2\",\"as_of\":\"\(manifest.asOf)\","
            + "\"filters\":{\"from\":null,\"to\":null,\"questionnaires\":[],\"arms\":[]}}"
        return digest(text, Array("gardenrain".utf8))
    }

    private static func digest(_ text: String, _ key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }

    private static func uuid(_ digest: [UInt8]) -> String {
        let digits = digest.prefix(16).map { String(format: "%02x", $0) }.joined()
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
}
