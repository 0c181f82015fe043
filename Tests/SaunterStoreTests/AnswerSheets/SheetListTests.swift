import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct SheetListTests {
    /// - Parameters:
    ///   - completed: hours after the start; `received` likewise.
    ///   - number: the date of an item.
    private static func sheet(
        _ enrolment: EnrolmentID, completed: Int, received: Int? = nil, of questionnaire: String = "mood",
        version: String = "1.0.0", number: Double? = nil, about: SheetID? = nil, zone: Zone = .utc
    ) -> SheetSubmission {
        var sheet = SheetSubmission.make(
            enrolment, receivedAt: Instant.start.plus(hours: received ?? completed))
        sheet.questionnaire = questionnaire
        sheet.version = version
        sheet.completedAt = Instant.start.plus(hours: completed)
        sheet.skewMs = 0
        sheet.correctedCompletedAt = sheet.completedAt
        sheet.zone = zone
        sheet.refersTo = about
        sheet.answers.numbers = [number, nil]
        return sheet
    }

    private static func with(
        _ body: (StoreFixture, EnrolmentID) async throws -> Void
    ) async throws {
        try await StoreFixture.with { fixture in try await body(fixture, try await fixture.enrol().id) }
    }

    /// All sheets of a list, in pages of two.
    private static func pages(
        _ fixture: StoreFixture, _ id: EnrolmentID, _ filter: SheetFilter = SheetFilter(),
        order: SheetOrder = .received
    ) async throws -> [SheetID] {
        var listed: [StoredSheet] = []
        while true {
            let page = try await fixture.store.listSheets(
                id, filter, order: order, before: listed.last.map { (order.key(of: $0), $0.id) }, limit: 2)
            listed += page
            if page.count < 2 { return listed.map(\.id) }
        }
    }

    @Test func `each order lists every sheet once, the newest first`() async throws {
        try await Self.with { fixture, id in
            // Completed in another order than received; two have the same date, and two have none.
            let sheets = [
                Self.sheet(id, completed: 5, received: 6, number: 20_000),
                Self.sheet(id, completed: 1, received: 7, number: 20_002),
                Self.sheet(id, completed: 3, received: 8),
                Self.sheet(id, completed: 3, received: 9, number: 20_000),
                Self.sheet(id, completed: 2, received: 9),
            ]
            _ = try await fixture.store.submit(sheets)
            func sorted(_ keys: [Double]) -> [SheetID] {
                zip(keys, sheets.map(\.sheet)).sorted { ($0.0, $0.1) > ($1.0, $1.1) }.map(\.1)
            }

            #expect(try await Self.pages(fixture, id) == sorted([6, 7, 8, 9, 9]))
            #expect(try await Self.pages(fixture, id, order: .completed) == sorted([5, 1, 3, 3, 2]))
            #expect(
                try await Self.pages(fixture, id, order: .number(positions: ["1.0.0": 0]))
                    == sorted([20_000, 20_002, -.infinity, 20_000, -.infinity]))
        }
    }

    @Test func `the number of an item is found in each version of the questionnaire`() async throws {
        try await Self.with { fixture, id in
            var second = Self.sheet(id, completed: 2, version: "2.0.0")
            second.answers.numbers = [1, 20_005]
            let sheets = [
                Self.sheet(id, completed: 1, number: 20_001), second,
                Self.sheet(id, completed: 3, version: "3.0.0", number: 20_009),
            ]
            _ = try await fixture.store.submit(sheets)

            let listed = try await Self.pages(
                fixture, id, order: .number(positions: ["1.0.0": 0, "2.0.0": 1]))

            #expect(listed == [second.sheet, sheets[0].sheet, sheets[2].sheet])
        }
    }

    @Test func `filters select by questionnaire, local date, link and id`() async throws {
        try await Self.with { fixture, id in
            let honolulu = try zone("Pacific/Honolulu")
            let mood = Self.sheet(id, completed: 0)
            // 08:30 UTC on the next day is still the 21st in Honolulu.
            let evening = Self.sheet(id, completed: 24, zone: honolulu)
            let page = Self.sheet(id, completed: 24, of: "page", about: mood.sheet)
            _ = try await fixture.store.submit([mood, evening, page])
            let (first, next) = (try date("2026-11-21"), try date("2026-11-22"))

            #expect(
                try await Self.pages(fixture, id, SheetFilter(questionnaire: "mood"))
                    == [evening.sheet, mood.sheet])
            #expect(try await Self.pages(fixture, id, SheetFilter(from: next)) == [page.sheet])
            #expect(try await Self.pages(fixture, id, SheetFilter(to: first)) == [evening.sheet, mood.sheet])
            #expect(try await Self.pages(fixture, id, SheetFilter(refersTo: mood.sheet)) == [page.sheet])
            #expect(try await Self.pages(fixture, id, SheetFilter(ids: [mood.sheet])) == [mood.sheet])
            #expect(try await Self.pages(fixture, id, SheetFilter(ids: [])) == [])
        }
    }

    @Test func `a stored sheet has its link, its source and its local date`() async throws {
        try await Self.with { fixture, id in
            let mood = SheetID(UUID())
            let sheet = Self.sheet(id, completed: 24, about: mood, zone: try zone("Pacific/Honolulu"))
            _ = try await fixture.store.submit([sheet])

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))

            #expect(stored.refersTo == mood && stored.source == "participant")
            #expect(stored.localDate == (try date("2026-11-21")) && sheet.localDate == stored.localDate)
        }
    }

    @Test func `the newest sheet of each questionnaire is the last completed one that counts`() async throws {
        try await withEvening { fixture, id, evening in
            let late = Self.sheet(id, completed: 5, received: 6)
            let early = Self.sheet(id, completed: 4, received: 9)
            let page = Self.sheet(id, completed: 1, of: "page")
            let deleted = Self.sheet(id, completed: 9)
            var duplicate = Self.sheet(id, completed: 10)
            duplicate.occasion = evening.id
            var fulfilling = Self.sheet(id, completed: 3)
            fulfilling.occasion = evening.id
            _ = try await fixture.store.submit([late, early, page, deleted, fulfilling])
            _ = try await fixture.store.submit([duplicate])
            _ = try await fixture.store.deleteSheet(
                id, deleted.sheet, now: .start, audit: StoreFixture.entry()
            ) { _ in }

            #expect(
                Set(try await fixture.store.listNewestSheets(id)) == [late.sheet, page.sheet])
            #expect(try await fixture.store.listNewestSheets(id, of: ["page", "none"]) == [page.sheet])
            #expect(
                try await fixture.store.listNewestSheets(id, SheetFilter(from: try date("2026-11-22"))) == [])
        }
    }

    private func date(_ text: String) throws -> LocalDate { try #require(LocalDate(text)) }
}
