import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct SubmissionTests {
    @Test func `a stored sheet equals the submitted one and fulfils its occasion`() async throws {
        try await withEvening { fixture, id, evening in
            let sheet = SheetSubmission.make(id, evening.id, text: "ruhig \u{1F642}\n\"quoted\"")

            let receipts = try await fixture.store.submit([sheet])

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(receipts == [.stored])
            #expect(stored.revision == 1)
            #expect(stored.occasion == evening.id)
            #expect(stored.answers == sheet.answers)
            #expect(stored.scores == sheet.scores)
            #expect(stored.timeliness == .onTime)
            #expect(stored.startedAt == sheet.startedAt)
            #expect(stored.completedAt == sheet.completedAt)
            #expect(stored.receivedAt == sheet.receivedAt)
            #expect(stored.deletedAt == nil)
            let settled = try await fixture.occasions(of: id).first { $0.id == evening.id }
            #expect(settled?.sheetID == sheet.sheet)
            #expect(settled?.completedAt == sheet.correctedCompletedAt)
        }
    }

    @Test func `each of many sheets keeps its own scores and values`() async throws {
        try await withEvening { fixture, id, evening in
            func score(_ scale: String, _ exclusion: String?, _ standardError: Double?) -> Score {
                Score(
                    scale: scale, value: exclusion == nil ? 50 : nil,
                    reason: exclusion.map { _ in .excluded }, band: nil, itemCount: 2, answeredCount: 2,
                    imputedCount: 0, exclusion: exclusion, standardError: standardError)
            }
            var sheets = [
                SheetSubmission.make(id, evening.id), .make(id, text: "none"), .make(id),
            ]
            sheets[0].scores = [score("a", nil, 2.5), score("b", "too_young", nil)]
            sheets[0].covariates = #"{"sex":"female"}"#
            sheets[1].scores = []
            sheets[2].scores = [score("c", nil, 0.25)]
            sheets[2].keyVersion = "2"

            _ = try await fixture.store.submit(sheets)

            for sheet in sheets {
                #expect(try await fixture.store.findSheet(id, sheet.sheet)?.scores == sheet.scores)
            }
            let stored: [String] = try await fixture.values(
                "select concat_ws(' ', scale, key_version, coalesce(covariates, '-')) as value from research.score order by scale"
            )
            #expect(stored == [#"a 1 {"sex":"female"}"#, #"b 1 {"sex":"female"}"#, "c 2 -"])
        }
    }

    @Test func `the same body again is a replay and changes nothing`() async throws {
        try await withEvening { fixture, id, evening in
            let sheet = SheetSubmission.make(id, evening.id)
            _ = try await fixture.store.submit([sheet])
            var late = sheet
            late.receivedAt = Instant.start.plus(days: 3)

            #expect(try await fixture.store.submit([late]) == [.replayed])

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.receivedAt == .start)
            #expect(try await fixture.count("research.answer_sheet") == 1)
            #expect(try await fixture.count("research.answer_text") == 1)
            #expect(try await fixture.count("research.score") == 1)
        }
    }

    @Test func `another body under the same id is a conflict: the first is kept, the other is quarantined`()
        async throws
    {
        try await withEvening { fixture, id, evening in
            let sheet = SheetSubmission.make(id, evening.id, body: "first")
            _ = try await fixture.store.submit([sheet])

            #expect(try await fixture.store.submit([sheet.with(body: "second")]) == [.conflict])
            #expect(try await fixture.store.submit([sheet.with(body: "second")]) == [.conflict])
            #expect(try await fixture.store.submit([sheet]) == [.replayed])

            let bodies: [[UInt8]] = try await fixture.values("select body as value from research.quarantine")
            #expect(bodies == [Array(#""second""#.utf8)])
            #expect(try await fixture.count("research.answer_sheet") == 1)
        }
    }

    @Test func `a second device's sheet is stored as a duplicate, and the first one still counts`()
        async throws
    {
        try await withEvening { fixture, id, evening in
            let first = SheetSubmission.make(id, evening.id)
            let second = SheetSubmission.make(id, evening.id)
            _ = try await fixture.store.submit([first])

            #expect(try await fixture.store.submit([second]) == [.duplicate(of: first.sheet)])
            #expect(try await fixture.store.submit([second]) == [.replayed])

            #expect(try await fixture.store.findSheet(id, second.sheet)?.duplicateOf == first.sheet)
            #expect(try await fixture.occasions(of: id).first { $0.id == evening.id }?.sheetID == first.sheet)
        }
    }

    @Test
    func
        `early and late sheets that do not count are stored, and the sheet on time still fulfils the occasion`()
        async throws
    {
        try await withEvening { fixture, id, evening in
            let early = [1, 2].map { _ in
                SheetSubmission.make(id, evening.id, fulfilsOccasion: false, timeliness: .early)
            }
            let right = SheetSubmission.make(id, evening.id)

            let after = SheetSubmission.make(id, evening.id, fulfilsOccasion: false, timeliness: .outOfWindow)
            var receipts: [StorageReceipt] = []
            for sheet in early + [right, after] { receipts += try await fixture.store.submit([sheet]) }

            let kept = StorageReceipt.stored
            #expect(receipts == [kept, kept, kept, .duplicate(of: right.sheet)])

            #expect(try await fixture.occasions(of: id).first { $0.id == evening.id }?.sheetID == right.sheet)
            #expect(try await fixture.count("research.answer_sheet") == 4)
        }
    }

    @Test func `a batch returns one receipt per sheet, in order`() async throws {
        try await withEvening { fixture, id, evening in
            let known = SheetSubmission.make(id, body: "known")
            let taken = SheetSubmission.make(id, body: "taken")
            _ = try await fixture.store.submit([known, taken])
            let fulfilling = SheetSubmission.make(id, evening.id)

            let receipts = try await fixture.store.submit([
                .make(id), known, taken.with(body: "other"), fulfilling, .make(id, evening.id), known,
                .make(id, OccasionID(UUID())),
            ])

            #expect(
                receipts == [
                    .stored, .replayed, .conflict, .stored,
                    .duplicate(of: fulfilling.sheet), .replayed, .gone,
                ])
        }
    }

    @Test func `an occasion of another participant cannot be fulfilled`() async throws {
        try await withEvening { fixture, id, _ in
            let other = try await fixture.enrol().id
            let otherOccasion = try #require(try await fixture.evenings(of: other).first)

            let receipts = try await fixture.store.submit([.make(id, otherOccasion.id)])

            #expect(receipts == [.gone])
            #expect(try await fixture.occasions(of: other).allSatisfy { $0.sheetID == nil })
        }
    }

    @Test func `an empty batch writes nothing`() async throws {
        try await withEvening { fixture, _, _ in
            let none: [SheetSubmission] = []
            let receipts = try await fixture.store.submit(none)
            #expect(receipts == [])
        }
    }

    @Test func `timings are stored digit for digit`() async throws {
        try await withEvening { fixture, id, _ in
            var sheet = SheetSubmission.make(id)
            sheet.timings = try JSONReader.read(#"{"b": 1e300, "a": 0.10, "b2": "x\n"}"#)
            _ = try await fixture.store.submit([sheet])

            let text: String = try await fixture.value(
                "select timings::text as value from research.answer_sheet")
            #expect(try JSONReader.read(text) == sheet.timings)
        }
    }

    @Test func `sheets are listed in pages, the last received first, without deleted ones`()
        async throws
    {
        try await withEvening { fixture, id, _ in
            let sheets = (0..<5).map {
                SheetSubmission.make(id, receivedAt: Instant.start.plus(hours: $0 / 2))
            }
            _ = try await fixture.store.submit(sheets)
            _ = try await fixture.store.deleteSheet(
                id, sheets[3].sheet, now: .start, audit: StoreFixture.entry()
            ) { _ in }

            var listed: [StoredSheet] = []
            while true {
                let last = listed.last.map { (SheetOrder.received.key(of: $0), $0.id) }
                let page = try await fixture.store.listSheets(id, before: last, limit: 2)
                listed += page
                if page.count < 2 { break }
            }

            #expect(listed.count == 4)
            #expect(Set(listed.map(\.id)) == Set([0, 1, 2, 4].map { sheets[$0].sheet }))
            #expect(listed.map(\.receivedAt) == listed.map(\.receivedAt).sorted(by: >))
            #expect(listed.allSatisfy { $0.answers.texts == ["note": "calm"] && $0.scores.count == 1 })
        }
    }
}

/// An enrolment and the first evening occasion of its plan.
func withEvening(
    connections: Int = 4, _ body: (StoreFixture, EnrolmentID, Occasion) async throws -> Void
) async throws {
    try await StoreFixture.with(connections: connections) { fixture in
        let id = try await fixture.enrol().id
        try await body(fixture, id, #require(try await fixture.evenings(of: id).first))
    }
}
