import Testing

@testable import SaunterCore

@Suite("Travel")
struct TravelTests {
    private func planner(_ zones: [(String, String)], policy: ZonePolicy = .participant) throws -> Planner {
        var schedule = Sample.schedule(slots: [try Sample.slot("18:00", due: 2 * hour, close: 4 * hour)])
        schedule.zonePolicy = policy
        return Sample.planner(
            Sample.study([schedule]), enrolledAt: try at("2026-05-01T06:00:00Z"),
            zones: try zones.map { ZoneChange(from: try at($0.0), zone: try zone($0.1)) })
    }

    private func plan(_ planner: Planner, _ date: String) throws -> [Occasion] {
        planner.occasions(from: try day(date), through: try day(date))
    }

    @Test func `future windows move to the new zone, and an open window does not change`() throws {
        // At 18:30 in Berlin the evening is open; New York is six hours behind.
        let planner = try planner([
            ("2026-05-01T06:00:00Z", "Europe/Berlin"), ("2026-05-03T16:30:00Z", "America/New_York"),
        ])

        #expect(try plan(planner, "2026-05-03").map(\.window.openAt) == [try at("2026-05-03T16:00:00Z")])
        #expect(try plan(planner, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T22:00:00Z")])
        #expect(try plan(planner, "2026-05-03").map(\.zone.id) == ["Europe/Berlin"])
    }

    @Test func `a window that would be closed in the new zone keeps its old instants`() throws {
        // 14:00 in Honolulu is 09:00 of the next day in Tokyo. There, the evening of the 3rd is over.
        let planner = try planner([
            ("2026-05-01T06:00:00Z", "Pacific/Honolulu"), ("2026-05-04T00:00:00Z", "Asia/Tokyo"),
        ])

        let evening = try #require(try plan(planner, "2026-05-03").first)

        #expect(evening.window.openAt == (try at("2026-05-04T04:00:00Z")))
        #expect(evening.zone.id == "Pacific/Honolulu")
        #expect(try plan(planner, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T09:00:00Z")])
    }

    @Test func `a window that has already begun in the new zone opens immediately`() throws {
        // 13:30 in Berlin is 20:30 in Tokyo, in the middle of its evening.
        let planner = try planner([
            ("2026-05-01T06:00:00Z", "Europe/Berlin"), ("2026-05-03T11:30:00Z", "Asia/Tokyo"),
        ])

        let evening = try #require(try plan(planner, "2026-05-03").first)

        #expect(evening.zone.id == "Asia/Tokyo")
        #expect(evening.state(at: try at("2026-05-03T11:30:00Z")) == .overdue)
    }

    @Test func `a window that follows an event after the journey is asked in the new zone`() throws {
        // At 16:00 in Berlin the evening in Tokyo is over.
        let anchor = Anchor.event("training-finished")
        let evening = Sample.schedule(
            anchor: anchor, repeating: .once, slots: [try Sample.slot("20:00", due: hour, close: 2 * hour)])
        let planner = Sample.planner(
            Sample.study([evening]), enrolledAt: try at("2026-05-01T06:00:00Z"),
            zones: [
                ZoneChange(from: try at("2026-05-01T06:00:00Z"), zone: try zone("Asia/Tokyo")),
                ZoneChange(from: try at("2026-05-03T14:00:00Z"), zone: try zone("Europe/Berlin")),
            ], anchors: [.event("training-finished", at: try at("2026-05-03T14:30:00Z"))])

        #expect(try plan(planner, "2026-05-03").map(\.window.openAt) == [try at("2026-05-03T18:00:00Z")])
    }

    @Test func `schedules in a fixed zone do not move`() throws {
        let zones = [("2026-05-01T06:00:00Z", "Europe/Berlin"), ("2026-05-02T06:00:00Z", "Asia/Tokyo")]

        let home = try planner(zones, policy: .enrolment)
        let fixed = try planner(zones, policy: .study(zone("America/New_York")))

        #expect(try plan(home, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T16:00:00Z")])
        #expect(try plan(fixed, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T22:00:00Z")])
    }

    /// Samoa skipped 30 December 2011.
    private func december(_ zones: [(String, String)]) throws -> Planner {
        let daily = Sample.schedule(slots: [try Sample.slot("18:00", due: 2 * hour, close: 4 * hour)])
        return Sample.planner(
            Sample.study([daily]), enrolledAt: try at("2011-12-20T12:00:00Z"),
            zones: try zones.map { ZoneChange(from: try at($0.0), zone: try zone($0.1)) })
    }

    @Test func `an occasion on a date that the new zone skips keeps its old instants`() throws {
        let traveller = try december([
            ("2011-12-20T12:00:00Z", "Europe/Berlin"), ("2011-12-25T12:00:00Z", "Pacific/Apia"),
        ])

        let kept = try #require(try plan(traveller, "2011-12-30").first)
        let next = try #require(try plan(traveller, "2011-12-31").first)

        #expect(kept.exclusion == nil)
        #expect(kept.zone.id == "Europe/Berlin")
        #expect(kept.window.openAt == (try at("2011-12-30T17:00:00Z")))
        #expect(next.zone.id == "Pacific/Apia")
    }

    @Test func `reconciliation does not exclude occasions on dates that the new zone skips`() throws {
        let start = "2011-12-20T12:00:00Z"
        let stored = try plan(try december([(start, "Europe/Berlin")]), "2011-12-30")
        let without = try plan(try december([(start, "Pacific/Apia")]), "2011-12-30")
        try #require(stored.map(\.id) == without.map(\.id) && without.map(\.exclusion) == [.nonexistent])

        #expect(reconcile(stored: stored, planned: without, now: try at("2011-12-26T00:00:00Z")).isEmpty)
    }

    @Test func `after travel to the west the horizon includes all stored occasions`() throws {
        let traveller = try planner([
            ("2026-05-01T06:00:00Z", "Asia/Tokyo"), ("2026-05-02T17:00:00Z", "America/New_York"),
        ])
        var stored = traveller.occasions(horizonFrom: try at("2026-05-02T16:00:00Z"))
        let after = try at("2026-05-02T18:00:00Z")
        try #require(stored.last?.localDate == (try day("2026-05-17")))

        #expect(traveller.horizon(from: after).upperBound == (try day("2026-05-16")))
        #expect(traveller.horizon(from: after, stored: stored).upperBound == (try day("2026-05-17")))
        stored[stored.count - 1].exclusion = .cancelled
        #expect(traveller.horizon(from: after, stored: stored).upperBound == (try day("2026-05-16")))
    }

    /// The plan with the complete history is equal to the result of reconciling at every zone change.
    @Test func `planning from the complete history and reconciling step by step have the same result`() throws
    {
        var cases = SeededCases(7)
        let identifiers = Zone.identifiers.sorted()
        for _ in 0..<40 {
            let study = Sample.study(
                [Sample.schedule(slots: [try Sample.slot("18:00", due: 2 * hour, close: 5 * hour)])], days: 10
            )
            let enrolledAt = try at("2026-03-25T12:00:00Z")
            var history = [ZoneChange(from: enrolledAt, zone: try zone("Europe/Berlin"))]
            var stored: [OccasionID: Occasion] = [:]
            var clock = enrolledAt
            for _ in 0..<5 {
                let planner = Sample.planner(study, enrolledAt: enrolledAt, zones: history)
                let result = reconcile(
                    stored: Array(stored.values),
                    planned: planner.occasions(from: .minimum, through: .maximum), now: clock)
                for occasion in result.insert + result.move { stored[occasion.id] = occasion }
                #expect(result.cancel.isEmpty)
                clock = clock.adding(seconds: Int.random(in: 1...60, using: &cases) * 3600)
                let id = try #require(identifiers.randomElement(using: &cases))
                history.append(ZoneChange(from: clock, zone: try zone(id)))
            }
            let planner = Sample.planner(study, enrolledAt: enrolledAt, zones: Array(history.dropLast()))

            let planned = planner.occasions(from: .minimum, through: .maximum)

            #expect(planned.sorted { $0.id < $1.id } == stored.values.sorted { $0.id < $1.id })
        }
    }
}
