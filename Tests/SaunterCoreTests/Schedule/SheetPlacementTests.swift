import Foundation
import Testing

@testable import SaunterCore

@Suite("Sheet placement")
struct SheetPlacementTests {
    private static let open = Instant(milliseconds: 1_777_000_000_000)
    private static let walk = WalkID(UUID())

    /// Due after two hours, open for four.
    private static func occasion(
        after instance: String = Self.walk.description, setAside: OccasionSetAside? = nil
    ) -> Occasion {
        var occasion = Sample.occasion(of: "felt", schedule: "after_walk", open: open, setAside: setAside)
        occasion.key.anchorInstance = instance
        occasion.id = occasion.key.id(of: Sample.enrolment)
        return occasion
    }

    private static func sheet(
        at seconds: Int, of questionnaire: String = "felt", after walk: WalkID = Self.walk
    ) -> UnplacedSheet {
        UnplacedSheet(
            id: SheetID(UUID()), questionnaire: questionnaire, walk: walk,
            completedAt: open.adding(seconds: seconds))
    }

    @Test func `the first to come settles the occasion of its walk, the others are duplicates`() {
        let occasion = Self.occasion()
        let sheets = [Self.sheet(at: 9000), Self.sheet(at: 60)]

        let placements = [occasion].placements(of: sheets)

        #expect(placements.map(\.sheet) == sheets.map(\.id))
        #expect(placements.map(\.occasion) == [occasion.id, occasion.id])
        #expect(placements.map(\.standing) == [.late, .onTime])
        #expect(placements.map(\.lateS) == [1800, nil])
        #expect(placements.map(\.duplicateOf) == [nil, sheets[0].id])
        #expect(placements.map(\.completedAt) == sheets.map(\.completedAt))
    }

    @Test func `an occasion that was settled meanwhile has a duplicate more`() {
        var occasion = Self.occasion()
        occasion.sheetID = SheetID(UUID())

        #expect([occasion].placements(of: [Self.sheet(at: 60)]).map(\.duplicateOf) == [occasion.sheetID])
    }

    @Test func `what is open for the sheet is taken, of its own walk only`() {
        let own = Self.occasion()
        let other = Self.occasion(after: WalkID(UUID()).description)
        let daily = Self.occasion(after: "")

        #expect([own].placements(of: [Self.sheet(at: 4 * 3600)]).isEmpty)
        #expect([own].placements(of: [Self.sheet(at: -1)]).isEmpty)
        #expect([own].placements(of: [Self.sheet(at: 60, of: "other")]).isEmpty)
        #expect([Self.occasion(setAside: .cancelled)].placements(of: [Self.sheet(at: 60)]).isEmpty)
        #expect([other, daily].placements(of: [Self.sheet(at: 60)]).isEmpty)
        #expect([other, daily, own].placements(of: [Self.sheet(at: 60)]).map(\.occasion) == [own.id])
    }
}
