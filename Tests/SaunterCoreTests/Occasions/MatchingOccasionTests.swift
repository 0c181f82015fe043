import Foundation
import Testing

@testable import SaunterCore

@Suite("Matching occasion")
struct MatchingOccasionTests {
    private static let open = Instant(milliseconds: 1_777_000_000_000)
    private static let first = WalkID(UUID())
    private static let second = WalkID(UUID())

    private static func schedule(_ id: String, _ anchor: Anchor) -> Schedule {
        Schedule(
            id: id, questionnaire: "felt", anchor: anchor, recurrence: .once,
            slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 7200, closeAfter: 14400)])
    }

    /// Open for four hours.
    private static func occasion(
        _ schedule: String = "after_walk", after instance: String, opens: Int = 0,
        exclusion: OccasionExclusion? = nil
    ) -> Occasion {
        var occasion = Sample.occasion(
            of: "felt", schedule: schedule, open: open.adding(seconds: opens), exclusion: exclusion)
        occasion.key.anchorInstance = instance
        occasion.id = occasion.key.id(of: Sample.enrolment)
        return occasion
    }

    private func choice(
        _ occasions: [Occasion], after walk: WalkID? = nil, of questionnaire: String = "felt",
        at seconds: Int = 60
    ) -> Occasion? {
        occasions.matchingOccasion(
            for: questionnaire, completedAt: Self.open.adding(seconds: seconds), after: walk,
            schedules: [
                Self.schedule("after_walk", .walk), Self.schedule("daily", .enrolment),
                Self.schedule("echo", .completion(questionnaire: "felt")),
            ])
    }

    @Test func `a sheet that names a walk belongs to the occasion of that walk`() {
        let occasions = [Self.first, Self.second].map { Self.occasion(after: $0.description) }

        #expect(choice(occasions, after: Self.first) == occasions[0])
        #expect(choice(occasions, after: Self.second) == occasions[1])
        #expect(choice(occasions) == occasions[0])
    }

    @Test(
        arguments: [
            ("that has none", []),
            ("whose occasion is not open yet", [occasion(after: second.description, opens: 3600)]),
            ("whose occasion is closed", [occasion(after: second.description, opens: -14400)]),
            (
                "whose occasion is excluded",
                [occasion(after: second.description, exclusion: .cancelled)]
            ),
        ] as [(String, [Occasion])])
    func `a sheet never belongs to the occasion of another walk`(
        _ which: String, _ own: [Occasion]
    ) {
        let other = Self.occasion(after: Self.first.description)
        let formerOccasion = Self.occasion("of_a_former_version", after: Self.first.description)

        #expect(choice([other, formerOccasion] + own, after: Self.second) == nil, "a walk \(which)")
    }

    @Test(arguments: [("daily", ""), ("echo", SheetID(UUID()).description), ("of_a_former_version", "")])
    func `if the walk has no occasion, the sheet belongs to an occasion that follows no walk`(
        _ schedule: String, _ instance: String
    ) {
        let free = Self.occasion(schedule, after: instance)
        let own = Self.occasion(after: Self.second.description)
        let other = Self.occasion(after: Self.first.description)

        #expect(choice([other, free], after: Self.second) == free)
        #expect(choice([other, free, own], after: Self.second) == own)
    }

    @Test func `an unanswered open occasion has priority over an answered one`() {
        var answered = Self.occasion(after: Self.first.description)
        answered.sheetID = SheetID(UUID())
        let waiting = Self.occasion(after: Self.second.description)
        var answeredDaily = Self.occasion("daily", after: "")
        answeredDaily.sheetID = SheetID(UUID())
        let echo = Self.occasion("echo", after: SheetID(UUID()).description)

        #expect(choice([answered, waiting]) == waiting)
        #expect(choice([answered]) == answered)
        #expect(choice([answered, waiting], after: Self.first) == answered)
        #expect(choice([answeredDaily, echo], after: Self.first) == echo)
        #expect(choice([answeredDaily], after: Self.first) == answeredDaily)
    }

    @Test func `the opening is inclusive, the close is exclusive, and the questionnaire must be the same`() {
        let occasions = [Self.occasion(after: Self.first.description)]

        #expect(choice(occasions, at: 0) != nil)
        #expect(choice(occasions, at: 14399) != nil)
        #expect(choice(occasions, at: -1) == nil)
        #expect(choice(occasions, at: 14400) == nil)
        #expect(choice(occasions, of: "other") == nil)
        #expect(choice([Self.occasion(after: "", exclusion: .paused)]) == nil)
    }
}
