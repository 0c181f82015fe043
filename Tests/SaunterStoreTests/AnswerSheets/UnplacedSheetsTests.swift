import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct UnplacedSheetsTests {
    private static let end = Instant.start.plus(hours: 2)

    /// A sheet of a walk, without an occasion.
    private static func earlySheet(_ enrolment: EnrolmentID, _ walk: WalkID, seconds: Int = 60)
        -> SheetSubmission
    {
        var sheet = SheetSubmission.make(
            enrolment, fulfilsOccasion: false, timeliness: .outOfWindow,
            receivedAt: end.adding(seconds: seconds))
        sheet.questionnaire = "after_walk"
        sheet.walk = walk
        sheet.flags = ["clock_skew", "no_occasion", "constraint_a"]
        return sheet
    }

    @Test func `a sheet that arrived before its walk gets the walk's occasion when the walk is stored`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let walk = WalkID(UUID())
            let (first, second) = (Self.earlySheet(id, walk), Self.earlySheet(id, walk, seconds: 3600))
            let other = Self.earlySheet(id, WalkID(UUID()))
            for sheet in [first, second, other] { _ = try await fixture.store.submit([sheet]) }

            #expect(try await fixture.submitWalk(id, as: walk, endedAt: Self.end) == .stored)

            let occasion = try #require(
                try await fixture.occasions(of: id).first { $0.key.schedule == "after-walk" })
            let stored = try #require(try await fixture.store.findSheet(id, first.sheet))
            #expect(occasion.sheetID == first.sheet)
            #expect(occasion.completedAt == stored.correctedCompletedAt)
            #expect(stored.occasion == occasion.id && stored.timeliness == .onTime && stored.lateS == nil)
            #expect(stored.flags == ["clock_skew", "constraint_a"])
            #expect(stored.scores == first.scores && stored.duplicateOf == nil)
            let duplicate = try #require(try await fixture.store.findSheet(id, second.sheet))
            #expect(duplicate.occasion == occasion.id && duplicate.duplicateOf == first.sheet)
            #expect(duplicate.timeliness == .late && duplicate.lateS == 1800)
            let rest = try #require(try await fixture.store.findSheet(id, other.sheet))
            #expect(rest.occasion == nil && rest.timeliness == .outOfWindow)
        }
    }

    @Test func `all revisions of a corrected sheet get the occasion, and a deleted sheet gets none`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let walk = WalkID(UUID())
            let (deleted, corrected) = (Self.earlySheet(id, walk), Self.earlySheet(id, walk, seconds: 90))
            for sheet in [deleted, corrected] { _ = try await fixture.store.submit([sheet]) }
            _ = try await fixture.store.deleteSheet(
                id, deleted.sheet, now: Self.end.plus(hours: 1), audit: StoreFixture.entry()
            ) { _ in }
            _ = try await fixture.store.revise(
                id, corrected.sheet, now: Self.end.plus(hours: 1), audit: StoreFixture.entry()
            ) { stored in
                SheetRevision(
                    answers: stored.answers, cleared: [], scores: [], keyVersion: nil, keyDigest: nil,
                    reason: nil)
            }

            try await fixture.submitWalk(id, as: walk, endedAt: Self.end)

            let stored = try #require(try await fixture.store.findSheet(id, corrected.sheet))
            #expect(stored.revision == 2 && stored.timeliness == .onTime && stored.duplicateOf == nil)
            let without: [String] = try await fixture.values(
                "select distinct sheet_id::text as value from research.answer_sheet where occasion_id is null"
            )
            #expect(without == [deleted.sheet.description])
        }
    }

    @Test func `a walk that arrives late gets its past occasion`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            var walk = try WalkFixture.make(id, endedAt: Self.end)
            walk.receivedAt = Self.end.plus(days: 20)

            #expect(try await fixture.submit(walk) == .stored)

            let following = try await fixture.occasions(of: id).filter { $0.key.schedule == "after-walk" }
            #expect(following.map(\.window.openAt) == [Self.end])
            #expect(following.map { $0.state(at: walk.receivedAt) } == [.missed])
            // No other past occasions are planned.
            let (planned, today) = (Instant.start.plus(days: 14), Self.end.plus(days: 20))
            let evenings = try await fixture.evenings(of: id).map(\.localDate)
            let gap = Zone.utc.local(of: planned).date.adding(days: 1)..<Zone.utc.local(of: today).date
            #expect(!evenings.contains { gap.contains($0) })
        }
    }

    @Test func `a sheet that was validated before its walk was stored gets its occasion`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let walk = WalkID(UUID())
            try await fixture.submitWalk(id, as: walk, endedAt: Self.end)
            var sheet = Self.earlySheet(id, walk)
            sheet.followUps = FollowUps(study: fixture.study, now: Self.end.plus(hours: 1))

            for receipt in [StorageReceipt.stored, .replayed] {
                #expect(try await fixture.store.submit([sheet]) == [receipt])
                #expect(try await fixture.store.findSheet(id, sheet.sheet)?.timeliness == .onTime)
            }
        }
    }
}
