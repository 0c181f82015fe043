import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct SheetBatchTests {
    static let enrolment = EnrolmentID(UUID())
    static let occasion = OccasionID(UUID())
    static let occasionKey = SheetBatch.OccasionKey(enrolment: enrolment, occasion: occasion)

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
        _ sheets: [SheetSubmission], stored: [RecordKey: [UInt8]] = [:],
        fulfilled: [SheetBatch.OccasionKey: SheetID?] = [occasionKey: nil]
    ) -> [StorageReceipt] {
        let withOccasion = Set(sheets.filter { $0.occasion != nil }.map { $0.key })
        let batch = SheetBatch(sheets, stored: withOccasion.intersection(stored.keys), fulfilled: fulfilled)
        let written = zip(sheets, batch.steps).filter { $0.1 != .gone && $0.1 != .compare }.map { $0.0 }
        #expect(Set(written.map { $0.key }).count == written.count, "each is written once")
        return batch.receipts(found: stored)
    }

    @Test func `a new sheet for an open occasion is stored`() {
        #expect(Self.receipts([Self.sheet()]) == [.stored])
    }

    @Test func `the second sheet for an occasion is a duplicate of the first, in one batch and in two`() {
        let first = Self.sheet()
        #expect(
            Self.receipts([first, Self.sheet(), Self.sheet()])
                == [
                    .stored, .duplicate(of: first.sheet),
                    .duplicate(of: first.sheet),
                ])
        #expect(
            Self.receipts([Self.sheet()], fulfilled: [Self.occasionKey: first.sheet]) == [
                .duplicate(of: first.sheet)
            ])
    }

    @Test func `an entry that settles is stored without the occasion if another sheet has fulfilled it`() {
        var entry = Self.sheet()
        entry.yieldsOccasion = true
        var second = Self.sheet()
        second.yieldsOccasion = true

        let batch = SheetBatch([entry, second], fulfilled: [Self.occasionKey: nil])

        #expect(batch.receipts(found: [:]) == [.stored, .stored])
        #expect(batch.submissions.map(\.occasion) == [Self.occasion, nil])
        #expect(batch.submissions[1].timeliness == .unscheduled && !batch.submissions[1].fulfilsOccasion)
        #expect(batch.submissions[1].lateS == nil)
    }

    @Test func `a sheet that does not complete its occasion leaves it open for the next sheet`() {
        let early = Self.sheet(fulfilsOccasion: false)
        let other = Self.sheet(fulfilsOccasion: false)
        let right = Self.sheet()
        #expect(
            Self.receipts([early, other, right, Self.sheet()])
                == [
                    .stored, .stored, .stored,
                    .duplicate(of: right.sheet),
                ])
    }

    @Test
    func `a known sheet is a replay, or a conflict if its body differs, regardless of its occasion`() {
        let sheet = Self.sheet()
        let known = [sheet.key: sheet.digest]
        for fulfilled in [[Self.occasionKey: nil], [Self.occasionKey: sheet.sheet], [:]]
            as [[SheetBatch.OccasionKey: SheetID?]]
        {
            #expect(Self.receipts([sheet], stored: known, fulfilled: fulfilled) == [.replayed])
            #expect(
                Self.receipts([sheet.with(body: "other")], stored: known, fulfilled: fulfilled) == [
                    .conflict
                ]
            )
        }
    }

    @Test func `copies in one batch are one sheet, and the first body is stored`() {
        let sheet = Self.sheet()
        #expect(
            Self.receipts([sheet, sheet, sheet.with(body: "other"), sheet])
                == [.stored, .replayed, .conflict, .replayed])
    }

    @Test func `a missing occasion accepts no sheet, and a sheet without an occasion needs none`() {
        #expect(Self.receipts([Self.sheet()], fulfilled: [:]) == [.gone])
        #expect(
            Self.receipts([Self.sheet(hasOccasion: false)], fulfilled: [:]) == [.stored]
        )
    }

    @Test func `the same ids under another enrolment are other sheets`() {
        let sheet = Self.sheet(hasOccasion: false)
        let sameID = Self.sheet(sheet.sheet, body: "other", hasOccasion: false, of: EnrolmentID(UUID()))
        #expect(
            Self.receipts([sheet, sameID]) == [.stored, .stored])
    }

    @Test
    func `the stored body is replayed, although another body came before it in the batch`() {
        for hasOccasion in [true, false] {
            let first = Self.sheet(hasOccasion: hasOccasion)
            let known = [first.key: first.digest]
            #expect(
                Self.receipts(
                    [first.with(body: "other"), first, first.with(body: "third")], stored: known)
                    == [.conflict, .replayed, .conflict])
        }
    }

    @Test func `an erased enrolment accepts no sheet, and the other sheets of the batch are stored`() {
        let erased = EnrolmentID(UUID())
        let sheets = [
            Self.sheet(hasOccasion: false, of: erased), Self.sheet(hasOccasion: false),
            Self.sheet(of: erased),
        ]
        let batch = SheetBatch(sheets) { $0 != erased }
        #expect(batch.receipts(found: [:]) == [.gone, .stored, .gone])
    }

    @Test func `a sheet that is already stored does not fulfil the occasion of the next sheet`() {
        let deleted = Self.sheet()
        let next = Self.sheet()
        #expect(
            Self.receipts([deleted, next], stored: [deleted.key: deleted.digest])
                == [.replayed, .stored])
    }
}
