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
