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

    @Test func `windows to come follow the new zone, an open one stays`() throws {
        // At 18:30 in Berlin the evening is open; New York is six hours behind.
        let planner = try planner([
            ("2026-05-01T06:00:00Z", "Europe/Berlin"), ("2026-05-03T16:30:00Z", "America/New_York"),
        ])

        #expect(try plan(planner, "2026-05-03").map(\.window.openAt) == [try at("2026-05-03T16:00:00Z")])
        #expect(try plan(planner, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T22:00:00Z")])
        #expect(try plan(planner, "2026-05-03").map(\.zone.id) == ["Europe/Berlin"])
    }

    @Test func `a window that would be over in the new zone keeps its old instants`() throws {
        // 14:00 in Honolulu is 09:00 of the next day in Tokyo: there, the evening of the 3rd is long over.
        let planner = try planner([
            ("2026-05-01T06:00:00Z", "Pacific/Honolulu"), ("2026-05-04T00:00:00Z", "Asia/Tokyo"),
        ])

        let evening = try #require(try plan(planner, "2026-05-03").first)

        #expect(evening.window.openAt == (try at("2026-05-04T04:00:00Z")))
        #expect(evening.zone.id == "Pacific/Honolulu")
        #expect(try plan(planner, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T09:00:00Z")])
    }

    @Test func `a window that has begun in the new zone opens at once`() throws {
        // 13:30 in Berlin is 20:30 in Tokyo, in the middle of its evening.
        let planner = try planner([
            ("2026-05-01T06:00:00Z", "Europe/Berlin"), ("2026-05-03T11:30:00Z", "Asia/Tokyo"),
        ])

        let evening = try #require(try plan(planner, "2026-05-03").first)

        #expect(evening.zone.id == "Asia/Tokyo")
        #expect(evening.state(at: try at("2026-05-03T11:30:00Z")) == .overdue)
    }

    @Test func `schedules bound to another clock do not travel`() throws {
        let zones = [("2026-05-01T06:00:00Z", "Europe/Berlin"), ("2026-05-02T06:00:00Z", "Asia/Tokyo")]

        let home = try planner(zones, policy: .enrolment)
        let fixed = try planner(zones, policy: .study(zone("America/New_York")))

        #expect(try plan(home, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T16:00:00Z")])
        #expect(try plan(fixed, "2026-05-04").map(\.window.openAt) == [try at("2026-05-04T22:00:00Z")])
    }

    /// Samoa left out the 30th of December 2011.
    private func december(_ zones: [(String, String)]) throws -> Planner {
        let daily = Sample.schedule(slots: [try Sample.slot("18:00", due: 2 * hour, close: 4 * hour)])
        return Sample.planner(
            Sample.study([daily]), enrolledAt: try at("2011-12-20T12:00:00Z"),
            zones: try zones.map { ZoneChange(from: try at($0.0), zone: try zone($0.1)) })
    }

    @Test func `a day that the new zone leaves out keeps its old instants`() throws {
        let journey = try december([
            ("2011-12-20T12:00:00Z", "Europe/Berlin"), ("2011-12-25T12:00:00Z", "Pacific/Apia"),
        ])

        let kept = try #require(try plan(journey, "2011-12-30").first)
        let next = try #require(try plan(journey, "2011-12-31").first)

        #expect(kept.setAside == nil)
        #expect(kept.zone.id == "Europe/Berlin")
        #expect(kept.window.openAt == (try at("2011-12-30T17:00:00Z")))
        #expect(next.zone.id == "Pacific/Apia")
    }

    @Test func `reconciling does not set aside what the new zone leaves out`() throws {
        let start = "2011-12-20T12:00:00Z"
        let stored = try plan(try december([(start, "Europe/Berlin")]), "2011-12-30")
        let without = try plan(try december([(start, "Pacific/Apia")]), "2011-12-30")
        try #require(stored.map(\.id) == without.map(\.id) && without.map(\.setAside) == [.nonexistent])

        #expect(reconcile(stored: stored, planned: without, now: try at("2011-12-26T00:00:00Z")).isEmpty)
    }

    @Test func `after a journey west the horizon reaches as far as what is stored`() throws {
        let journey = try planner([
            ("2026-05-01T06:00:00Z", "Asia/Tokyo"), ("2026-05-02T17:00:00Z", "America/New_York"),
        ])
        var stored = journey.occasions(horizonFrom: try at("2026-05-02T16:00:00Z"))
        let after = try at("2026-05-02T18:00:00Z")
        try #require(stored.last?.localDate == (try day("2026-05-17")))

        #expect(journey.horizon(from: after).upperBound == (try day("2026-05-16")))
        #expect(journey.horizon(from: after, stored: stored).upperBound == (try day("2026-05-17")))
        stored[stored.count - 1].setAside = .cancelled
        #expect(journey.horizon(from: after, stored: stored).upperBound == (try day("2026-05-16")))
    }

    /// The plan with the whole history is what reconciling at every journey would have left.
    @Test func `planning from history and reconciling step by step arrive at the same`() throws {
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
