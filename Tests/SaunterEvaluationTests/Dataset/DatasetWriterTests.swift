import Foundation
import Postgres
import SaunterCore
import SaunterStore
import Synchronization
import Testing

@testable import SaunterEvaluation

@Suite struct DatasetWriterTests {
    @Test func `every file of a small study equals its reviewed golden file`() async throws {
        try await Garden.with { garden in
            _ = try await StudyRescoring(pool: garden.research).run(study: "garden")
            try await garden.change(
                """
                update research.rescored_sheet set scored_at = '2026-03-29T22:00:00Z'
                where key_id in (select key_id from research.scoring_key where key_digest <> 'old')
                """)

            try await garden.dataset { folder, manifest in
                for path in manifest.files.map(\.path)
                where !path.hasPrefix("load/") && !path.hasPrefix("meta/instruments/")
                    && !path.hasSuffix(".parquet") && !path.hasSuffix(".gz")
                {
                    try Golden.expect(Data(contentsOf: URL(filePath: "\(folder)/\(path)")), path)
                }
            }
        }
    }

    @Test func `the manifest lists exclusions and files, and the checksums are correct`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset { folder, manifest in
                let json = try JSONReader.read(
                    Array(Data(contentsOf: URL(filePath: folder + "/manifest.json"))))
                #expect(
                    json["counts"] == [
                        "enrolments": 2, "excluded_enrolments": 1, "erased_people": 1, "deleted_walks": 1,
                        "deleted_observations": 1, "purged_sheets": 1,
                    ])
                #expect(json["snapshot"]?["as_of"] == "2026-03-30T15:00:00.000Z")
                #expect(json["snapshot"]?["id"]?.string == manifest.snapshot)
                #expect(json["snapshot"]?["change_seq"] == 0)
                #expect(
                    json["changes"] == [
                        [
                            "instrument": "mood", "version": "1.1.0", "added": ["extra"],
                            "retired": ["weight"], "columns": ["why__money", "extra"],
                        ]
                    ])
                for file in manifest.files {
                    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(file.path)"))
                    #expect(file.bytes == bytes.count)
                    if file.path.hasSuffix(".csv"), !file.path.hasPrefix("meta/study/") {
                        #expect(try Array(TableRows("\(folder)/\(file.path)")).count == file.rows)
                    }
                }
                for code in ["mood@1.0.0", "mood@1.1.0"] {
                    let archived = try JSONReader.read(
                        Array(Data(contentsOf: URL(filePath: "\(folder)/meta/instruments/\(code).json"))))
                    #expect(archived["code"] == "mood")
                }
                let check = try Program.run(
                    "sh",
                    [
                        "-c",
                        "cd '\(folder)' && sha256sum --strict --quiet -c SHA256SUMS && wc -l < SHA256SUMS",
                    ])
                #expect(check.status == 0, "\(check.output)")
                #expect(check.output.contains("\(manifest.files.count + 1)"))
            }
        }
    }

    @Test func `the same data give the same bytes at any time`() async throws {
        try await Garden.with { garden in
            let first = try await garden.dataset { try Self.contents($0, $1) }
            let later = try await garden.dataset(now: Garden.now.adding(seconds: 3600)) {
                try Self.contents($0, $1)
            }

            #expect(first == later)
        }
    }

    @Test func `headers depend only on the definitions: a study without participants has the same`()
        async throws
    {
        try await Garden.with { garden in
            func headers() async throws -> [String: String] {
                try await garden.dataset(profile: .full) { folder, manifest in
                    let paths = manifest.files.map(\.path).filter { $0.hasSuffix(".csv") }
                    return try Dictionary(
                        uniqueKeysWithValues: paths.map { path in
                            let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
                            return (path, text.prefix { $0 != "\n" }.description)
                        })
                }
            }
            let full = try await headers()
            try await garden.change("delete from research.enrolment where study = 'garden'")

            #expect(try await headers() == full)
            #expect(full.count > 20)
        }
    }

    @Test func `the manifest has the number of the last change, and another change gives another snapshot`()
        async throws
    {
        try await Garden.with { garden in
            try await ChangeNumbering.run("garden", on: garden.research)
            let first = try await garden.dataset { $1 }
            // The change is not in the dataset: the other participants are in another study.
            let again = try await garden.dataset { $1 }
            try await garden.change(
                "update research.enrolment set reminders_on = false where participant_id = 'P001'")
            try await ChangeNumbering.run("garden", on: garden.research)
            let changed = try await garden.dataset { $1 }

            let counted = try await garden.value(
                "select last_seq - 1 from research.change_counter where study = 'garden'")
            let number = try #require(first.changeSequence)
            #expect(String(number) == counted)
            #expect(first.json["snapshot"]?["change_seq"]?.int == Int(number))
            #expect(again.snapshot == first.snapshot && again.json == first.json)
            #expect(changed.changeSequence == number + 1)
            #expect(changed.snapshot != first.snapshot)
            let released = try await garden.dataset(profile: .deidentified) { $1 }
            #expect(released.json["snapshot"]?["change_seq"] == JSON.null)
        }
    }

    @Test func `progress counts rows, and the last report is exact`() async throws {
        try await Garden.with { garden in
            let reports = Mutex<[DatasetWriter.Progress]>([])
            let folder = FileManager.default.temporaryDirectory.appending(path: "garden-\(UUID().uuidString)")
                .path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let manifest = try await DatasetWriter(pool: garden.export).write(
                DatasetRequest(study: "garden"), to: folder, now: Garden.now
            ) { progress in reports.withLock { $0.append(progress) } }

            let steps = reports.withLock { $0 }
            let rows = manifest.files.filter {
                $0.path.hasPrefix("data/") && !$0.path.hasSuffix("answers.parquet")
            }
            .compactMap(\.rows).reduce(0, +)
            #expect(steps.map(\.rows) == steps.map(\.rows).sorted())
            #expect(steps.last?.rows == rows && steps.last?.share == 1)
            // One walk of an hour has three samples.
            let estimate = try #require(steps.first?.estimatedRows)
            #expect(steps.first?.rows == 0 && (rows / 2...rows * 2).contains(estimate))
            #expect(steps.contains { $0.file == "data/wide_mood.csv" })
        }
    }

    @Test func `an export on a busy server checks the load for every table and has the same bytes`()
        async throws
    {
        try await Garden.with { garden in
            let asked = Mutex(0)
            let folder = FileManager.default.temporaryDirectory.appending(path: "garden-\(UUID().uuidString)")
                .path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let slow = try await DatasetWriter(
                pool: garden.export,
                isServerBusy: {
                    asked.withLock { $0 += 1 }
                    return true
                }
            ).write(DatasetRequest(study: "garden"), to: folder, now: Garden.now)

            let plain = try await garden.dataset { $1 }

            #expect(slow.snapshot == plain.snapshot)
            #expect(asked.withLock { $0 } >= 10)
        }
    }

    @Test func `the instant and the state change when a window opens, becomes due or closes`() async throws {
        try await Garden.with { garden in
            var states: [String] = []
            // The window opens at 15:00, is due at 20:00 (inclusive) and closes at 22:00 (exclusive).
            for moment in [
                "14:59:59.999", "15:00:00.000", "20:00:00.000", "20:00:00.001", "21:59:59.999",
                "22:00:00.000",
            ] {
                let now = try #require(Instant("2026-03-30T\(moment)Z"))
                states.append(
                    try await garden.dataset(now: now) { folder, manifest in
                        let row = try #require(
                            try TableRows("\(folder)/data/occasions.csv").first {
                                $0["occasion_id"]?.hasSuffix("a3") == true
                            })
                        return "\(row["status"] ?? "") \(manifest.asOf)"
                    })
            }

            #expect(
                states == [
                    "upcoming 2026-03-30T12:00:00.000Z", "open 2026-03-30T15:00:00.000Z",
                    "open 2026-03-30T15:00:00.000Z",
                    "overdue 2026-03-30T20:00:00.001Z", "overdue 2026-03-30T20:00:00.001Z",
                    "missed 2026-03-30T22:00:00.000Z",
                ])
        }
    }

    @Test func `the state in the dataset equals the state of the engine`() async throws {
        try await Garden.with { garden in
            for moment in [
                "2026-03-28T12:00:00Z", "2026-03-29T15:00:00Z", "2026-03-29T22:00:00Z",
                "2026-03-30T20:00:00Z",
            ] {
                let now = try #require(Instant(moment))
                try await garden.dataset(now: now) { folder, manifest in
                    for row in try TableRows("\(folder)/data/occasions.csv") {
                        #expect(try Self.occasion(row).state(at: manifest.asOf).rawValue == row["status"])
                        #expect(try Self.occasion(row).state(at: now).rawValue == row["status"])
                    }
                }
            }
        }
    }

    @Test func `a filtered dataset contains only the requested codes, dates and arms`() async throws {
        try await Garden.with { garden in
            let filters = DatasetFilters(
                from: LocalDate("2026-03-29"), to: LocalDate("2026-03-29"), questionnaires: ["mood"],
                arms: ["plants"])

            let columns = [
                "enrolments": "enrolment_id", "occasions": "occasion_id", "sheets": "sheet_id",
                "wide_mood": "sheet_id",
                "answers": "sheet_id", "walks": "walk_id", "observations": "observation_id",
                "adherence_daily": "study_day",
                "reminders": "reminder_id",
                "free_text": "sheet_id", "calibrations": "calibration_id", "usage_events": "event_id",
            ]

            let found = try await garden.dataset(filters: filters) { folder, _ in
                var found: [String: Set<String>] = [:]
                for (file, column) in columns {
                    found[file] = Set(
                        try TableRows("\(folder)/data/\(file).csv").map {
                            String(($0[column] ?? "").suffix(2))
                        })
                }
                return found
            }

            #expect(
                found == [
                    "enrolments": ["e1"], "occasions": ["a2"], "sheets": ["c3"], "wide_mood": ["c3"],
                    "answers": ["c3"],
                    "walks": ["a1"], "observations": ["01"], "adherence_daily": ["1"], "reminders": [],
                    "free_text": [],
                    "calibrations": ["ca", "cb"], "usage_events": ["01"],
                ])
        }
    }

    @Test func `adherence has all days up to and including the last day of the study`() async throws {
        try await Garden.with { garden in
            let now = try #require(Instant("2026-04-03T12:00:00.000Z"))
            func days(_ date: String) async throws -> [String?] {
                let filters = DatasetFilters(from: LocalDate(date), to: LocalDate(date))
                return try await garden.dataset(filters: filters, now: now) { folder, _ in
                    try TableRows("\(folder)/data/adherence_daily.csv").map { $0["study_day"] }
                }
            }

            // The participant enrolled on the 28th. Day 3 is the last day.
            #expect(try await days("2026-03-31") == ["3"])
            #expect(try await days("2026-04-01") == [])
        }
    }

    @Test func `a late walk and a late observation belong to the day on which they happened`()
        async throws
    {
        try await Garden.with { garden in
            func counts() async throws -> [String?] {
                try await garden.dataset { folder, _ in
                    let day = try TableRows(folder + "/data/adherence_daily.csv").first {
                        $0["participant_id"] == "P001" && $0["study_day"] == "0"
                    }
                    let observed = try TableRows(folder + "/data/observations.csv").filter {
                        $0["study_day"] == "0"
                    }
                    return [day?["walks"], day?["walk_active_s"], String(observed.count)]
                }
            }

            let before = try await counts()
            try await garden.change(
                """
                insert into research.walk (enrolment_id, walk_id, started_at, ended_at, received_at, zone, started_offset_min,
                  ended_offset_min, flags, pauses_ms, t_ms, elapsed_s, active_s, body_sha256)
                select '00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-000000000aa9', '2026-03-28T12:00:00Z',
                  '2026-03-28T12:10:00Z', '2026-03-30T14:59:00Z', 'Europe/Berlin', 60, 60, '{}', '{}', '{}', 600, 590, '\\x09'
                """)
            try await garden.change(
                """
                update research.observation set started_at = '2026-03-28T12:00:00Z', ended_at = '2026-03-28T13:00:00Z'
                where observation_id = '00000000-0000-4000-8000-000000000b01'
                """)
            let after = try await counts()

            #expect(before == ["0", "0", "0"])
            #expect(after == ["1", "590", "2"])
        }
    }

    @Test(arguments: [
        (
            DatasetFilters(questionnaires: ["pss_10"]),
            DatasetFault.unknownQuestionnaire(
                "pss_10", known: ["mood", "bed", "care", "leave", "tools"])
        ),
        (DatasetFilters(arms: ["x', 'y"]), DatasetFault.unknownArm("x', 'y", known: ["plants", "stones"])),
    ])
    func `a filter with an unknown code is rejected`(filters: DatasetFilters, fault: DatasetFault)
        async throws
    {
        try await Garden.with { garden in
            await #expect(throws: fault) {
                try await garden.dataset(filters: filters) { _, _ in }
            }
        }
    }

    @Test func `sheets that fit no published version stop the export, and no files remain`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(
                "update research.answer_sheet set slots = slots[1:12] where version = '1.1.0'")
            let parent = FileManager.default.temporaryDirectory.appending(path: "garden-\(UUID().uuidString)")
                .path
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: parent) }

            await #expect(
                throws: DatasetFault.damaged([
                    "2 sheets of mood 1.1.0 with 12 slots and 4 numbers instead of 13 and 4"
                ])
            ) {
                _ = try await DatasetWriter(pool: garden.export).write(
                    DatasetRequest(study: "garden"), to: parent + "/out", now: Garden.now)
            }

            #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == [])
        }
    }

    @Test func `a folder that is not empty is not changed`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                await #expect(throws: DatasetFault.directoryInUse(folder)) {
                    _ = try await DatasetWriter(pool: garden.export).write(
                        DatasetRequest(study: "garden"), to: folder, now: Garden.now)
                }
                #expect(FileManager.default.fileExists(atPath: folder + "/manifest.json"))
            }
        }
    }

    @Test func `local times in an unknown time zone are blank`() async throws {
        try await Garden.with { garden in
            try await garden.change(
                "update research.occasion set zone = 'Moon/Base' where occasion_id::text like '%a3'; "
                    + "update research.enrolment set zone = 'Moon/Base' where participant_id = 'P001'")

            try await garden.dataset { folder, manifest in
                let rows = try TableRows("\(folder)/data/occasions.csv")
                let odd = try #require(rows.first { $0["occasion_id"]?.hasSuffix("a3") == true })
                #expect(odd["opens_tz"] == "Moon/Base")
                #expect(odd["opens_at"] == "2026-03-30T15:00:00.000Z")
                #expect(odd["opens_local"] == "")
                #expect(odd["opens_offset_min"] == "")
                #expect(rows.count { $0["opens_local"] != "" } == 5)
                #expect(manifest.json["strange_zones"] == ["Moon/Base"])
            }
        }
    }

    @Test func `the database role of exports cannot read identities`() async throws {
        try await Garden.with { garden in
            await #expect(throws: (any Error).self) {
                _ = try await garden.export.query(
                    Statement(name: "test", sql: "select count(*) from identity.account"), [])
            }
        }
    }

    @Test func `an export at the command line is recorded in the audit log`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { _, manifest in
                try await DatasetWriter(pool: garden.export).record(manifest, profile: .coded)

                let detail = try await garden.valueAsOwner(
                    "select action || ' ' || (detail ->> 'snapshot') from audit.entry where study = 'garden'")
                #expect(detail == "export_made \(manifest.snapshot)")
            }
        }
    }

    private static func contents(_ folder: String, _ manifest: DatasetManifest) throws -> [String: Data] {
        let paths = manifest.files.map(\.path) + ["manifest.json", "SHA256SUMS"]
        return try Dictionary(
            uniqueKeysWithValues: paths.map { ($0, try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) })
    }

    private static func occasion(_ row: [String: String]) throws -> Occasion {
        func instant(_ name: String) throws -> Instant { try #require(Instant(row["\(name)_at"] ?? "")) }
        let id = try #require(OccasionID((row["occasion_id"] ?? "").dropFirst()))
        let exclusion = OccasionExclusion(rawValue: row["status"] ?? "")
        return Occasion(
            id: id, key: OccasionKey(schedule: "daily", anchorInstance: "", dayIndex: 0, slotIndex: 0),
            questionnaire: "mood",
            localDate: try #require(LocalDate(row["local_date"] ?? "")), zone: .utc,
            window: AssessmentWindow(
                visibleAt: try instant("opens"), openAt: try instant("opens"), dueAt: try instant("due"),
                closeAt: try instant("closes")),
            exclusion: exclusion, completedAt: Instant(row["completed_at"] ?? ""),
            sheetID: SheetID((row["sheet_id"] ?? "").dropFirst()))
    }
}
