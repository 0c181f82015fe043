import Testing

@testable import SaunterCore

@Suite("Reconciliation")
struct ReconciliationTests {
    private let now = Instant(milliseconds: 1_777_000_000_000)

    private func occasion(_ number: Int, hours: Int, exclusion: OccasionExclusion? = nil) -> Occasion {
        Sample.occasion(number, open: now.adding(seconds: hours * 3600), exclusion: exclusion)
    }

    @Test func `a missing occasion is inserted, unless its close is in the past`() {
        let open = occasion(1, hours: -1)
        let future = occasion(2, hours: 5)
        let over = occasion(3, hours: -4)

        let result = reconcile(stored: [], planned: [open, future, over], now: now)

        #expect(result.insert == [open, future])
        #expect(result.move.isEmpty && result.cancel.isEmpty)
    }

    @Test func `an occasion after a late walk or sheet is inserted even if it has closed`() {
        var late = occasion(1, hours: -40)
        var withdrawn = occasion(2, hours: -40, exclusion: .withdrawn)
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

    @Test func `a changed occasion is moved and a surplus occasion is cancelled`() {
        let stored = [occasion(1, hours: 5), occasion(2, hours: 6)]
        let moved = occasion(1, hours: 7)

        let result = reconcile(stored: stored, planned: [moved], now: now)

        #expect(result.move == [moved])
        #expect(result.cancel == [stored[1].id])
        #expect(result.insert.isEmpty)
    }

    @Test func `an open occasion that is not planned any more stays until the participant leaves`() {
        let stored = [occasion(1, hours: -1), occasion(2, hours: -9)]
        let left = EnrolmentStatus(endedAt: now)

        #expect(reconcile(stored: stored, planned: [], now: now).isEmpty)
        let result = reconcile(stored: stored, planned: [], now: now, status: left)

        #expect(result == Reconciliation(move: [occasion(1, hours: -1, exclusion: .withdrawn)]))
        let after = result.applied(to: stored)
        #expect(reconcile(stored: after, planned: [], now: now, status: left).isEmpty)
    }

    @Test func `an occasion that opens at this moment is frozen`() {
        let stored = [occasion(1, hours: 0), occasion(2, hours: -2)]
        let planned = [occasion(1, hours: 3)]

        #expect(reconcile(stored: stored, planned: planned, now: now).isEmpty)
    }

    @Test func `an answered occasion never changes, even if it is in the future`() {
        var answered = occasion(1, hours: 5)
        answered.completedAt = now
        var other = occasion(2, hours: 5)
        other.completedAt = now

        #expect(reconcile(stored: [answered, other], planned: [occasion(1, hours: 9)], now: now).isEmpty)
    }

    @Test func `an open window keeps its instants when it is excluded`() {
        let stored = occasion(1, hours: -1)
        let withdrawn = occasion(1, hours: 3, exclusion: .withdrawn)

        let result = reconcile(stored: [stored], planned: [withdrawn], now: now)

        #expect(result.move.map(\.window) == [stored.window])
        #expect(result.move.map(\.exclusion) == [.withdrawn])
    }

    @Test func `an occasion that is still open after a pause can be answered again`() {
        let paused = occasion(1, hours: -1, exclusion: .paused)

        let result = reconcile(stored: [paused], planned: [occasion(1, hours: -1)], now: now)

        #expect(result.move.map(\.exclusion) == [nil])
    }

    @Test func `a cancelled occasion is reinstated only before it opens`() {
        let opened = occasion(1, hours: -1, exclusion: .cancelled)
        let future = occasion(2, hours: 2, exclusion: .cancelled)

        let result = reconcile(
            stored: [opened, future], planned: [occasion(1, hours: -1), occasion(2, hours: 2)], now: now)

        #expect(result.move == [occasion(2, hours: 2)])
    }

    /// An event was reported, moved to a date beyond the horizon, and moved again to a date within the horizon. The
    /// occasion never opened.
    @Test func `an occasion that was cancelled before its opening is reinstated regardless of its old time`()
    {
        let cancelled = occasion(1, hours: -30, exclusion: .cancelled)

        #expect(
            reconcile(stored: [cancelled], planned: [occasion(1, hours: 40)], now: now).move == [
                occasion(1, hours: 40)
            ])
        #expect(reconcile(stored: [cancelled], planned: [occasion(1, hours: 0)], now: now).isEmpty)
    }

    @Test func `a window whose new close is in the past keeps its old instants`() {
        let stored = occasion(1, hours: 5)

        // In another zone, on the same day.
        var past = occasion(1, hours: -4)
        past.localDate = stored.localDate
        #expect(reconcile(stored: [stored], planned: [past], now: now).isEmpty)
        // A close one millisecond later is not in the past.
        var atLimit = past
        atLimit.window.closeAt = now.adding(milliseconds: 1)
        #expect(reconcile(stored: [stored], planned: [atLimit], now: now).move == [atLimit])
    }

    /// An event was corrected to one day earlier: the first day that counts from it is over, and the second occasion is
    /// planned at the time of the first.
    @Test func `an occasion that is corrected to a past day does not overlap the next one`() {
        let stored = [occasion(1, hours: 5), occasion(2, hours: 29)]
        var planned = [occasion(1, hours: -19), occasion(2, hours: 5)]
        for index in planned.indices {
            planned[index].localDate = stored[index].localDate.adding(days: -1)
        }

        let result = reconcile(stored: stored, planned: planned, now: now)

        let after = result.applied(to: stored)
        #expect(after.map(\.exclusion) == [.cancelled, nil])
        #expect(after[1].window == planned[1].window)
        #expect(reconcile(stored: after, planned: planned, now: now).isEmpty)
    }

    @Test
    func `an occasion after a deleted event is cancelled, even if it is open, but not if it is answered`() {
        let open = occasion(1, hours: -1)
        let future = occasion(2, hours: 2)
        var answered = occasion(3, hours: -1)
        answered.completedAt = now

        let result = reconcile(stored: [open, future, answered], planned: [], now: now) { _ in true }

        #expect(Set(result.cancel) == [open.id, future.id])
        #expect(reconcile(stored: [open], planned: [], now: now).cancel.isEmpty)
    }

    @Test func `nothing is inserted after a withdrawal`() {
        #expect(
            reconcile(stored: [], planned: [occasion(1, hours: 5, exclusion: .withdrawn)], now: now).isEmpty)
    }

    @Test func `dates that the plan does not cover do not change`() {
        let far = occasion(1, hours: 24 * 15)
        let today = LocalDate(days: 20_567)

        let result = reconcile(stored: [far], planned: [], now: now, dates: today...today.adding(days: 14))

        #expect(result.isEmpty)
        #expect(reconcile(stored: [far], planned: [], now: now).cancel == [far.id])
    }

    /// Edits, zone changes and answers of a participant. The plan is reconciled after each.
    @Test
    func
        `in any history a second reconciliation changes nothing, no id is lost and frozen occasions do not move`()
        throws
    {
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
            // No planned day is lost: from the second day there is one occasion per day, and all could be answered.
            let last = try #require(stored.values.map(\.key.dayIndex).max())
            let indices = Set(stored.values.filter { $0.exclusion == nil }.map(\.key.dayIndex))
            #expect(indices.isSuperset(of: 1...last))
        }
    }

    private func apply(_ result: Reconciliation, to stored: inout [OccasionID: Occasion]) {
        for occasion in result.insert + result.move { stored[occasion.id] = occasion }
        for id in result.cancel { stored[id]?.exclusion = .cancelled }
    }
}
