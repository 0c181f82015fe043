import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct SheetBatchTests {
    static let enrolment = EnrolmentID(UUID())
    static let occasion = OccasionID(UUID())
    static let place = SheetBatch.Place(enrolment: enrolment, occasion: occasion)

    static func sheet(
        _ id: SheetID = SheetID(UUID()), body: String = "body", placed: Bool = true, completes: Bool = true,
        of enrolment: EnrolmentID = enrolment
    ) -> SheetSubmission {
        .make(enrolment, placed ? occasion : nil, id: id, body: body, completes: completes)
    }

    /// The occasion is there and free unless said otherwise. Of sheets without an occasion nothing is known before they are written.
    static func receipts(
        _ sheets: [SheetSubmission], stored: [SheetBatch.Key: [UInt8]] = [:],
        settled: [SheetBatch.Place: SheetID?] = [place: nil]
    ) throws -> [SheetReceipt] {
        let placed = Set(sheets.filter { $0.occasion != nil }.map { SheetBatch.Key($0) })
        let batch = SheetBatch(sheets, stored: placed.intersection(stored.keys), settled: settled)
        let written = zip(sheets, batch.steps).filter { $0.1 != .gone && $0.1 != .compare }.map { $0.0 }
        #expect(Set(written.map { SheetBatch.Key($0) }).count == written.count, "each is written once")
        return try batch.receipts(found: stored)
    }

    @Test func `a new sheet for a free occasion is stored`() throws {
        #expect(try Self.receipts([Self.sheet()]) == [.stored(duplicateOf: nil)])
    }

    @Test func `the second sheet for an occasion is a duplicate of the first, in one batch as in two`() throws
    {
        let first = Self.sheet()
        #expect(
            try Self.receipts([first, Self.sheet(), Self.sheet()])
                == [
                    .stored(duplicateOf: nil), .stored(duplicateOf: first.sheet),
                    .stored(duplicateOf: first.sheet),
                ])
        #expect(
            try Self.receipts([Self.sheet()], settled: [Self.place: first.sheet]) == [
                .stored(duplicateOf: first.sheet)
            ])
    }

    @Test func `a sheet that does not complete leaves the occasion free for the next`() throws {
        let early = Self.sheet(completes: false)
        let other = Self.sheet(completes: false)
        let right = Self.sheet()
        #expect(
            try Self.receipts([early, other, right, Self.sheet()])
                == [
                    .stored(duplicateOf: nil), .stored(duplicateOf: nil), .stored(duplicateOf: nil),
                    .stored(duplicateOf: right.sheet),
                ])
    }

    @Test
    func `a known sheet is replayed, and with another body a conflict, whatever became of its occasion`()
        throws
    {
        let sheet = Self.sheet()
        let known = [SheetBatch.Key(enrolment: Self.enrolment, sheet: sheet.sheet): sheet.digest]
        for settled in [[Self.place: nil], [Self.place: sheet.sheet], [:]] as [[SheetBatch.Place: SheetID?]] {
            #expect(try Self.receipts([sheet], stored: known, settled: settled) == [.replayed])
            #expect(
                try Self.receipts([sheet.with(body: "other")], stored: known, settled: settled) == [.conflict]
            )
        }
    }

    @Test func `copies in one batch are one sheet, and the first body counts`() throws {
        let sheet = Self.sheet()
        #expect(
            try Self.receipts([sheet, sheet, sheet.with(body: "other"), sheet])
                == [.stored(duplicateOf: nil), .replayed, .conflict, .replayed])
    }

    @Test func `an occasion that is not there any more takes nothing, and a sheet without one needs none`()
        throws
    {
        #expect(try Self.receipts([Self.sheet()], settled: [:]) == [.gone])
        #expect(try Self.receipts([Self.sheet(placed: false)], settled: [:]) == [.stored(duplicateOf: nil)])
    }

    @Test func `the same ids under another enrolment are other sheets`() throws {
        let sheet = Self.sheet(placed: false)
        let namesake = Self.sheet(sheet.sheet, body: "other", placed: false, of: EnrolmentID(UUID()))
        #expect(
            try Self.receipts([sheet, namesake]) == [.stored(duplicateOf: nil), .stored(duplicateOf: nil)])
    }

    @Test
    func `whoever sends again what stands there is replayed, though another body came before in the batch`()
        throws
    {
        for placed in [true, false] {
            let first = Self.sheet(placed: placed)
            let known = [SheetBatch.Key(first): first.digest]
            #expect(
                try Self.receipts(
                    [first.with(body: "other"), first, first.with(body: "third")], stored: known)
                    == [.conflict, .replayed, .conflict])
        }
    }

    @Test
    func `a sheet that appears or vanishes between the look and the writing is a race where it could matter`()
        throws
    {
        let placed = Self.sheet()
        let key = SheetBatch.Key(placed)
        let unknown = SheetBatch([placed], settled: [Self.place: nil])
        #expect(throws: SheetRace.self) { try unknown.receipts(found: [key: placed.digest]) }
        let known = SheetBatch([placed], stored: [key], settled: [Self.place: nil])
        #expect(throws: SheetRace.self) { try known.receipts(found: [:]) }
        let free = Self.sheet(placed: false)
        #expect(try SheetBatch([free]).receipts(found: [SheetBatch.Key(free): free.digest]) == [.replayed])
    }

    @Test func `a sheet that is there already takes no occasion from the next`() throws {
        let deleted = Self.sheet()
        let next = Self.sheet()
        #expect(
            try Self.receipts([deleted, next], stored: [SheetBatch.Key(deleted): deleted.digest])
                == [.replayed, .stored(duplicateOf: nil)])
    }
}
