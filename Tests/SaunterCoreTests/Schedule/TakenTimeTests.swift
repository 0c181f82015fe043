import Testing

@testable import SaunterCore

/// What is planned elsewhere by now, because what it counts from was corrected or the study was edited, and what takes its place.
@Suite struct TakenTimeTests {
    private let now = Instant(milliseconds: 1_777_000_000_000)

    /// Four hours long.
    private func occasion(_ number: Int, hours: Int, setAside: OccasionSetAside? = nil) -> Occasion {
        Sample.occasion(number, open: now.adding(seconds: hours * 3600), setAside: setAside)
    }

    /// The first is open, and all is planned a day earlier now: the second comes where the first is.
    private func corrected() -> (stored: [Occasion], planned: [Occasion]) {
        (
            (0..<3).map { occasion($0, hours: -1 + 24 * $0) },
            (0..<3).map { occasion($0, hours: -25 + 24 * $0) }
        )
    }

    private func settled(_ stored: [Occasion], _ planned: [Occasion]) -> [Occasion] {
        let after = reconcile(stored: stored, planned: planned, now: now).applied(to: stored)
        #expect(reconcile(stored: after, planned: planned, now: now).isEmpty, "done twice")
        return after
    }

    @Test(arguments: [false, true])
    func `what is open or was answered keeps its time, and nothing comes beside it`(isAnswered: Bool) {
        var (stored, planned) = corrected()
        if isAnswered { stored[0].completedAt = now }

        let after = settled(stored, planned)

        #expect(after.map(\.setAside) == [nil, .cancelled, nil])
        #expect(after[0] == stored[0])
        #expect(after[1].window == stored[1].window, "so that it can come back")
        #expect(after[2] == planned[2])
        // What was corrected is put right again.
        #expect(settled(after, stored) == stored)
    }

    @Test func `what was answered before it opened holds its time too`() {
        var (stored, planned) = corrected()
        (stored, planned) = ([occasion(0, hours: 1), stored[1]], [planned[0], occasion(1, hours: 1)])
        stored[0].completedAt = now

        #expect(settled(stored, planned).map(\.setAside) == [nil, .cancelled])
    }

    @Test func `what is not there yet is not created at a time that is taken`() {
        let (stored, planned) = corrected()

        #expect(settled([stored[0]], planned).map(\.id) == [stored[0].id, planned[2].id])
    }

    @Test
    func `what is no longer planned holds its time while it is open, unless the plan does not cover it`() {
        let open = occasion(0, hours: -1)
        var renamed = occasion(0, hours: 0)
        renamed.key.schedule = "nightly"
        renamed.id = renamed.key.id(of: Sample.enrolment)
        let tomorrow = open.localDate.adding(days: 1)

        #expect(settled([open], [renamed]) == [open])
        let apart = reconcile(
            stored: [open], planned: [renamed], now: now, dates: tomorrow...tomorrow.adding(days: 9))
        #expect(apart.insert == [renamed])
    }

    @Test(arguments: OccasionSetAside.allCases)
    func `a break gives no time away, and what is not asked at all holds none`(reason: OccasionSetAside) {
        var (stored, planned) = corrected()
        stored[0].setAside = reason
        planned[0].setAside = reason

        #expect(settled(stored, planned)[1].setAside == (reason == .paused ? .cancelled : nil))
    }

    @Test(arguments: OccasionSetAside.allCases)
    func `what is set aside anyway comes as it is planned`(reason: OccasionSetAside) {
        var (stored, planned) = corrected()
        stored[1].setAside = reason == .cancelled ? nil : reason
        planned[1].setAside = reason

        #expect(settled(stored, planned)[1].setAside == (reason == .paused ? .cancelled : reason))
    }

    @Test
    func
        `nothing is taken by another questionnaire, of another walk, in another zone or by what only touches`()
    {
        let (stored, planned) = corrected()
        func second(_ change: (inout Occasion) -> Void) -> Occasion {
            var (plan, old) = (planned[1], stored[1])
            change(&plan)
            change(&old)
            return settled([stored[0], old], [planned[0], plan])[1]
        }

        #expect(second { _ in }.setAside == .cancelled)
        #expect(second { $0.questionnaire = "morning" }.setAside == nil)
        #expect(second { $0.key.anchorInstance = "walk" }.setAside == nil)
        #expect(second { $0.zone = Zone("Asia/Tokyo")! }.setAside == nil)
        #expect(second { $0.window.openAt = stored[0].window.closeAt }.setAside == nil)
        #expect(
            second { $0.window.closeAt = stored[0].window.openAt.adding(seconds: 7200) }.setAside
                == .cancelled)
    }

    @Test func `what closes as an answered one opens is created`() {
        var answered = occasion(0, hours: 5)
        answered.completedAt = now
        let planned = [occasion(0, hours: -20), occasion(1, hours: 1)]

        #expect(settled([answered], planned) == [answered, planned[1]])
    }

    @Test func `what a study lets overlap stays so`() {
        let stored = [occasion(0, hours: -1), occasion(1, hours: 1)]
        let planned = [occasion(0, hours: 0), occasion(1, hours: 2)]

        #expect(settled(stored, planned) == [stored[0], planned[1]])
    }

    /// An event of the same day was some hours earlier than told: the first is over, and the second comes where the first was.
    @Test func `what is over by its plan gives way to another one that comes at its time`() {
        let stored = [occasion(0, hours: 1), occasion(1, hours: 6)]
        var planned = [occasion(0, hours: -4), occasion(1, hours: 1)]
        for place in planned.indices { planned[place].localDate = stored[place].localDate }

        let after = settled(stored, planned)

        #expect(after.map(\.setAside) == [.cancelled, nil])
        #expect(after.map(\.window) == [stored[0].window, planned[1].window])
        // Where nothing takes its time it stays: neither a journey nor an edit costs a window.
        planned[1].questionnaire = "morning"
        #expect(settled([stored[0]], planned)[0] == stored[0])
        #expect(settled([stored[0]], [planned[0]]) == [stored[0]])
    }

    /// A new version opens earlier: today's moves to before the journey and is over there, tomorrow's comes where today's was.
    @Test func `what an edit moves to before a journey gives way by the clock it was planned by`() {
        let stored = [occasion(0, hours: 1), occasion(1, hours: 25)]
        var planned = [occasion(0, hours: -6), occasion(1, hours: 2)]
        for place in planned.indices { planned[place].localDate = stored[place].localDate }
        planned[0].zone = Zone("Australia/Hobart")!

        #expect(settled(stored, planned).map(\.setAside) == [.cancelled, nil])
        // A journey alone costs no window, also where the next one by the new clock comes at its time.
        planned[1].zone = Zone("Asia/Tokyo")!
        #expect(settled(stored, planned) == [stored[0], planned[1]])
    }

    @Test func `what is over on another day by its plan is given up, unless a journey made it so`() {
        let stored = [occasion(0, hours: 1)]
        var planned = [occasion(0, hours: -24)]

        #expect(settled(stored, planned).map(\.setAside) == [.cancelled])
        planned[0].zone = Zone("Asia/Tokyo")!
        #expect(settled(stored, planned) == stored)
    }
}
