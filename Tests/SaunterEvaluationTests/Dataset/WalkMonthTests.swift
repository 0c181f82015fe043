import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct WalkMonthTests {
    /// Two more walks. One is on the last evening of a month in Berlin, and only its corrected time in UTC is in the
    /// next month.
    private static let more = """
        insert into research.walk (enrolment_id, walk_id, started_at, ended_at, received_at, zone, started_offset_min, ended_offset_min,
          flags, pauses_ms, t_ms, speed_kmh, elapsed_s, active_s, body_sha256, skew_ms)
        select enrolment_id, ('00000000-0000-4000-8000-000000000a' || walk)::uuid, started_at, started_at + interval '1 minute', started_at,
          zone, 120, 120, '{}', '{}', '{0,1000}', '{4,null}', 60, 60, '\\x03', skew_ms
        from research.enrolment, (values ('b1', timestamptz '2026-03-31T23:59:59Z', 2000), ('b2', '2026-03-31T23:59:59Z', 0)) as new
          (walk, started_at, skew_ms)
        where participant_id = 'P002'
        """

    private static func rows(_ folder: String, _ path: String) throws -> [[String: String]] {
        try TableRows(text: try Program.run("gzip", ["-dc", "\(folder)/\(path)"]).output).map { $0 }
    }

    @Test func `each sample is in exactly one file, of the month in which its walk began`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(Self.more)
            try await garden.dataset { folder, manifest in
                let files = manifest.files.filter { $0.path.hasSuffix(".csv.gz") }
                #expect(
                    files.map(\.path) == [
                        "data/walk_samples_202603.csv.gz", "data/walk_samples_202604.csv.gz",
                    ])
                #expect(files.map(\.rows) == [5, 2])
                let all = manifest.files.first { $0.path == "data/walk_samples.parquet" }
                #expect(all?.rows == 7)
                let march = try Self.rows(folder, files[0].path)
                #expect(march.map { $0["walk_id"]?.suffix(3) } == ["aa1", "aa1", "aa1", "ab2", "ab2"])
                #expect(march.map { $0["hr_bpm"] } == ["99.5", "", "130", "", ""])
                #expect(try Self.rows(folder, files[1].path).map { $0["t_offset_ms"] } == ["0", "1000"])
            }
        }
    }

    @Test func `shifted dates shift the month of the file`() async throws {
        try await Garden.with { garden in
            try await garden.change(Self.more)
            try await garden.dataset(profile: .deidentified) { folder, manifest in
                let months = Set(
                    try TableRows(folder + "/data/walks.csv").map {
                        ($0["started_at"] ?? "").prefix(7).filter { $0 != "-" }
                    })
                let files = manifest.files.map(\.path).filter { $0.hasSuffix(".csv.gz") }
                #expect(Set(files.map { $0.dropLast(7).suffix(6).description }) == months)
                #expect(!months.contains("202604"))
                for path in files {
                    #expect(
                        try Self.rows(folder, path).allSatisfy { $0["walk_id"]?.contains("aa1") == false })
                }
            }
        }
    }

    @Test(arguments: ["", "2026", "20261x", "2026-1", "202611'"])
    func `a text that is not a month is rejected`(text: String) {
        #expect(WalkMonth(text) == nil)
    }
}
