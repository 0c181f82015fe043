import Testing

@testable import SaunterCore

struct AdaptiveHourTests {
    private func point(
        seek: DecisionPoint.Adaptive.Seek = .low, ahead: Int = 900, entries: Int = 0, days: Int = 0
    ) throws -> DecisionPoint.Adaptive {
        .init(
            by: "mood_by_hour", seek: seek, from: try time("08:00"), to: try time("21:00"), ahead: ahead,
            leastEntries: entries, leastDays: days, otherwise: try time("12:00"))
    }

    private func seconds(
        _ hours: [Int: (Int, Double)], _ point: DecisionPoint.Adaptive, days: Int = 10,
        quiet: QuietHours? = nil
    ) -> String? {
        let table = hours.mapValues { (n: $0.0, mean: Quantity($0.1)) }
        return LocalTime(seconds: AdaptiveHour(hours: table, days: days).seconds(point, quietHours: quiet))?
            .description
    }

    @Test func `the lowest or highest smoothed hour wins`() throws {
        // By hand, M = 5: v(9) = 5 + (6.5 − 5) · 4 / 7 and v(15) = 5 + (2 − 5) · 4 / 7.
        let hours = [9: (8, 6.5), 15: (8, 2.0), 20: (8, 6.5)]

        #expect(seconds(hours, try point()) == "14:45")
        #expect(seconds(hours, try point(seek: .high)) == "08:45")
    }

    @Test func `few entries count little, and neighbours count half`() throws {
        // One very low entry at 10:00 is shrunk: v(10) > v(15).
        #expect(seconds([10: (1, 1), 15: (20, 3), 18: (40, 6)], try point()) == "14:45")
        // The neighbours of 15:00 are high, those of 18:00 are absent.
        #expect(seconds([14: (20, 9), 15: (20, 3), 16: (20, 9), 18: (20, 3)], try point()) == "17:45")
    }

    @Test func `hours outside the span, in quiet hours or without entries are no candidates`() throws {
        let quiet = QuietHours(from: try time("14:00"), to: try time("16:00"))

        #expect(seconds([7: (9, 1), 9: (9, 5), 15: (9, 3)], try point()) == "14:45")
        #expect(seconds([9: (9, 5), 15: (9, 3)], try point(), quiet: quiet) == "08:45")
        #expect(seconds([0: (9, 1)], try point()) == "12:00")
        #expect(seconds([8: (9, 1)], try point(ahead: 0)) == "08:00")
    }

    @Test func `too few entries or dates give the other time, and ties the earlier hour`() throws {
        let hours = [9: (10, 3.0), 15: (10, 3.0)]

        #expect(seconds(hours, try point(entries: 21)) == "12:00")
        #expect(seconds(hours, try point(days: 11)) == "12:00")
        #expect(seconds(hours, try point(entries: 20, days: 10)) == "08:45")
        #expect(seconds([:], try point()) == "12:00")
    }

    @Test func `the time of a date follows from what was known when it began`() throws {
        let mood = TailoringVariable(
            id: "mood_by_hour", kind: .statistic(.mean), source: .log("mood"),
            window: .last(days: 60, ending: 0), by: .hour)
        let rule = RuleSamples.message("r", .adaptive(try point()))
        // Low at 15:00 on 20 November; even lower at 10:00 on the 21st.
        let facts = try RuleSamples.facts([
            VariableFacts.Sheet(1, "log", "2026-11-20T14:10:00Z", ["mood": .integer(1)]),
            VariableFacts.Sheet(2, "log", "2026-11-20T09:10:00Z", ["mood": .integer(5)]),
            VariableFacts.Sheet(3, "log", "2026-11-21T09:00:00Z", ["mood": .integer(-50)]),
        ])

        let points = try RuleSamples.points(
            rule, facts, from: "2026-11-19T23:00:00Z", through: "2026-11-22T22:00:00Z", variables: [mood])

        #expect(
            points == [
                "2026-11-20 12:00 2026-11-20", "2026-11-21 14:45 2026-11-21", "2026-11-22 09:45 2026-11-22",
            ])
        let planner = RuleSamples.planner(RuleSamples.study([rule], [mood]), facts)
        let decision = try #require(
            planner.decisions(at: try at("2026-11-21T13:45:00Z"), after: try at("2026-11-21T13:00:00Z")).first
        )
        #expect(decision.variables["mood_by_hour"]?["entries"]?.array?.count == 2)
        #expect(planner.nextCheck(after: try at("2026-11-21T13:45:00Z")) == (try at("2026-11-21T23:00:00Z")))
        #expect(planner.nextCheck(after: try at("2026-11-21T23:00:00Z")) == (try at("2026-11-22T08:45:00Z")))
    }
}
