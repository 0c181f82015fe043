import Testing

@testable import SaunterCore

@Suite("Reconciliation")
struct ReconciliationTests {
    private let now = Instant(milliseconds: 1_777_000_000_000)

    private func occasion(_ number: Int, hours: Int, setAside: OccasionSetAside? = nil) -> Occasion {
        Sample.occasion(number, open: now.adding(seconds: hours * 3600), setAside: setAside)
    }

    @Test func `what is missing is inserted, unless its close is past`() {
        let open = occasion(1, hours: -1)
        let future = occasion(2, hours: 5)
        let over = occasion(3, hours: -4)

        let result = reconcile(stored: [], planned: [open, future, over], now: now)

        #expect(result.insert == [open, future])
        #expect(result.move.isEmpty && result.cancel.isEmpty)
    }

    @Test func `what follows a thing that has only become known is inserted, over or not`() {
        var late = occasion(1, hours: -40)
        var withdrawn = occasion(2, hours: -40, setAside: .withdrawn)
        var known = occasion(3, hours: -40)
        late.key.anchorInstance = "new"
        withdrawn.key.anchorInstance = "new"
        known.key.anchorInstance = "known"
        let planned = [late, withdrawn, known, occasion(4, hours: -40)]

        let result = reconcile(stored: [], planned: planned, now: now, arrived: ["new"])

        #expect(result.insert == [late])
        #expect(late.state(at: now) == .missed && !late.isDueToday(at: now, zone: .utc))
        #expect(reconcile(stored: [late], planned: planned, now: now, arrived: ["new"]).isEmpty)
        #expect(reconcile(stored: [], planned: planned, now: now).isEmpty)
    }

    @Test func `what changed moves, what is surplus is cancelled`() {
        let stored = [occasion(1, hours: 5), occasion(2, hours: 6)]
        let moved = occasion(1, hours: 7)

        let result = reconcile(stored: stored, planned: [moved], now: now)

        #expect(result.move == [moved])
        #expect(result.cancel == [stored[1].id])
        #expect(result.insert.isEmpty)
    }

    @Test func `what is open and no longer planned stays until the participant leaves`() {
        let stored = [occasion(1, hours: -1), occasion(2, hours: -9)]
        let left = EnrolmentStatus(endedAt: now)

        #expect(reconcile(stored: stored, planned: [], now: now).isEmpty)
        let result = reconcile(stored: stored, planned: [], now: now, status: left)

        #expect(result == Reconciliation(move: [occasion(1, hours: -1, setAside: .withdrawn)]))
        let after = result.applied(to: stored)
        #expect(reconcile(stored: after, planned: [], now: now, status: left).isEmpty)
    }

    @Test func `an occasion that opens at this very moment is frozen`() {
        let stored = [occasion(1, hours: 0), occasion(2, hours: -2)]
        let planned = [occasion(1, hours: 3)]

        #expect(reconcile(stored: stored, planned: planned, now: now).isEmpty)
    }

    @Test func `an answered occasion is never touched, be it in the future`() {
        var answered = occasion(1, hours: 5)
        answered.completedAt = now
        var other = occasion(2, hours: 5)
        other.completedAt = now

        #expect(reconcile(stored: [answered, other], planned: [occasion(1, hours: 9)], now: now).isEmpty)
    }

    @Test func `an open window keeps its instants when it is set aside`() {
        let stored = occasion(1, hours: -1)
        let withdrawn = occasion(1, hours: 3, setAside: .withdrawn)

        let result = reconcile(stored: [stored], planned: [withdrawn], now: now)

        #expect(result.move.map(\.window) == [stored.window])
        #expect(result.move.map(\.setAside) == [.withdrawn])
    }

    @Test func `after a break what is still open can be answered again`() {
        let paused = occasion(1, hours: -1, setAside: .paused)

        let result = reconcile(stored: [paused], planned: [occasion(1, hours: -1)], now: now)

        #expect(result.move.map(\.setAside) == [nil])
    }

    @Test func `a cancelled occasion comes back only while it has not opened`() {
        let opened = occasion(1, hours: -1, setAside: .cancelled)
        let future = occasion(2, hours: 2, setAside: .cancelled)

        let result = reconcile(
            stored: [opened, future], planned: [occasion(1, hours: -1), occasion(2, hours: 2)], now: now)

        #expect(result.move == [occasion(2, hours: 2)])
    }

    /// An event was told, corrected to beyond what is planned ahead, and draws near again: nobody was asked meanwhile.
    @Test func `what was cancelled before it opened is planned again, wherever its old time lies`() {
        let cancelled = occasion(1, hours: -30, setAside: .cancelled)

        #expect(
            reconcile(stored: [cancelled], planned: [occasion(1, hours: 40)], now: now).move == [
                occasion(1, hours: 40)
            ])
        #expect(reconcile(stored: [cancelled], planned: [occasion(1, hours: 0)], now: now).isEmpty)
    }

    @Test func `a window whose new close is past keeps its old instants`() {
        let stored = occasion(1, hours: 5)

        // In another zone, on the same day.
        var past = occasion(1, hours: -4)
        past.localDate = stored.localDate
        #expect(reconcile(stored: [stored], planned: [past], now: now).isEmpty)
        // A close one millisecond later is not past.
        var barely = past
        barely.window.closeAt = now.adding(milliseconds: 1)
        #expect(reconcile(stored: [stored], planned: [barely], now: now).move == [barely])
    }

    /// An event was corrected to a day earlier: the first of the days that count from it is over, and the second comes where the first was.
    @Test func `what comes to lie on a day that is over does not stay beside the one after it`() {
        let stored = [occasion(1, hours: 5), occasion(2, hours: 29)]
        var planned = [occasion(1, hours: -19), occasion(2, hours: 5)]
        for place in planned.indices {
            planned[place].localDate = stored[place].localDate.adding(days: -1)
        }

        let result = reconcile(stored: stored, planned: planned, now: now)

        let after = result.applied(to: stored)
        #expect(after.map(\.setAside) == [.cancelled, nil])
        #expect(after[1].window == planned[1].window)
        #expect(reconcile(stored: after, planned: planned, now: now).isEmpty)
    }

    @Test func `what follows an event that was taken back is cancelled, open or not, answered never`() {
        let open = occasion(1, hours: -1)
        let future = occasion(2, hours: 2)
        var answered = occasion(3, hours: -1)
        answered.completedAt = now

        let result = reconcile(stored: [open, future, answered], planned: [], now: now) { _ in true }

        #expect(Set(result.cancel) == [open.id, future.id])
        #expect(reconcile(stored: [open], planned: [], now: now).cancel.isEmpty)
    }

    @Test func `nothing new is made after a withdrawal`() {
        #expect(
            reconcile(stored: [], planned: [occasion(1, hours: 5, setAside: .withdrawn)], now: now).isEmpty)
    }

    @Test func `dates that the plan does not cover are left alone`() {
        let far = occasion(1, hours: 24 * 15)
        let today = LocalDate(days: 20_567)

        let result = reconcile(stored: [far], planned: [], now: now, dates: today...today.adding(days: 14))

        #expect(result.isEmpty)
        #expect(reconcile(stored: [far], planned: [], now: now).cancel == [far.id])
    }

    /// A participant's stored occasions live through edits, journeys and answers; after each the plan is
    /// reconciled.
    @Test func `any history: doing it twice does nothing, no id is lost, nothing frozen moves`() throws {
        var cases = SeededCases(6)
        let zones = ["Europe/Berlin", "Pacific/Apia", "Pacific/Honolulu", "Asia/Tokyo", "America/Sao_Paulo"]
        for _ in 0..<40 {
            var clock = try at("2026-03-10T12:00:00Z")
            var history = [ZoneChange(from: clock, zone: try zone("Europe/Berlin"))]
            var study = Sample.study([
                Sample.schedule(slots: [try Sample.slot("09:00", due: 2 * hour, close: 4 * hour)])
            ])
            let enrolledAt = clock
            var stored: [OccasionID: Occasion] = [:]
            for _ in 0..<12 {
                switch Int.random(in: 0...3, using: &cases) {
                case 0:
                    let id = try #require(zones.randomElement(using: &cases))
                    history.append(ZoneChange(from: clock, zone: try zone(id)))
                case 1:
                    let open = try #require(LocalTime(seconds: Int.random(in: 0..<20, using: &cases) * 3600))
                    study.schedules[0].slots[0].opening = .fixed(open)
                case 2:
                    if let open = stored.values.filter({ $0.state(at: clock).isAnswerable }).min(by: {
                        $0.id < $1.id
                    }) {
                        stored[open.id]?.completedAt = clock
                    }
                default: break
                }
                let planner = Sample.planner(study, enrolledAt: enrolledAt, zones: history)
                let planned = planner.occasions(horizonFrom: clock)
                let dates = planner.horizon(from: clock)
                let before = stored

                let result = reconcile(
                    stored: Array(stored.values), planned: planned, now: clock, dates: dates)
                apply(result, to: &stored)

                #expect(
                    reconcile(stored: Array(stored.values), planned: planned, now: clock, dates: dates)
                        .isEmpty)
                #expect(Set(before.keys).isSubset(of: stored.keys))
                for (id, old) in before where old.window.openAt <= clock || old.isAnswered {
                    #expect(stored[id]?.window == old.window && stored[id]?.zone == old.zone)
                }
                #expect(result.insert.allSatisfy { $0.window.closeAt > clock })
                clock = clock.adding(seconds: Int.random(in: 1...30, using: &cases) * 3600)
            }
            // No planned day is lost: from the second day on there is one occasion for each, and all could be
            // answered.
            let last = try #require(stored.values.map(\.key.dayIndex).max())
            let indices = Set(stored.values.filter { $0.setAside == nil }.map(\.key.dayIndex))
            #expect(indices.isSuperset(of: 1...last))
        }
    }

    private func apply(_ result: Reconciliation, to stored: inout [OccasionID: Occasion]) {
        for occasion in result.insert + result.move { stored[occasion.id] = occasion }
        for id in result.cancel { stored[id]?.setAside = .cancelled }
    }
}
