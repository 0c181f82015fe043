import Foundation
import Postgres
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterEvaluation

@Suite struct DatasetStateTests {
    private static func tag(
        _ garden: Garden, _ request: DatasetRequest = DatasetRequest(study: "garden"),
        now: Instant = Garden.now
    ) async throws -> String? {
        try await DatasetWriter(
            pool: garden.export, numberChanges: { try await ChangeNumbering.run($0, on: garden.research) }
        ).tag(of: request, now: now)
    }

    @Test func `the tag before an export equals the tag of the dataset`() async throws {
        try await Garden.with { garden in
            let before = try #require(try await Self.tag(garden))
            let manifest = try await garden.dataset { $1 }

            #expect(manifest.tag == before)
            #expect(try await Self.tag(garden) == before)
        }
    }

    @Test func `there is no tag while a committed change has no number`() async throws {
        try await Garden.with { garden in
            let tag = try await DatasetWriter(pool: garden.export).tag(
                of: DatasetRequest(study: "garden"), now: Garden.now)

            #expect(tag == nil)
        }
    }

    @Test(arguments: [
        "update research.enrolment set status = 'excluded' where participant_id = 'P001'",
        "delete from research.enrolment where participant_id = 'P002'; insert into research.erasure values (gen_random_uuid(), 'garden', now(), 'x')",
        "update research.answer_sheet set deleted_at = now() where sheet_id::text like '%c5'",
        "update research.walk set deleted_at = now()",
        "insert into research.rescored_sheet select enrolment_id, sheet_id, revision + 1, key_id, scored_at, covariates, score_values, null, null, score_counts from research.rescored_sheet where revision = 1 limit 1",
        "insert into research.reminder_attempt values ('00000000-0000-4000-8000-0000000000e1', 'due_today', '2026-03-28', 1, 3, 'mail', now(), 'sent', 250)",
        "update research.reminder set state = 'unknown' where state = 'sent'",
        "insert into research.enrolment_zone values ('00000000-0000-4000-8000-0000000000e1', '2026-03-30T01:00Z', 'Europe/Berlin', 'x')",
        "insert into research.entitlement_period values ('00000000-0000-4000-8000-0000000000e1', gen_random_uuid(), now(), now(), 'premium', 'gift', null, null)",
        "insert into research.study_version select study, '3.0.0', digest, files, '2026-03-03T00:00Z' from research.study_version where version = '2.0.0'",
    ])
    func `every change in the study changes the tag`(script: String) async throws {
        try await Garden.with { garden in
            let before = try #require(try await Self.tag(garden))
            try await garden.change(script)
            #expect(try await Self.tag(garden) != before)
        }
    }

    @Test func `a change in another study or outside the dataset does not change the tag`() async throws {
        try await Garden.with { garden in
            let before = try #require(try await Self.tag(garden))
            try await garden.change(
                "update research.enrolment set status = 'stopped' where study = 'meadow'; "
                    + "update research.enrolment set next_reminder_at = now() where study = 'garden'")
            #expect(try await Self.tag(garden) == before)
        }
    }

    @Test(arguments: [
        ("14:59:59.999", "15:00:00.000", false), ("15:00:00.000", "20:00:00.000", true),
        ("20:00:00.000", "20:00:00.001", false), ("20:00:00.001", "21:59:59.999", true),
        ("21:59:59.999", "22:00:00.000", false),
    ])
    func `the tag changes when a window opens, becomes due or closes, and not in between`(
        before: String, after: String, isSame: Bool
    ) async throws {
        try await Garden.with { garden in
            let first = try await Self.tag(garden, now: try #require(Instant("2026-03-30T\(before)Z")))
            let second = try await Self.tag(garden, now: try #require(Instant("2026-03-30T\(after)Z")))
            #expect((first == second) == isSame)
        }
    }

    @Test func `different requests have different tags, and the order of codes does not matter`() async throws
    {
        try await Garden.with { garden in
            var tags: [String?] = []
            for request in [
                DatasetRequest(study: "garden"), DatasetRequest(study: "garden", profile: .full),
                DatasetRequest(study: "garden", filters: DatasetFilters(arms: ["stones"])),
                DatasetRequest(study: "garden", filters: DatasetFilters(from: LocalDate("2026-03-29"))),
                DatasetRequest(study: "garden", formats: [.spss]),
            ] {
                tags.append(try await Self.tag(garden, request))
            }
            #expect(Set(tags).count == tags.count && !tags.contains(nil))
            #expect(
                DatasetRequest(study: "garden", filters: DatasetFilters(arms: ["a", "b"])).digest
                    == DatasetRequest(study: "garden", filters: DatasetFilters(arms: ["b", "a"])).digest)
        }
    }

    @Test(arguments: [
        ("2026-03-29", "2026-03-29", true), ("2026-03-30", "2026-03-30", false),
        ("2026-03-28", "2026-03-30", false),
    ])
    func `an opening window changes only the tags of requests with its date`(
        from: String, to: String, isSame: Bool
    )
        async throws
    {
        let request = DatasetRequest(
            study: "garden", filters: DatasetFilters(from: LocalDate(from), to: LocalDate(to)))
        try await Garden.with { garden in
            let first = try await Self.tag(
                garden, request, now: try #require(Instant("2026-03-30T14:59:59.999Z")))
            let second = try await Self.tag(
                garden, request, now: try #require(Instant("2026-03-30T15:00:00.000Z")))
            #expect((first == second) == isSame)
        }
    }

    @Test(arguments: [
        "update research.reminder set state = 'unknown' where subject = '2026-03-28' and state = 'sent'",
        "insert into research.reminder_attempt values ('00000000-0000-4000-8000-0000000000e1', 'due_today', '2026-03-28', 1, 3, 'mail', now(), 'sent', 250)",
    ])
    func `a reminder changes only the tags of requests with dates around its own`(script: String) async throws
    {
        let far = DatasetRequest(
            study: "garden",
            filters: DatasetFilters(from: LocalDate("2026-04-20"), to: LocalDate("2026-04-21")))
        let near = DatasetRequest(
            study: "garden",
            filters: DatasetFilters(from: LocalDate("2026-03-28"), to: LocalDate("2026-03-28")))
        try await Garden.with { garden in
            let before = (try await Self.tag(garden, far), try await Self.tag(garden, near))
            try await garden.change(script)
            #expect(try await Self.tag(garden, far) == before.0)
            #expect(try await Self.tag(garden, near) != before.1)
        }
    }

    @Test func `dates without an occasion count when they are over`() async throws {
        let filters = DatasetFilters(from: LocalDate("2026-03-30"), to: LocalDate("2026-03-30"))
        let request = DatasetRequest(study: "garden", filters: filters)
        try await Garden.with { garden in
            try await garden.change(
                """
                update research.enrolment set ended_at = '2026-03-29T12:00Z' where ended_at is not null;
                delete from research.answer_sheet using research.occasion
                where answer_sheet.occasion_id = occasion.occasion_id and local_date >= '2026-03-30';
                delete from research.occasion where local_date >= '2026-03-30'
                """)
            // 12:00 UTC is the end of the day in the last time zone.
            let over = try #require(Instant("2026-03-31T12:00:00.000Z"))
            let before = try await Self.tag(
                garden, request, now: Instant(milliseconds: over.milliseconds - 1))
            let then = try await Self.tag(garden, request, now: over)
            let later = Instant(milliseconds: over.milliseconds + 86_400_000)
            #expect(then != before)
            #expect(try await Self.tag(garden, request, now: later) == then)
            try await garden.dataset(filters: filters, now: later) { folder, manifest in
                #expect(manifest.asOf == over)
                let days = try TableRows("\(folder)/data/adherence_daily.csv").map { $0["local_date"] }
                #expect(days == ["2026-03-30"])
            }
        }
    }
}
