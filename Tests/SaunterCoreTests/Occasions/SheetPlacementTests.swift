import Foundation
import Testing

@testable import SaunterCore

@Suite("Sheet placement")
struct SheetPlacementTests {
    private static let open = Instant(milliseconds: 1_777_000_000_000)
    private static let walk = WalkID(UUID())

    /// Due after two hours, open for four.
    private static func occasion(
        after instance: String = Self.walk.description, exclusion: OccasionExclusion? = nil
    ) -> Occasion {
        var occasion = Sample.occasion(of: "felt", schedule: "after_walk", open: open, exclusion: exclusion)
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

    @Test func `the first sheet fulfils the occasion of its walk, and the others are duplicates`() {
        let occasion = Self.occasion()
        let sheets = [Self.sheet(at: 9000), Self.sheet(at: 60)]

        let placements = [occasion].placements(of: sheets)

        #expect(placements.map(\.sheet) == sheets.map(\.id))
        #expect(placements.map(\.occasion) == [occasion.id, occasion.id])
        #expect(placements.map(\.timeliness) == [.late, .onTime])
        #expect(placements.map(\.lateS) == [1800, nil])
        #expect(placements.map(\.duplicateOf) == [nil, sheets[0].id])
        #expect(placements.map(\.completedAt) == sheets.map(\.completedAt))
    }

    @Test func `a sheet for an occasion that is already fulfilled is a duplicate`() {
        var occasion = Self.occasion()
        occasion.sheetID = SheetID(UUID())

        #expect([occasion].placements(of: [Self.sheet(at: 60)]).map(\.duplicateOf) == [occasion.sheetID])
    }

    @Test func `a sheet is matched only with open occasions of its walk`() {
        let own = Self.occasion()
        let other = Self.occasion(after: WalkID(UUID()).description)
        let daily = Self.occasion(after: "")

        #expect([own].placements(of: [Self.sheet(at: 4 * 3600)]).isEmpty)
        #expect([own].placements(of: [Self.sheet(at: -1)]).isEmpty)
        #expect([own].placements(of: [Self.sheet(at: 60, of: "other")]).isEmpty)
        #expect([Self.occasion(exclusion: .cancelled)].placements(of: [Self.sheet(at: 60)]).isEmpty)
        #expect([other, daily].placements(of: [Self.sheet(at: 60)]).isEmpty)
        #expect([other, daily, own].placements(of: [Self.sheet(at: 60)]).map(\.occasion) == [own.id])
    }
}
