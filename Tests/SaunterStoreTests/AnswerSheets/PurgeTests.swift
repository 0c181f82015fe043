import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct PurgeTests {
    private static let canary = "lavender-canary"

    /// A sheet with a text, corrected once through the API and once by a device, and another body under its id.
    private static func withSheet(
        _ body: (StoreFixture, EnrolmentID, SheetSubmission) async throws -> Void
    ) async throws {
        try await withEvening { fixture, id, evening in
            var sheet = SheetSubmission.make(id, evening.id, body: canary, text: canary)
            sheet.presented = ["mood": [.string(canary)]]
            sheet.flags = ["clock_skew", "constraint_\(canary)"]
            _ = try await fixture.store.submit([sheet])
            _ = try await fixture.store.submit([sheet.with(body: "another \(canary)")])
            let revision = SheetRevision(
                answers: StoredAnswers(slots: [1, 0, -998], numbers: [3], texts: ["note": "\(canary) 2"]),
                cleared: [], scores: sheet.scores, keyVersion: "1", keyDigest: "k1", reason: "\(canary) 3")
            _ = try await fixture.store.revise(id, sheet.sheet, now: .start, audit: StoreFixture.entry()) {
                _ in
                revision
            }
            let correction = EditFixture.make(
                sheet.sheet, madeAt: Instant.start.plus(hours: 1), digest: [9],
                body: [
                    "sheet_id": .string(sheet.sheet.description), "corrected_at": "2026-11-21T09:00:00.000Z",
                    "answers": ["note": .string(canary)], "reason": .string(canary),
                ])
            try await fixture.submitEdit(correction, of: id)
            try await body(fixture, id, sheet)
        }
    }

    private static func purge(
        _ sheet: SheetSubmission, _ fixture: StoreFixture, _ id: EnrolmentID
    ) async throws {
        let deleted = try await fixture.store.deleteSheet(
            id, sheet.sheet, purges: true, now: Instant.start.plus(hours: 2),
            audit: StoreFixture.entry("sheet_purged", id)
        ) { _ in }
        #expect(deleted)
    }

    @Test func `a purged sheet leaves its text in no table`() async throws {
        try await Self.withSheet { fixture, id, sheet in
            let before = try await fixture.tables(containing: Self.canary)
            #expect(Set(before).isSuperset(of: ["research.answer_text", "research.amendment"]))

            try await Self.purge(sheet, fixture, id)

            #expect(try await fixture.tables(containing: Self.canary) == [])
            #expect(try await fixture.rows(of: id, in: "research.answer_text") == 0)
            #expect(try await fixture.rows(of: id, in: "research.score") == 0)
            #expect(try await fixture.rows(of: id, in: "research.quarantine") == 0)
        }
    }

    @Test func `the rows of all revisions stay, can be read, and contain no answer`() async throws {
        try await Self.withSheet { fixture, id, sheet in
            try await Self.purge(sheet, fixture, id)

            let slots: [[Int]] = try await fixture.run(
                "select slots, numbers from research.answer_sheet order by revision"
            ).map { try $0.get("slots", as: [Int16].self).map(Int.init) }
            #expect(slots == [[-991, -991, -991], [-991, -991, -991]])
            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.deletedAt != nil && stored.revision == 2 && stored.answers.numbers == [nil])
            #expect(stored.flags == ["clock_skew", "purged"])
            #expect(
                try await fixture.values(
                    "select action as value from audit.entry where action = 'sheet_purged'", as: String.self)
                    == ["sheet_purged"])
        }
    }

    @Test func `a replay is still recognised, and another body is not kept`() async throws {
        try await Self.withSheet { fixture, id, sheet in
            try await Self.purge(sheet, fixture, id)

            let receipts = try await fixture.store.submit([sheet])
            let other = try await fixture.store.submit([sheet.with(body: "late \(Self.canary)")])

            #expect(receipts == [.replayed] && other == [.conflict])
            #expect(try await fixture.tables(containing: Self.canary) == [])
        }
    }

    @Test func `a correction that arrives after the purge leaves no text either`() async throws {
        try await Self.withSheet { fixture, id, sheet in
            try await Self.purge(sheet, fixture, id)
            let late = EditFixture.make(
                sheet.sheet, madeAt: Instant.start.plus(hours: 1), digest: [8],
                body: [
                    "sheet_id": .string(sheet.sheet.description), "corrected_at": "2026-11-21T09:30:00.000Z",
                    "answers": ["note": .string(Self.canary)],
                ])
            try await fixture.submitEdit(late, of: id)

            try await fixture.store.apply(
                late, to: sheet.sheet, of: id, now: Instant.start.plus(hours: 3),
                audit: StoreFixture.entry()
            ) { _ in throw ConcurrentErasure() }

            #expect(try await fixture.tables(containing: Self.canary) == [])
        }
    }

    @Test func `a deletion without purge keeps the answers`() async throws {
        try await Self.withSheet { fixture, id, sheet in
            _ = try await fixture.store.deleteSheet(
                id, sheet.sheet, now: Instant.start.plus(hours: 2), audit: StoreFixture.entry()
            ) { _ in }

            #expect(try await fixture.tables(containing: Self.canary).contains("research.answer_text"))
        }
    }
}
