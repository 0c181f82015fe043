import Foundation
import Postgres
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterEvaluation

/// Datasets with `as_of`: an earlier state of the study, from the present database.
@Suite struct AsOfTests {
    private static let e1 = "00000000-0000-4000-8000-0000000000e1"
    private static let e2 = "00000000-0000-4000-8000-0000000000e2"

    /// What the server stores at an enrolment and the fixture does not contain.
    private static let beginning = """
        insert into research.enrolment_consent values ('\(e1)', '1.0.0', '2026-03-28T10:59:00Z', '1.0.0', 'de', 'x');
        insert into research.enrolment_version values ('\(e1)', '1.0.0', '2026-03-28T11:00:00.25Z');
        insert into research.reminder (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state)
        values ('\(e1)', 'due_today', '2026-03-29', 1, '2026-03-29T17:00:00Z', '2026-03-29T17:00:01Z', 1, 'retrying');
        insert into research.reminder_attempt values
          ('\(e1)', 'due_today', '2026-03-29', 1, 1, 'push', '2026-03-29T17:00:02Z', 'temporary_failure', 503)
        """

    /// A sheet like `c5` of the fixture, which was received at 16:10.
    private static let sheet = """
        insert into research.answer_sheet select (jsonb_populate_record(sheet, jsonb_build_object(
          'sheet_id', '00000000-0000-4000-8000-0000000000c6', 'enrolment_id', '\(e1)',
          'occasion_id', '00000000-0000-8000-8000-0000000000a3', 'completes', true, 'standing', 'on_time',
          'completed_at', '2026-03-30T16:10:00Z', 'received_at', '2026-03-30T16:10:00Z'))).*
        from research.answer_sheet sheet where sheet.sheet_id = '00000000-0000-4000-8000-0000000000c5';
        update research.occasion set sheet_id = '00000000-0000-4000-8000-0000000000c6',
          completed_at = '2026-03-30T16:10:00Z' where occasion_id = '00000000-0000-8000-8000-0000000000a3'
        """

    /// What happens after the first export, as the server writes it.
    private static let changes = [
        sheet,
        """
        insert into research.enrolment select (jsonb_populate_record(enrolment, jsonb_build_object(
          'enrolment_id', '00000000-0000-4000-8000-0000000000e4', 'participant_id', 'P004',
          'consented_at', '2026-03-30T16:00:00Z', 'enrolled_at', '2026-03-30T16:00:00Z'))).*
        from research.enrolment where participant_id = 'P001';
        insert into research.enrolment_zone values
          ('00000000-0000-4000-8000-0000000000e4', '2026-03-30T16:00:00Z', 'Asia/Tokyo', 'enrolment');
        insert into research.occasion select (jsonb_populate_record(occasion, jsonb_build_object(
          'enrolment_id', '00000000-0000-4000-8000-0000000000e4', 'planned_at', '2026-03-30T16:00:00Z'))).*
        from research.occasion where occasion_id = '00000000-0000-8000-8000-0000000000a3'
        """,
        // A correction.
        """
        update research.answer_sheet set current = false where sheet_id::text like '%c1';
        insert into research.answer_sheet select (jsonb_populate_record(sheet, jsonb_build_object(
          'revision', 3, 'current', true, 'slots', '[2,0,0,0,1,0,0,0,0,0,1,0,0]'::jsonb,
          'revised_at', '2026-03-30T16:20:00Z', 'revision_reason', 'again'))).*
        from research.answer_sheet sheet where sheet_id::text like '%c1' and revision = 2;
        insert into research.answer_text values ('\(e1)', '00000000-0000-4000-8000-0000000000c1', 3, 'note', 'third')
        """,
        // A deletion: the duplicate fulfils the occasion in place of the deleted sheet.
        """
        update research.answer_sheet set deleted_at = '2026-03-30T16:30:00Z' where sheet_id::text like '%c1' and current;
        update research.answer_sheet set duplicate_of = null where sheet_id::text like '%c2';
        update research.occasion set sheet_id = '00000000-0000-4000-8000-0000000000c2',
          completed_at = '2026-03-28T18:01:00Z' where occasion_id = '00000000-0000-8000-8000-0000000000a1'
        """,
        // A deletion of a sheet that no other sheet replaces, after a sheet that was received later.
        sheet + """
            ;
            update research.answer_sheet set deleted_at = '2026-03-30T16:30:00Z' where sheet_id::text like '%c3';
            update research.occasion set sheet_id = null, completed_at = null
            where occasion_id = '00000000-0000-8000-8000-0000000000a2'
            """,
        // The participant takes a break and leaves.
        """
        insert into research.enrolment_pause values ('\(e1)', '2026-03-30T15:10:00Z', '2026-03-30T15:20:00Z');
        update research.enrolment set status = 'stopped', ended_at = '2026-03-30T17:00:00Z', end_reason = 'tired'
        where enrolment_id = '\(e1)';
        update research.occasion set set_aside = 'withdrawn' where occasion_id = '00000000-0000-8000-8000-0000000000a3'
        """,
        """
        insert into research.arm_change values
          ('\(e1)', 1, 'plants', 'stones', 'mistake', '00000000-0000-4000-8000-0000000000d1', '2026-03-30T16:40:00Z');
        update research.enrolment set arm = 'stones' where enrolment_id = '\(e1)'
        """,
        """
        insert into research.enrolment_zone values ('\(e1)', '2026-03-30T16:45:00Z', 'America/New_York', 'participant');
        update research.enrolment set zone = 'America/New_York' where enrolment_id = '\(e1)'
        """,
        """
        insert into research.enrolment_consent values ('\(e1)', '1.1.0', '2026-03-30T16:50:00Z', '2.0.0', 'de', 'y');
        insert into research.enrolment_version values ('\(e1)', '2.0.0', '2026-03-30T16:50:00Z');
        update research.enrolment set study_version = '2.0.0', consent_version = '1.1.0',
          consented_at = '2026-03-30T16:50:00Z' where enrolment_id = '\(e1)'
        """,
        """
        insert into research.enrolment_event values
          ('\(e1)', 'planting', 1, '2026-03-29T10:00:00Z', '2026-03-30T16:00:00Z');
        insert into research.device values
          ('\(e1)', '00000000-0000-4000-8000-0000000000d9', '2026-03-30T16:00:00Z', '2026-03-30T16:00:00Z', '{[1,3)}');
        insert into research.quarantine values
          ('\(e1)', 'walk', '00000000-0000-4000-8000-0000000000aa', '\\x01', '{}', '2026-03-30T16:00:00Z');
        insert into research.amendment (enrolment_id, amendment_id, subject, subject_id, kind, made_at, received_at, body,
          body_sha256, state) values ('\(e1)', '00000000-0000-4000-8000-0000000000ae', 'walk',
          '00000000-0000-4000-8000-000000000aa1', 'deletion', '2026-03-30T15:30:00Z', '2026-03-30T16:00:00Z', '{}', '\\x01',
          'applied');
        insert into research.usage_event select (jsonb_populate_record(used, jsonb_build_object(
          'event_id', '00000000-0000-4000-8000-000000000e09', 'received_at', '2026-03-30T16:00:00Z'))).*
        from research.usage_event used where used.event = 'app_opened';
        insert into research.reminder_snooze values
          ('\(e1)', '00000000-0000-8000-8000-0000000000a3', 1, '2026-03-30T15:30:00Z', '2026-03-30T16:30:00Z')
        """,
        // Walks and observations: deleted ones, new ones.
        """
        update research.walk set deleted_at = '2026-03-30T17:00:00Z' where walk_id::text like '%aa1';
        update research.observation set deleted_at = '2026-03-30T17:00:00Z' where observation_id::text like '%b01';
        insert into research.calibration values ('\(e1)', '00000000-0000-4000-8000-0000000000cc', '2026-03-30T15:00:00Z',
          '2026-03-30T16:00:00Z', 6, 20, 120, 4.8, '\\x03', 0);
        insert into research.walk select (jsonb_populate_record(walk, jsonb_build_object(
          'walk_id', '00000000-0000-4000-8000-000000000aa9', 'received_at', '2026-03-30T16:00:00Z',
          'calibration_id', '00000000-0000-4000-8000-0000000000cc'))).*
        from research.walk where walk_id::text like '%aa1';
        insert into research.observation select (jsonb_populate_record(observation, jsonb_build_object(
          'observation_id', '00000000-0000-4000-8000-000000000b09', 'received_at', '2026-03-30T16:00:00Z'))).*
        from research.observation where observation_id::text like '%b02'
        """,
        // The message that waited for another try is sent and opened, and another one follows.
        """
        insert into research.reminder_attempt values
          ('\(e1)', 'due_today', '2026-03-29', 1, 2, 'push', '2026-03-30T16:00:02Z', 'sent', 201);
        update research.reminder set state = 'sent', claimed_at = '2026-03-30T16:00:01Z', sent_at = '2026-03-30T16:00:02Z',
          delivered_at = '2026-03-30T16:00:03Z', opened_at = '2026-03-30T16:00:04Z'
        where enrolment_id = '\(e1)' and subject = '2026-03-29';
        insert into research.reminder (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state)
        values ('\(e1)', 'due_today', '2026-03-30', 1, '2026-03-30T16:00:00Z', '2026-03-30T16:00:01Z', 1, 'claimed')
        """,
        // Scores by another key.
        """
        insert into research.scoring_key
        select '00000000-0000-0000-0000-000000000009', key_version, 'new', engine_version, scales
        from research.scoring_key where key_version = '0.9.0' on conflict do nothing;
        insert into research.rescored_sheet
        select (jsonb_populate_record(later, jsonb_build_object('key_id', '00000000-0000-0000-0000-000000000009',
          'score_values', array[5], 'scored_at', '2026-03-30T17:00:00Z'))).*
        from research.rescored_sheet later where revision = 2 and key_id = '00000000-0000-0000-0000-000000000001'
        """,
    ]

    /// All changes, apart from the second one that submits the same sheet.
    private static func changeAll(_ garden: Garden) async throws {
        var hasSheet = false
        for change in changes {
            let submits = change.hasPrefix(sheet)
            if !submits || !hasSheet { try await garden.change(change) }
            hasSheet = hasSheet || submits
        }
    }

    /// The files with data and their descriptions. The others name the snapshot.
    private static func contents(_ folder: String, _ manifest: DatasetManifest) throws -> [String: Data] {
        let paths = manifest.files.map(\.path)
            .filter {
                $0.hasPrefix("data/") || $0.hasPrefix("meta/") && $0 != "meta/ddi.xml"
                    || $0.hasPrefix("load/")
            }
        return try Dictionary(
            uniqueKeysWithValues: paths.map { ($0, try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) })
    }

    /// Compares two datasets file by file, with a short message.
    private static func expectEqual(
        _ first: [String: Data], _ second: [String: Data], _ comment: Comment? = nil
    ) {
        #expect(first.keys.sorted() == second.keys.sorted(), comment)
        let different = first.keys.filter { first[$0] != second[$0] }.sorted()
        #expect(different == [], comment)
    }

    @Test(arguments: changes.indices) func `what happens after the instant changes no file`(index: Int)
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(Self.beginning)
            let before = try await garden.dataset(profile: .full) { ($1.asOf, try Self.contents($0, $1)) }
            try await garden.change(Self.changes[index])
            let changed = try await garden.dataset(profile: .full, now: Garden.now.adding(seconds: 86_400)) {
                try Self.contents($0, $1)
            }
            let again = try await garden.dataset(
                profile: .full, now: Garden.now.adding(seconds: 86_400), asOf: before.0
            ) { try Self.contents($0, $1) }

            #expect(changed != before.1, "the change must be in a dataset of the present")
            Self.expectEqual(before.1, again, "\(Self.changes[index])")
        }
    }

    @Test(arguments: [DatasetProfile.coded, .full, .deidentified])
    func `an interim dataset can be made again after all of it, with every profile of participants`(
        profile: DatasetProfile
    ) async throws {
        try await Garden.with { garden in
            try await garden.change(Self.beginning)
            let before = try await garden.dataset(profile: profile) { ($1, try Self.contents($0, $1)) }
            try await Self.changeAll(garden)
            try await garden.publish(Garden.pack("garden-2"), version: "3.0.0", at: "2026-03-30T16:00:00Z")
            let later = Garden.now.adding(seconds: 86_400)
            try await garden.dataset(profile: profile, now: later, asOf: before.0.asOf) { folder, manifest in
                Self.expectEqual(before.1, try Self.contents(folder, manifest))
                #expect(manifest.asOf == before.0.asOf && manifest.changeSequence == nil)
                let limits = manifest.json["not_restored"]?.array ?? []
                #expect(limits.count == DatasetRestoration.limits.count)
                let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
                #expect(readme.contains("as of \(before.0.asOf)"))
                #expect(DatasetRestoration.limits.allSatisfy(readme.contains))
            }
            #expect(before.0.json["not_restored"] == nil)
        }
    }

    @Test func `an interim dataset of some dates can be made again`() async throws {
        let filters = DatasetFilters(
            from: LocalDate("2026-03-29"), to: LocalDate("2026-03-30"), arms: ["plants"])
        try await Garden.with { garden in
            try await garden.change(Self.beginning)
            let before = try await garden.dataset(filters: filters) { ($1.asOf, try Self.contents($0, $1)) }
            try await Self.changeAll(garden)
            let again = try await garden.dataset(
                filters: filters, now: Garden.now.adding(seconds: 86_400), asOf: before.0
            ) { try Self.contents($0, $1) }
            Self.expectEqual(before.1, again)
        }
    }

    @Test func `an instant before the end of the fixture leaves out what followed`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(asOf: Instant("2026-03-29T08:00:00Z")) { folder, manifest in
                func rows(_ table: String) throws -> [[String: String]] {
                    try TableRows("\(folder)/data/\(table).csv").map { $0 }
                }
                #expect(manifest.asOf == Instant("2026-03-29T08:00:00Z"))
                let enrolments = try rows("enrolments")
                #expect(enrolments.map { $0["arm"] } == ["plants", "plants"])
                #expect(enrolments.map { $0["zone"] } == ["Europe/Berlin", "America/New_York"])
                #expect(enrolments.map { $0["status"] } == ["active", "active"])
                #expect(try rows("arm_changes").isEmpty)
                let sheets = try rows("sheets").filter { $0["instrument"] == "mood" }
                #expect(sheets.map { $0["sheet_id"]?.suffix(2) } == ["c1", "c2"])
                #expect(
                    try rows("occasions").map {
                        "\($0["occasion_id"]?.suffix(2) ?? "") \($0["status"] ?? "")"
                    } == [
                        "a1 completed_on_time", "a2 upcoming", "a3 upcoming", "b1 missed", "b2 upcoming",
                        "b3 upcoming",
                    ])
                #expect(try rows("walks").map { $0["walk_id"]?.suffix(3) } == ["aa1"])
                #expect(try rows("reminders").map { $0["attempt"] } == ["1", "2"])
                #expect(try rows("calibrations").count == 1)
            }
        }
    }

    @Test func `a pause that has ended since had no end`() async throws {
        try await Garden.with { garden in
            try await garden.change(
                """
                insert into research.enrolment_pause values ('\(Self.e1)', '2026-03-30T14:00:00Z', null);
                update research.occasion set set_aside = 'paused'
                where occasion_id = '00000000-0000-8000-8000-0000000000a3'
                """)
            let before = try await garden.dataset(profile: .full) { ($1.asOf, try Self.contents($0, $1)) }
            try await garden.change(
                """
                update research.enrolment_pause set to_at = '2026-03-30T18:30:00Z';
                update research.occasion set set_aside = null
                where occasion_id = '00000000-0000-8000-8000-0000000000a3'
                """)
            let later = Garden.now.adding(seconds: 86_400)
            let again = try await garden.dataset(profile: .full, now: later, asOf: before.0) {
                try Self.contents($0, $1)
            }
            Self.expectEqual(before.1, again)
        }
    }

    @Test func `participants who were excluded or erased since are not included`() async throws {
        try await Garden.with { garden in
            let before = try await garden.dataset { $1.asOf }
            try await garden.change(
                "update research.enrolment set status = 'excluded', ended_at = '2026-03-30T17:00:00Z' where participant_id = 'P001'"
            )
            try await garden.dataset(now: Garden.now.adding(seconds: 86_400), asOf: before) {
                folder, manifest in
                #expect(manifest.participants.enrolments == 1 && manifest.participants.excluded == 2)
                let participants = try TableRows(folder + "/data/participants.csv").map {
                    $0["participant_id"]
                }
                #expect(participants == ["P002"])
            }
        }
    }

    @Test func `an instant in the future or before the first publication is refused`() async throws {
        try await Garden.with { garden in
            let future = Garden.now.adding(seconds: 1)
            await #expect(throws: DatasetFault.futureInstant(future)) {
                try await garden.dataset(asOf: future) { _, _ in }
            }
            let early = try #require(Instant("2026-02-28T23:59:59.999Z"))
            await #expect(throws: DatasetFault.unpublishedStudy("garden", at: early)) {
                try await garden.dataset(asOf: early) { _, _ in }
            }
            try await garden.dataset(asOf: Instant("2026-03-01T00:00:00Z")) { _, manifest in
                #expect(manifest.participants.enrolments == 0)
                #expect(manifest.json["study_versions"]?.array?.count == 1)
            }
        }
    }

    @Test func `the profile public shows no earlier state`() async throws {
        try await Garden.with { garden in
            await #expect(throws: DatasetFault.pastProfile(.public)) {
                try await garden.dataset(profile: .public, asOf: Garden.now) { _, _ in }
            }
        }
    }

    @Test func `a request with an instant has its own digest and tag`() async throws {
        let now = DatasetRequest(study: "garden")
        let then = DatasetRequest(study: "garden", asOf: Garden.now)
        #expect(now.digest != then.digest)
    }

    /// A table that the statements of a dataset read needs a statement in `dataset_past.sql`, or a reason.
    @Test func `every table that a dataset reads can be read as it was`() throws {
        let reasons = [
            "erasure": "an erasure is permanent", "change": "state of the change feed, not data",
            "change_counter": "state of the change feed, not data",
            "questionnaire_version": "a view is made for every version",
        ]
        let folder = Garden.root + "/sql/dataset"
        var tables: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder)
        where file != "dataset_past.sql" {
            let sql = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            for match in sql.matches(of: /(?:from|join) research\.([a-z_]+)/) {
                tables.insert(String(match.1))
            }
        }
        #expect(tables.count > 20)
        let known = Set(SQLFile.past.names.map { String($0.dropFirst("past_".count)) })
        #expect(tables.subtracting(known).sorted() == reasons.keys.sorted())
    }
}
