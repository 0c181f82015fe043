import Testing

@testable import SaunterCore

@Suite struct PublicationEffectTests {
    private let now = Instant(milliseconds: 1_777_000_000_000)

    private func occasion(_ number: Int, hours: Int, schedule: String = "daily") -> Occasion {
        Sample.occasion(number, schedule: schedule, open: now.adding(seconds: hours * 3600))
    }

    private func counts(
        stored: [Occasion], planned: [Occasion], announced: Set<OccasionID> = []
    ) -> PublicationEffect {
        var effect = PublicationEffect()
        effect.add(
            arm: "control", isArmKept: true, currentOccasions: stored,
            difference: reconcile(stored: stored, planned: planned, now: now), alreadyAnnounced: announced,
            now: now)
        return effect
    }

    @Test
    func `the effect of a publication counts moved, cancelled, added and open occasions by schedule and arm`()
    {
        let stored = [
            occasion(1, hours: -1), occasion(2, hours: 5), occasion(3, hours: 6), occasion(4, hours: 7),
        ]
        let planned = [
            occasion(2, hours: 8), occasion(4, hours: 7), occasion(1, hours: 30, schedule: "weekly"),
        ]

        let effect = counts(stored: stored, planned: planned)

        #expect(effect.enrolments == 1)
        #expect(
            effect.lines.map { "\($0.group.schedule) \($0.group.arm)" } == [
                "daily control", "weekly control",
            ])
        #expect(effect.total.moved == 1)
        #expect(effect.total.cancelled == 1)
        #expect(effect.total.added == 1)
        #expect(effect.total.open == 1)
        #expect(effect.total.alreadyAnnounced == 0)
    }

    @Test func `answered and closed occasions are not counted`() {
        var answered = occasion(1, hours: -1)
        answered.completedAt = now
        let over = occasion(2, hours: -9)

        #expect(counts(stored: [answered, over], planned: []).total == PublicationEffect.Counts())
    }

    @Test func `a reinstated occasion counts as added`() {
        var stored = [occasion(1, hours: 5), occasion(2, hours: -9), occasion(3, hours: 6)]
        stored[0].exclusion = .cancelled
        stored[1].exclusion = .cancelled
        let planned = [occasion(1, hours: 5), occasion(2, hours: 7), occasion(3, hours: 8)]

        let total = counts(stored: stored, planned: planned).total

        #expect(total.added == 2)
        #expect(total.moved == 1)
    }

    @Test func `an occasion at an occupied time counts as cancelled`() {
        let stored = [occasion(1, hours: 5)]
        var gone = stored[0]
        gone.exclusion = .cancelled
        var effect = PublicationEffect()

        effect.add(
            arm: "control", isArmKept: true, currentOccasions: stored,
            difference: Reconciliation(move: [gone]), alreadyAnnounced: [gone.id], now: now)

        #expect(effect.total.cancelled == 1)
        #expect(effect.total.moved == 0)
        #expect(effect.total.alreadyAnnounced == 1)
    }

    @Test func `participants in arms that the version does not have are counted`() {
        var effect = PublicationEffect()

        for (arm, isKept) in [("waiting", false), ("control", true), ("waiting", false)] {
            effect.add(
                arm: arm, isArmKept: isKept, currentOccasions: [], difference: Reconciliation(),
                alreadyAnnounced: [], now: now)
        }

        #expect(effect.enrolments == 3)
        #expect(effect.lostArms == ["waiting": 2])
    }

    @Test func `occasions that are moved or cancelled after a daily mail announced them are counted`() {
        let stored = [occasion(1, hours: 5), occasion(2, hours: 6), occasion(3, hours: 7)]
        let planned = [occasion(1, hours: 5 + 48), occasion(2, hours: 7)]

        let total = counts(stored: stored, planned: planned, announced: [stored[0].id, stored[2].id]).total

        #expect(total.moved == 2)
        #expect(total.cancelled == 1)
        #expect(total.alreadyAnnounced == 2)
    }
}
