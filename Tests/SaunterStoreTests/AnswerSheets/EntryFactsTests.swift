import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EntryFactsTests {
    private static let rule = AnyTimeRule(questionnaire: "promise", isActiveOne: true, endsWith: "end")

    private static func entry(
        _ enrolment: EnrolmentID, _ questionnaire: String, hours: Int, about: SheetID? = nil
    ) -> SheetSubmission {
        var sheet = SheetSubmission.make(enrolment, receivedAt: Instant.start.plus(hours: hours))
        (sheet.questionnaire, sheet.refersTo, sheet.skewMs) = (questionnaire, about, 0)
        return sheet
    }

    private static func with(_ body: (StoreFixture, EnrolmentID) async throws -> Void) async throws {
        try await StoreFixture.with { fixture in try await body(fixture, try await fixture.enrol().id) }
    }

    private static func referred(
        _ sheet: SheetID, _ fixture: StoreFixture, _ id: EnrolmentID
    ) async throws -> ReferredEntry? {
        try await fixture.store.findEntryFacts(
            EntryFactsQuery(
                enrolment: id, sheet: SheetID(UUID()), questionnaire: "kept", refersTo: sheet,
                referredRule: rule)
        ).referred
    }

    @Test func `a referred entry has its questionnaire and the end of its activity`() async throws {
        try await Self.with { fixture, id in
            let first = Self.entry(id, "promise", hours: 1)
            let second = Self.entry(id, "promise", hours: 3)
            let end = Self.entry(id, "end", hours: 5, about: second.sheet)
            let mood = Self.entry(id, "mood", hours: 1)
            _ = try await fixture.store.submit([first, second, end, mood])

            #expect(
                try await Self.referred(first.sheet, fixture, id)
                    == ReferredEntry(questionnaire: "promise", endedAt: second.completedAt))
            #expect(
                try await Self.referred(second.sheet, fixture, id)
                    == ReferredEntry(questionnaire: "promise", endedAt: end.completedAt))
            #expect(
                try await Self.referred(mood.sheet, fixture, id) == ReferredEntry(questionnaire: "mood"))
            #expect(try await Self.referred(SheetID(UUID()), fixture, id) == nil)
        }
    }

    @Test func `an entry of another participant is unknown, and a deleted one is known`() async throws {
        try await Self.with { fixture, id in
            let other = try await fixture.enrol().id
            let foreign = Self.entry(other, "promise", hours: 1)
            let deleted = Self.entry(id, "promise", hours: 1)
            _ = try await fixture.store.submit([foreign, deleted])
            _ = try await fixture.store.deleteSheet(
                id, deleted.sheet, now: .start, audit: StoreFixture.entry()
            ) { _ in }

            #expect(try await Self.referred(foreign.sheet, fixture, id) == nil)
            #expect(try await Self.referred(deleted.sheet, fixture, id)?.isDeleted == true)
        }
    }

    @Test func `the sheets that count on a local date are counted, without the sheet itself`() async throws {
        try await Self.with { fixture, id in
            let today = (0..<3).map { Self.entry(id, "mood", hours: $0) }
            let tomorrow = Self.entry(id, "mood", hours: 20)
            let other = Self.entry(id, "page", hours: 1)
            _ = try await fixture.store.submit(today + [tomorrow, other])
            _ = try await fixture.store.deleteSheet(
                id, today[2].sheet, now: .start, audit: StoreFixture.entry()
            ) { _ in }
            func count(on date: String, without sheet: SheetID = SheetID(UUID())) async throws -> Int {
                try await fixture.store.findEntryFacts(
                    EntryFactsQuery(
                        enrolment: id, sheet: sheet, questionnaire: "mood",
                        limitedOn: LocalDate(date))
                ).countOnDate
            }

            #expect(try await count(on: "2026-11-21") == 2)
            #expect(try await count(on: "2026-11-21", without: today[0].sheet) == 1)
            #expect(try await count(on: "2026-11-22") == 1)
        }
    }

    @Test func `the active entry is the newest one that is neither ended nor deleted`() async throws {
        try await Self.with { fixture, id in
            let promises = (1...3).map { Self.entry(id, "promise", hours: $0) }
            _ = try await fixture.store.submit(promises)
            func active() async throws -> Set<SheetID> {
                try await fixture.store.findActiveEntries(of: id, [Self.rule, "mood"]).active
            }

            #expect(try await active() == [promises[2].sheet])
            _ = try await fixture.store.deleteSheet(
                id, promises[2].sheet, now: .start, audit: StoreFixture.entry()
            ) { _ in }
            #expect(try await active() == [promises[1].sheet])
            _ = try await fixture.store.submit([Self.entry(id, "end", hours: 9, about: promises[1].sheet)])
            #expect(try await active() == [])
        }
    }
}
