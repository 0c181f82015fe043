import Testing

@testable import SaunterCore

/// Occasions that are planned at another time after a correction or an edit, and the occasions that are planned at
/// their time.
@Suite struct OccupiedTimeTests {
    private let now = Instant(milliseconds: 1_777_000_000_000)

    /// Four hours long.
    private func occasion(_ number: Int, hours: Int, exclusion: OccasionExclusion? = nil) -> Occasion {
        Sample.occasion(number, open: now.adding(seconds: hours * 3600), exclusion: exclusion)
    }

    /// The first occasion is open, and all are now planned one day earlier: the second is planned at the time of the
    /// first.
    private func corrected() -> (stored: [Occasion], planned: [Occasion]) {
        (
            (0..<3).map { occasion($0, hours: -1 + 24 * $0) },
            (0..<3).map { occasion($0, hours: -25 + 24 * $0) }
        )
    }

    private func reconciled(_ stored: [Occasion], _ planned: [Occasion]) -> [Occasion] {
        let after = reconcile(stored: stored, planned: planned, now: now).applied(to: stored)
        #expect(
            reconcile(stored: after, planned: planned, now: now).isEmpty,
            "a second reconciliation changes something")
        return after
    }

    @Test(arguments: [false, true])
    func `an open or answered occasion keeps its time, and no other occasion overlaps it`(isAnswered: Bool) {
        var (stored, planned) = corrected()
        if isAnswered { stored[0].completedAt = now }

        let after = reconciled(stored, planned)

        #expect(after.map(\.exclusion) == [nil, .cancelled, nil])
        #expect(after[0] == stored[0])
        #expect(
            after[1].window == stored[1].window,
            "a cancelled occasion keeps its window, so that it can be reinstated")
        #expect(after[2] == planned[2])
        // The correction is reverted.
        #expect(reconciled(after, stored) == stored)
    }

    @Test func `an occasion that was answered before it opened occupies its time`() {
        var (stored, planned) = corrected()
        (stored, planned) = ([occasion(0, hours: 1), stored[1]], [planned[0], occasion(1, hours: 1)])
        stored[0].completedAt = now

        #expect(reconciled(stored, planned).map(\.exclusion) == [nil, .cancelled])
    }

    @Test func `an occasion is not inserted at an occupied time`() {
        let (stored, planned) = corrected()

        #expect(reconciled([stored[0]], planned).map(\.id) == [stored[0].id, planned[2].id])
    }

    @Test
    func `an open occasion that is not planned any more occupies its time if the plan covers it`() {
        let open = occasion(0, hours: -1)
        var renamed = occasion(0, hours: 0)
        renamed.key.schedule = "nightly"
        renamed.id = renamed.key.id(of: Sample.enrolment)
        let tomorrow = open.localDate.adding(days: 1)

        #expect(reconciled([open], [renamed]) == [open])
        let result = reconcile(
            stored: [open], planned: [renamed], now: now, dates: tomorrow...tomorrow.adding(days: 9))
        #expect(result.insert == [renamed])
    }

    @Test(arguments: OccasionExclusion.allCases)
    func `a paused occasion occupies its time, and a cancelled one does not`(reason: OccasionExclusion) {
        var (stored, planned) = corrected()
        stored[0].exclusion = reason
        planned[0].exclusion = reason

        #expect(reconciled(stored, planned)[1].exclusion == (reason == .paused ? .cancelled : nil))
    }

    @Test(arguments: OccasionExclusion.allCases)
    func `an excluded plan does not need free time`(reason: OccasionExclusion) {
        var (stored, planned) = corrected()
        stored[1].exclusion = reason == .cancelled ? nil : reason
        planned[1].exclusion = reason

        #expect(reconciled(stored, planned)[1].exclusion == (reason == .paused ? .cancelled : reason))
    }

    @Test
    func
        `occasions of another questionnaire, walk or zone, and adjacent occasions, do not occupy the time`()
    {
        let (stored, planned) = corrected()
        func second(_ change: (inout Occasion) -> Void) -> Occasion {
            var (plan, old) = (planned[1], stored[1])
            change(&plan)
            change(&old)
            return reconciled([stored[0], old], [planned[0], plan])[1]
        }

        #expect(second { _ in }.exclusion == .cancelled)
        #expect(second { $0.questionnaire = "morning" }.exclusion == nil)
        #expect(second { $0.key.anchorInstance = "walk" }.exclusion == nil)
        #expect(second { $0.zone = Zone("Asia/Tokyo")! }.exclusion == nil)
        #expect(second { $0.window.openAt = stored[0].window.closeAt }.exclusion == nil)
        #expect(
            second { $0.window.closeAt = stored[0].window.openAt.adding(seconds: 7200) }.exclusion
                == .cancelled)
    }

    @Test func `adjacent occasions do not block each other`() {
        var answered = occasion(0, hours: 5)
        answered.completedAt = now
        let planned = [occasion(0, hours: -20), occasion(1, hours: 1)]

        #expect(reconciled([answered], planned) == [answered, planned[1]])
    }

    @Test func `occasions that overlap in the plan do not block each other`() {
        let stored = [occasion(0, hours: -1), occasion(1, hours: 1)]
        let planned = [occasion(0, hours: 0), occasion(1, hours: 2)]

        #expect(reconciled(stored, planned) == [stored[0], planned[1]])
    }

    /// An event happened some hours earlier on the same day than reported: the first occasion is over, and the second
    /// is planned at its time.
    @Test func `an occasion whose plan has closed is cancelled for another one at its time`() {
        let stored = [occasion(0, hours: 1), occasion(1, hours: 6)]
        var planned = [occasion(0, hours: -4), occasion(1, hours: 1)]
        for index in planned.indices { planned[index].localDate = stored[index].localDate }

        let after = reconciled(stored, planned)

        #expect(after.map(\.exclusion) == [.cancelled, nil])
        #expect(after.map(\.window) == [stored[0].window, planned[1].window])
        // If no other occasion is planned at its time, it stays. Neither travel nor an edit removes a window.
        planned[1].questionnaire = "morning"
        #expect(reconciled([stored[0]], planned)[0] == stored[0])
        #expect(reconciled([stored[0]], [planned[0]]) == [stored[0]])
    }

    /// A new version opens earlier. Today's occasion moves to before the zone change and is over there; tomorrow's is
    /// planned at its time.
    @Test func `an edit that moves an occasion to before a zone change frees its time in the old zone`() {
        let stored = [occasion(0, hours: 1), occasion(1, hours: 25)]
        var planned = [occasion(0, hours: -6), occasion(1, hours: 2)]
        for index in planned.indices { planned[index].localDate = stored[index].localDate }
        planned[0].zone = Zone("Australia/Hobart")!

        #expect(reconciled(stored, planned).map(\.exclusion) == [.cancelled, nil])
        // Travel alone removes no window, even if the next occasion in the new zone is at its time.
        planned[1].zone = Zone("Asia/Tokyo")!
        #expect(reconciled(stored, planned) == [stored[0], planned[1]])
    }

    @Test
    func `an occasion whose plan has closed on another day is cancelled, unless a zone change caused it`() {
        let stored = [occasion(0, hours: 1)]
        var planned = [occasion(0, hours: -24)]

        #expect(reconciled(stored, planned).map(\.exclusion) == [.cancelled])
        planned[0].zone = Zone("Asia/Tokyo")!
        #expect(reconciled(stored, planned) == stored)
    }
}
