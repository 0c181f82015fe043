import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct CorrectionTests {
    static let later = Instant.start.plus(hours: 1)

    static func revision(_ slot: Int16 = 1, text: String = "better") -> SheetRevision {
        SheetRevision(
            answers: StoredAnswers(slots: [slot, 0, -998], numbers: [1.25], texts: ["note": text]),
            cleared: ["more"],
            scores: [
                Score(
                    scale: "mood", value: nil, reason: .tooFewAnswered, band: nil, itemCount: 1,
                    answeredCount: 0,
                    imputedCount: 0)
            ], keyVersion: "1", keyDigest: "k1", reason: "typing error")
    }

    @Test func `a correction is a new revision, and the first revision stays unchanged`() async throws {
        try await withSheet { fixture, id, sheet in
            let revised = try #require(
                try await fixture.store.revise(
                    id, sheet.sheet, now: Self.later, audit: StoreFixture.entry("revised", id)
                ) {
                    #expect($0.answers == sheet.answers)
                    return Self.revision()
                })

            #expect(revised.revision == 2)
            #expect(revised.answers == Self.revision().answers)
            #expect(revised.scores == Self.revision().scores)
            #expect(revised.cleared == ["more"])
            #expect(revised.revisedAt == Self.later)
            #expect(revised.completedAt == sheet.completedAt)
            #expect(revised.occasion == sheet.occasion)
            let texts: [String] = try await fixture.values(
                "select text as value from research.answer_text order by revision")
            #expect(texts == ["calm", "better"])
            let current: [Bool] = try await fixture.values(
                "select current as value from research.answer_sheet order by revision")
            #expect(current == [false, true])
            let lines: [String] = try await fixture.values(
                "select action as value from audit.entry order by entry_id")
            #expect(lines == ["enrolled", "revised"])
        }
    }

    @Test
    func
        `answers without slots and recorded orders are kept, and flags of constraints follow the correction`()
        async throws
    {
        try await withSheet { fixture, id, _ in
            var sheet = SheetSubmission.make(id, id: SheetID(UUID()), body: "more", fulfilsOccasion: false)
            sheet.flags = ["clock_skew", "constraint_old", "constraint_kept"]
            sheet.answers.repeated = [
                RepeatedAnswer(linkId: "dose", instance: 1, type: "decimal", value: "2.5"),
                RepeatedAnswer(linkId: "dose", instance: 2, type: "decimal", missing: .refused),
            ]
            sheet.presented = ["rate": ["2", "1"]]
            #expect(try await fixture.store.submit([sheet]) == [.stored])
            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers == sheet.answers)
            #expect(stored.presented == sheet.presented)

            var revision = Self.revision()
            revision.answers.repeated = [sheet.answers.repeated[0]]
            revision.warnings = ["constraint_kept", "constraint_new"]
            let given = revision
            let revised = try #require(try await fixture.revise(id, sheet.sheet) { _ in given })

            #expect(revised.answers == given.answers)
            #expect(revised.flags == ["clock_skew", "constraint_kept", "constraint_new"])
            #expect(revised.presented == sheet.presented)
        }
    }

    @Test func `the sheet as first submitted is still a replay and does not undo the correction`()
        async throws
    {
        try await withSheet { fixture, id, sheet in
            _ = try await fixture.revise(id, sheet.sheet) { _ in Self.revision() }

            #expect(try await fixture.store.submit([sheet]) == [.replayed])

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.revision == 2)
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.answers == Self.revision().answers)
        }
    }

    @Test(arguments: [
        "update research.answer_sheet set current = true, completes = false where revision = 1",
        "update research.answer_sheet set current = true, completes = false where revision = 2",
        "insert into research.answer_sheet select (jsonb_populate_record(sheet, '{\"revision\": 4, \"current\": true, \"completes\": false}')).* from research.answer_sheet sheet where revision = 1",
    ])
    func `after any statement, one revision of a sheet is current`(script: String) async throws {
        try await withSheet { fixture, id, sheet in
            for _ in 0..<2 { _ = try await fixture.revise(id, sheet.sheet) { _ in Self.revision() } }

            let error = await #expect(throws: DatabaseError.self) { try await fixture.run(script) }
            #expect("\(error as Any)".contains("answer_sheet_one_current"))

            let current: [Int] = try await fixture.values(
                "select revision as value from research.answer_sheet where current")
            #expect(current == [3])
        }
    }

    @Test func `a rejected correction changes nothing`() async throws {
        try await withSheet { fixture, id, sheet in
            await #expect(throws: RejectedCorrection.self) {
                try await fixture.revise(id, sheet.sheet) { _ in throw RejectedCorrection() }
            }

            let stored = try await fixture.store.findSheet(id, sheet.sheet)
            #expect(stored?.revision == 1)
            #expect(try await fixture.values("select action as value from audit.entry") == ["enrolled"])
        }
    }

    @Test func `concurrent corrections are all applied, one after the other`() async throws {
        try await withSheet(connections: 8) { fixture, id, sheet in
            let revisions = try await withThrowingTaskGroup(of: Int?.self) { group in
                for slot in 0..<8 {
                    group.addTask {
                        let revised = try await fixture.revise(id, sheet.sheet) { _ in
                            Self.revision(Int16(slot))
                        }
                        return revised?.revision
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(!revisions.contains(nil))
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.revision == 9)
            #expect(
                try await fixture.value("select count(*) as value from research.answer_sheet where current")
                    == 1)
        }
    }

    @Test func `a missing or deleted sheet cannot be corrected or deleted`() async throws {
        try await withSheet { fixture, id, sheet in
            for (unknown, isDeletedNow) in [
                (SheetID(UUID()), false), (sheet.sheet, true), (sheet.sheet, false),
            ] {
                let isDeleted = try await fixture.delete(id, unknown)
                let revised = try await fixture.revise(id, unknown) { _ in Self.revision() }
                #expect(isDeleted == isDeletedNow)
                #expect(revised?.id == nil)
            }
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.deletedAt == Self.later)
        }
    }

    @Test func `deleting a sheet opens its occasion, and a replay does not restore the sheet`()
        async throws
    {
        try await withSheet { fixture, id, sheet in
            let occasion = try #require(sheet.occasion)
            #expect(try await fixture.delete(id, sheet.sheet))
            let free = try await fixture.occasions(of: id).first { $0.id == occasion }
            #expect(free?.sheetID == nil)
            #expect(free?.completedAt == nil)

            #expect(try await fixture.store.submit([sheet]) == [.replayed])
            let next = SheetSubmission.make(id, occasion)
            #expect(try await fixture.store.submit([next]) == [.stored])

            #expect(try await fixture.occasions(of: id).first { $0.id == occasion }?.sheetID == next.sheet)
            #expect(try await fixture.store.listSheets(id, before: nil, limit: 9).map(\.id) == [next.sheet])
        }
    }

    @Test func `deleting a duplicate leaves the occasion fulfilled by the first sheet`() async throws {
        try await withSheet { fixture, id, sheet in
            let copy = SheetSubmission.make(id, sheet.occasion)
            _ = try await fixture.store.submit([copy])

            _ = try await fixture.delete(id, copy.sheet)

            #expect(
                try await fixture.occasions(of: id).first { $0.id == sheet.occasion }?.sheetID == sheet.sheet)
        }
    }

    @Test func `after the deletion of a sheet the first of its duplicates fulfils the occasion`()
        async throws
    {
        try await withSheet { fixture, id, sheet in
            let occasion = try #require(sheet.occasion)
            let copies = (1...2).map {
                SheetSubmission.make(id, occasion, receivedAt: Instant.start.adding(seconds: $0))
            }
            for copy in copies { _ = try await fixture.store.submit([copy]) }
            // A deleted duplicate does not become the successor.
            let early = SheetSubmission.make(id, occasion, receivedAt: .start)
            _ = try await fixture.store.submit([early])
            _ = try await fixture.delete(id, early.sheet)
            _ = try await fixture.revise(id, copies[0].sheet) { _ in Self.revision() }

            #expect(try await fixture.delete(id, sheet.sheet))
            let settled = try await fixture.occasions(of: id).first { $0.id == occasion }
            let duplicates = try await fixture.store.listSheets(id, before: nil, limit: 9).map(\.duplicateOf)
            let revised = try await fixture.revise(id, copies[0].sheet) { _ in Self.revision() }
            #expect(try await fixture.delete(id, copies[0].sheet))
            #expect(try await fixture.delete(id, copies[1].sheet))
            let free = try await fixture.occasions(of: id).first { $0.id == occasion }

            #expect(settled?.sheetID == copies[0].sheet)
            #expect(settled?.completedAt == copies[0].completedAt.adding(milliseconds: copies[0].skewMs))
            #expect(duplicates == [copies[0].sheet, nil])
            #expect(revised?.duplicateOf == nil)
            #expect(free?.sheetID == nil && free?.completedAt == nil)
        }
    }

    @Test func `a sheet that fulfils nothing is not a duplicate of a deleted sheet`() async throws {
        try await withSheet { fixture, id, sheet in
            func duplicates() async throws -> [SheetID: SheetID?] {
                let sheets = try await fixture.store.listSheets(id, before: nil, limit: 9)
                return Dictionary(uniqueKeysWithValues: sheets.map { ($0.id, $0.duplicateOf) })
            }
            let occasion = try #require(sheet.occasion)
            let before = SheetSubmission.make(
                id, occasion, fulfilsOccasion: false, timeliness: .outOfWindow,
                receivedAt: Instant.start.adding(seconds: 1))
            let successor = SheetSubmission.make(id, occasion, receivedAt: Instant.start.adding(seconds: 2))
            let after = SheetSubmission.make(
                id, occasion, fulfilsOccasion: false, timeliness: .outOfWindow,
                receivedAt: Instant.start.adding(seconds: 3))
            for copy in [before, successor, after] { _ = try await fixture.store.submit([copy]) }

            #expect(try await fixture.delete(id, sheet.sheet))
            let afterFirstDeletion = try await duplicates()
            #expect(try await fixture.delete(id, successor.sheet))
            let afterSecondDeletion = try await duplicates()

            let first: [SheetID: SheetID?] = [
                before.sheet: nil, successor.sheet: nil, after.sheet: successor.sheet,
            ]
            let second: [SheetID: SheetID?] = [before.sheet: nil, after.sheet: nil]
            #expect(afterFirstDeletion == first)
            #expect(afterSecondDeletion == second)
            #expect(try await fixture.occasions(of: id).first { $0.id == occasion }?.sheetID == nil)
        }
    }

    @Test func `concurrent deletions, corrections and replays do not deadlock`() async throws {
        try await withSheet(connections: 12) { fixture, id, sheet in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask { _ = try await fixture.store.submit([sheet]) }
                    group.addTask { _ = try await fixture.revise(id, sheet.sheet) { _ in Self.revision() } }
                    group.addTask { _ = try await fixture.delete(id, sheet.sheet) }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.deletedAt != nil)
            #expect(try await fixture.deadlocks() == 0)
        }
    }

    struct RejectedCorrection: Error {}

    private func withSheet(
        connections: Int = 4, _ body: (StoreFixture, EnrolmentID, SheetSubmission) async throws -> Void
    ) async throws {
        try await withEvening(connections: connections) { fixture, id, evening in
            let sheet = SheetSubmission.make(id, evening.id)
            _ = try await fixture.store.submit([sheet])
            try await body(fixture, id, sheet)
        }
    }
}

extension StoreFixture {
    fileprivate func revise(
        _ id: EnrolmentID, _ sheet: SheetID, decide: @Sendable (StoredSheet) throws -> SheetRevision
    ) async throws -> StoredSheet? {
        try await store.revise(
            id, sheet, now: CorrectionTests.later, audit: Self.entry("revised", id), decide: decide)
    }

    fileprivate func delete(_ id: EnrolmentID, _ sheet: SheetID) async throws -> Bool {
        try await store.deleteSheet(id, sheet, now: CorrectionTests.later, audit: Self.entry("deleted", id)) {
            _ in
        }
    }
}
