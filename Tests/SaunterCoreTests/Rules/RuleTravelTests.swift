import Testing

@testable import SaunterCore

struct RuleTravelTests {
    private let rule = RuleSamples.message("r", RuleSamples.daily("17:00"))

    /// A participant from Berlin who is in another zone from an instant on.
    private func facts(_ zone: String, from: String) throws -> RuleFacts {
        try RuleSamples.facts {
            $0.variables.zones.append(ZoneChange(from: try at(from), zone: try SaunterCoreTests.zone(zone)))
        }
    }

    @Test(arguments: [
        // The clock skips 02:30 on 29 March 2027, and shows it twice on 31 October.
        (
            "02:30", "2027-03-27T12:00:00Z",
            ["2027-03-28 03:00 2027-03-28#1", "2027-03-29 02:30 2027-03-29#1"]
        ),
        (
            "02:30", "2027-10-30T12:00:00Z",
            ["2027-10-31 02:30 2027-10-31#1", "2027-11-01 02:30 2027-11-01#1"]
        ),
    ])
    func `a time that a transition skips or repeats happens once`(
        time: String, from: String, expected: [String]
    ) throws {
        let start = try at(from)

        let points = try RuleSamples.points(
            RuleSamples.message("r", RuleSamples.daily(time)), RuleSamples.facts(), from: from,
            through: start.adding(seconds: 44 * 3600).description)

        #expect(points == expected)
    }

    @Test func `a journey to the west does not repeat a date`() throws {
        // 17:00 in Berlin is 16:00 UTC. New York is 6 hours behind.
        let points = try RuleSamples.points(
            rule, facts("America/New_York", from: "2026-11-20T18:00:00Z"), from: "2026-11-19T12:00:00Z",
            through: "2026-11-22T12:00:00Z")

        #expect(
            points == [
                "2026-11-19 17:00 2026-11-19#1", "2026-11-20 17:00 2026-11-20#1",
                "2026-11-21 17:00 2026-11-21#1",
            ])
    }

    @Test func `a time that a journey to the east skips happens at its end`() throws {
        // At 12:00 UTC it is 13:00 in Berlin and 21:00 in Tokyo.
        let points = try RuleSamples.points(
            rule, facts("Asia/Tokyo", from: "2026-11-20T12:00:00Z"), from: "2026-11-19T20:00:00Z",
            through: "2026-11-21T12:00:00Z")

        #expect(points == ["2026-11-20 21:00 2026-11-20#1", "2026-11-21 17:00 2026-11-21#1"])
    }

    @Test func `the point of a date that a journey skips has expired`() throws {
        // From Honolulu on the evening of 19 November to Auckland, where it is the evening of 20 November.
        let study = RuleSamples.study([rule])
        let planner = RuleSamples.planner(
            study,
            try RuleSamples.facts(zone: "Pacific/Honolulu") {
                $0.variables.zones.append(
                    ZoneChange(from: try at("2026-11-20T06:00:00Z"), zone: try zone("Pacific/Auckland")))
            })

        let decisions = planner.decisions(
            at: try at("2026-11-20T06:00:00Z"), after: try at("2026-11-20T03:00:00Z"))

        #expect(decisions.map(\.summary) == ["r 2026-11-20#1 message"])
        #expect(
            planner.nextCheck(after: try at("2026-11-20T06:00:00Z")) == (try at("2026-11-21T04:00:00Z")))
    }

    @Test func `a change of zone that is not known yet has no effect`() throws {
        let points = try RuleSamples.points(
            rule, facts("Asia/Tokyo", from: "2026-11-20T12:00:00Z"), from: "2026-11-19T20:00:00Z",
            through: "2026-11-20T20:00:00Z", now: "2026-11-20T10:00:00Z")

        // 17:00 in Berlin is the next date, 01:00, in Tokyo.
        #expect(points == ["2026-11-21 01:00 2026-11-20#1"])
    }
}
