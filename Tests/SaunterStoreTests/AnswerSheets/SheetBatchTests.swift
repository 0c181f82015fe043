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

    /// The occasion is there and free unless said otherwise.
    static func receipts(
        _ sheets: [SheetSubmission], stored: [SheetBatch.Key: [UInt8]] = [:],
        settled: [SheetBatch.Place: SheetID?] = [place: nil]
    ) -> [SheetReceipt] {
        var batch = SheetBatch(stored: stored, settled: settled)
        return batch.receipts(for: sheets)
    }

    @Test func `a new sheet for a free occasion is stored`() {
        #expect(Self.receipts([Self.sheet()]) == [.stored(duplicateOf: nil)])
    }

    @Test func `the second sheet for an occasion is a duplicate of the first, in one batch as in two`() {
        let first = Self.sheet()
        #expect(
            Self.receipts([first, Self.sheet(), Self.sheet()])
                == [
                    .stored(duplicateOf: nil), .stored(duplicateOf: first.sheet),
                    .stored(duplicateOf: first.sheet),
                ])
        #expect(
            Self.receipts([Self.sheet()], settled: [Self.place: first.sheet]) == [
                .stored(duplicateOf: first.sheet)
            ])
    }

    @Test func `a sheet that does not complete leaves the occasion free for the next`() {
        let early = Self.sheet(completes: false)
        let other = Self.sheet(completes: false)
        let right = Self.sheet()
        #expect(
            Self.receipts([early, other, right, Self.sheet()])
                == [
                    .stored(duplicateOf: nil), .stored(duplicateOf: nil), .stored(duplicateOf: nil),
                    .stored(duplicateOf: right.sheet),
                ])
    }

    @Test
    func `a known sheet is replayed, and with another body a conflict, whatever became of its occasion`() {
        let sheet = Self.sheet()
        let known = [SheetBatch.Key(enrolment: Self.enrolment, sheet: sheet.sheet): sheet.digest]
        for settled in [[Self.place: nil], [Self.place: sheet.sheet], [:]] as [[SheetBatch.Place: SheetID?]] {
            #expect(Self.receipts([sheet], stored: known, settled: settled) == [.replayed])
            #expect(
                Self.receipts([sheet.with(body: "other")], stored: known, settled: settled) == [.conflict])
        }
    }

    @Test func `copies in one batch are one sheet, and the first body counts`() {
        let sheet = Self.sheet()
        #expect(
            Self.receipts([sheet, sheet, sheet.with(body: "other"), sheet])
                == [.stored(duplicateOf: nil), .replayed, .conflict, .replayed])
    }

    @Test func `an occasion that is not there any more takes nothing, and a sheet without one needs none`() {
        #expect(Self.receipts([Self.sheet()], settled: [:]) == [.gone])
        #expect(Self.receipts([Self.sheet(placed: false)], settled: [:]) == [.stored(duplicateOf: nil)])
    }

    @Test func `the same ids under another enrolment are other sheets`() {
        let sheet = Self.sheet(placed: false)
        let namesake = Self.sheet(sheet.sheet, body: "other", placed: false, of: EnrolmentID(UUID()))
        #expect(Self.receipts([sheet, namesake]) == [.stored(duplicateOf: nil), .stored(duplicateOf: nil)])
    }
}
