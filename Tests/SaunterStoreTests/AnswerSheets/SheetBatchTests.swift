import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct SheetBatchTests {
    static let enrolment = EnrolmentID(UUID())
    static let occasion = OccasionID(UUID())
    static let lockedOccasion = SheetBatch.LockedOccasion(enrolment: enrolment, occasion: occasion)

    static func sheet(
        _ id: SheetID = SheetID(UUID()), body: String = "body", hasOccasion: Bool = true,
        fulfilsOccasion: Bool = true,
        of enrolment: EnrolmentID = enrolment
    ) -> SheetSubmission {
        .make(enrolment, hasOccasion ? occasion : nil, id: id, body: body, fulfilsOccasion: fulfilsOccasion)
    }

    /// The occasion exists and is open unless given otherwise. Sheets without an occasion are not looked up before
    /// writing.
    static func receipts(
        _ sheets: [SheetSubmission], stored: [SheetBatch.Key: [UInt8]] = [:],
        fulfilled: [SheetBatch.LockedOccasion: SheetID?] = [lockedOccasion: nil]
    ) throws -> [SheetReceipt] {
        let withOccasion = Set(sheets.filter { $0.occasion != nil }.map { SheetBatch.Key($0) })
        let batch = SheetBatch(sheets, stored: withOccasion.intersection(stored.keys), fulfilled: fulfilled)
        let written = zip(sheets, batch.steps).filter { $0.1 != .gone && $0.1 != .compare }.map { $0.0 }
        #expect(Set(written.map { SheetBatch.Key($0) }).count == written.count, "each is written once")
        return try batch.receipts(found: stored)
    }

    @Test func `a new sheet for an open occasion is stored`() throws {
        #expect(try Self.receipts([Self.sheet()]) == [.stored(duplicateOf: nil)])
    }

    @Test func `the second sheet for an occasion is a duplicate of the first, in one batch and in two`()
        throws
    {
        let first = Self.sheet()
        #expect(
            try Self.receipts([first, Self.sheet(), Self.sheet()])
                == [
                    .stored(duplicateOf: nil), .stored(duplicateOf: first.sheet),
                    .stored(duplicateOf: first.sheet),
                ])
        #expect(
            try Self.receipts([Self.sheet()], fulfilled: [Self.lockedOccasion: first.sheet]) == [
                .stored(duplicateOf: first.sheet)
            ])
    }

    @Test func `an entry that settles is stored without the occasion if another sheet has fulfilled it`()
        throws
    {
        var entry = Self.sheet()
        entry.yieldsOccasion = true
        var second = Self.sheet()
        second.yieldsOccasion = true

        let batch = SheetBatch([entry, second], fulfilled: [Self.lockedOccasion: nil])

        #expect(try batch.receipts(found: [:]) == [.stored(duplicateOf: nil), .stored(duplicateOf: nil)])
        #expect(batch.submissions.map(\.occasion) == [Self.occasion, nil])
        #expect(batch.submissions[1].timeliness == .unscheduled && !batch.submissions[1].fulfilsOccasion)
        #expect(batch.submissions[1].lateS == nil)
    }

    @Test func `a sheet that does not complete its occasion leaves it open for the next sheet`() throws {
        let early = Self.sheet(fulfilsOccasion: false)
        let other = Self.sheet(fulfilsOccasion: false)
        let right = Self.sheet()
        #expect(
            try Self.receipts([early, other, right, Self.sheet()])
                == [
                    .stored(duplicateOf: nil), .stored(duplicateOf: nil), .stored(duplicateOf: nil),
                    .stored(duplicateOf: right.sheet),
                ])
    }

    @Test
    func `a known sheet is a replay, or a conflict if its body differs, regardless of its occasion`()
        throws
    {
        let sheet = Self.sheet()
        let known = [SheetBatch.Key(enrolment: Self.enrolment, sheet: sheet.sheet): sheet.digest]
        for fulfilled in [[Self.lockedOccasion: nil], [Self.lockedOccasion: sheet.sheet], [:]]
            as [[SheetBatch.LockedOccasion: SheetID?]]
        {
            #expect(try Self.receipts([sheet], stored: known, fulfilled: fulfilled) == [.replayed])
            #expect(
                try Self.receipts([sheet.with(body: "other")], stored: known, fulfilled: fulfilled) == [
                    .conflict
                ]
            )
        }
    }

    @Test func `copies in one batch are one sheet, and the first body is stored`() throws {
        let sheet = Self.sheet()
        #expect(
            try Self.receipts([sheet, sheet, sheet.with(body: "other"), sheet])
                == [.stored(duplicateOf: nil), .replayed, .conflict, .replayed])
    }

    @Test func `a missing occasion accepts no sheet, and a sheet without an occasion needs none`()
        throws
    {
        #expect(try Self.receipts([Self.sheet()], fulfilled: [:]) == [.gone])
        #expect(
            try Self.receipts([Self.sheet(hasOccasion: false)], fulfilled: [:]) == [.stored(duplicateOf: nil)]
        )
    }

    @Test func `the same ids under another enrolment are other sheets`() throws {
        let sheet = Self.sheet(hasOccasion: false)
        let sameID = Self.sheet(sheet.sheet, body: "other", hasOccasion: false, of: EnrolmentID(UUID()))
        #expect(
            try Self.receipts([sheet, sameID]) == [.stored(duplicateOf: nil), .stored(duplicateOf: nil)])
    }

    @Test
    func `the stored body is replayed, although another body came before it in the batch`()
        throws
    {
        for hasOccasion in [true, false] {
            let first = Self.sheet(hasOccasion: hasOccasion)
            let known = [SheetBatch.Key(first): first.digest]
            #expect(
                try Self.receipts(
                    [first.with(body: "other"), first, first.with(body: "third")], stored: known)
                    == [.conflict, .replayed, .conflict])
        }
    }

    @Test
    func `a sheet that is inserted or deleted between read and write is a race, unless it has no occasion`()
        throws
    {
        let sheet = Self.sheet()
        let key = SheetBatch.Key(sheet)
        let unknown = SheetBatch([sheet], fulfilled: [Self.lockedOccasion: nil])
        #expect(throws: ConcurrentSheetWrite.self) { try unknown.receipts(found: [key: sheet.digest]) }
        let known = SheetBatch([sheet], stored: [key], fulfilled: [Self.lockedOccasion: nil])
        #expect(throws: ConcurrentSheetWrite.self) { try known.receipts(found: [:]) }
        let free = Self.sheet(hasOccasion: false)
        #expect(try SheetBatch([free]).receipts(found: [SheetBatch.Key(free): free.digest]) == [.replayed])
    }

    @Test func `a sheet that is already stored does not fulfil the occasion of the next sheet`() throws {
        let deleted = Self.sheet()
        let next = Self.sheet()
        #expect(
            try Self.receipts([deleted, next], stored: [SheetBatch.Key(deleted): deleted.digest])
                == [.replayed, .stored(duplicateOf: nil)])
    }
}
