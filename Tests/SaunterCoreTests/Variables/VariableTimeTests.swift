import Testing

@testable import SaunterCore

/// Local dates: clock changes, journeys, breaks, late and corrected sheets.
@Suite struct VariableTimeTests {
    private static let streak = TailoringVariable(id: "v", kind: .streak, source: .log())
    private static let today = TailoringVariable(id: "v", kind: .count, source: .log(), window: .today)
    private static let byDay = TailoringVariable(id: "v", kind: .count, source: .log(), by: .day)

    @Test func `a day of 25 hours is one local date`() throws {
        // In Berlin the clock goes back on 2026-10-25 at 03:00.
        let facts = try VariableFacts(
            in: "Europe/Berlin",
            [
                .init(1, "log", "2026-10-24T22:30:00Z", offset: 120), .init(2, "log", "2026-10-25T22:30:00Z"),
                .init(3, "log", "2026-10-25T23:30:00Z"),
            ])

        #expect(
            VariableSamples.value(Self.byDay, from: facts, at: try at("2026-10-26T12:00:00Z"))?.summary
                == "null n3: 2026-10-25 2 n2, 2026-10-26 1 n1")
        #expect(
            VariableSamples.value(Self.today, from: facts, at: try at("2026-10-25T22:59:59Z"))?.summary
                == "2 n2")
        #expect(
            VariableSamples.value(Self.today, from: facts, at: try at("2026-10-25T23:30:00Z"))?.summary
                == "1 n1")
    }

    @Test func `an entry keeps the local date of its stored offset after a journey`() throws {
        // 23:30 in New York is 05:30 of the next day in Berlin.
        var facts = try VariableFacts(
            in: "America/New_York", [.init(1, "log", "2026-11-11T04:30:00Z", offset: -300)])
        facts.zones.append(
            ZoneChange(from: try at("2026-11-11T12:00:00Z"), zone: try zone("Europe/Berlin")))

        #expect(
            VariableSamples.value(Self.byDay, from: facts, at: try at("2026-11-11T18:00:00Z"))?.summary
                == "null n1: 2026-11-10 1 n1")
        #expect(
            VariableSamples.value(Self.today, from: facts, at: try at("2026-11-11T18:00:00Z"))?.summary
                == "0 n0")
    }

    @Test func `a local date that a journey skips does not end a streak`() throws {
        // From 23:30 on the 9th in Pago Pago to 00:30 on the 11th on Kiritimati.
        let sheets = try [
            VariableFacts.Sheet(1, "log", "2026-11-09T20:00:00Z", offset: -660),
            VariableFacts.Sheet(2, "log", "2026-11-10T12:00:00Z", offset: 840),
        ]
        var facts = try VariableFacts(in: "Pacific/Pago_Pago", sheets)
        facts.zones.append(
            ZoneChange(from: try at("2026-11-10T10:30:00Z"), zone: try zone("Pacific/Kiritimati")))

        #expect(
            VariableSamples.value(Self.streak, from: facts, at: try at("2026-11-10T13:00:00Z"))?.summary
                == "2 n2 best 2 on 2026-11-11")
        // Without the journey the 10th would have been missed.
        facts.zones = [ZoneChange(from: facts.enrolledAt, zone: try zone("Pacific/Kiritimati"))]
        #expect(
            VariableSamples.value(Self.streak, from: facts, at: try at("2026-11-10T13:00:00Z"))?.summary
                == "1 n2 best 1 on 2026-11-11")
    }

    @Test func `an entry with a later local date than today counts from that date on`() throws {
        // Written on the 11th on Kiritimati; then a flight back to Pago Pago, where it is the 10th.
        var facts = try VariableFacts(
            in: "Pacific/Kiritimati", [.init(1, "log", "2026-11-10T12:00:00Z", offset: 840)])
        facts.zones.append(
            ZoneChange(from: try at("2026-11-10T13:00:00Z"), zone: try zone("Pacific/Pago_Pago")))
        let all = TailoringVariable(id: "v", kind: .count, source: .log())

        #expect(
            VariableSamples.value(Self.today, from: facts, at: try at("2026-11-10T14:00:00Z"))?.summary
                == "0 n0")
        #expect(
            VariableSamples.value(Self.streak, from: facts, at: try at("2026-11-10T14:00:00Z"))?.summary
                == "0 n0 best 0")
        #expect(
            VariableSamples.value(all, from: facts, at: try at("2026-11-10T14:00:00Z"))?.summary == "1 n1")
        #expect(
            VariableSamples.value(Self.today, from: facts, at: try at("2026-11-11T14:00:00Z"))?.summary
                == "1 n1")
    }

    @Test func `dates that a break touches neither extend nor end a streak`() throws {
        var facts = try VariableFacts(
            in: "UTC",
            [
                .init(1, "log", "2026-11-09T20:00:00Z", offset: 0),
                .init(2, "log", "2026-11-13T20:00:00Z", offset: 0),
            ])
        facts.breaks = [Pause(from: try at("2026-11-10T18:00:00Z"), to: try at("2026-11-13T00:00:00Z"))]

        #expect(
            VariableSamples.value(Self.streak, from: facts, at: try at("2026-11-13T21:00:00Z"))?.summary
                == "2 n2 best 2 on 2026-11-13")
        // The end of a break is not part of it, so the 12th would be missed.
        facts.breaks[0].to = try at("2026-11-12T00:00:00Z")
        #expect(
            VariableSamples.value(Self.streak, from: facts, at: try at("2026-11-13T21:00:00Z"))?.summary
                == "1 n2 best 1 on 2026-11-13")
        // A break that still lasts keeps the run.
        facts.breaks = [Pause(from: try at("2026-11-14T18:00:00Z"))]
        #expect(
            VariableSamples.value(Self.streak, from: facts, at: try at("2026-11-20T21:00:00Z"))?.summary
                == "1 n2 best 1 on 2026-11-13")
    }

    @Test func `a break with a flight to the west touches the earlier date, too`() throws {
        var facts = try VariableFacts(in: "Australia/Lord_Howe", [.init(1, "log", "2026-11-04T12:59:00Z")])
        // On Lord Howe the break begins on the 6th. In Honolulu it continues on the evening of the 5th.
        facts.zones.append(
            ZoneChange(from: try at("2026-11-06T09:06:00Z"), zone: try #require(Zone("Pacific/Honolulu"))))
        facts.breaks = [Pause(from: try at("2026-11-05T19:15:00Z"), to: try at("2026-11-07T21:15:00Z"))]

        #expect(
            VariableSamples.value(Self.streak, from: facts, at: try at("2026-11-08T11:28:00Z"))?.summary
                == "1 n1 best 1 on 2026-11-04")
    }

    @Test
    func `late, corrected, deleted and duplicate sheets count at their completion, in any order of receipt`()
        throws
    {
        var sheets = try [
            VariableFacts.Sheet(1, "log", "2026-11-19T10:00:00Z", ["mood": .integer(1)]),
            VariableFacts.Sheet(1, "log", "2026-11-19T10:00:00Z", ["mood": .integer(3)], revision: 3),
            VariableFacts.Sheet(1, "log", "2026-11-19T10:00:00Z", ["mood": .integer(2)], revision: 2),
            VariableFacts.Sheet(
                2, "log", "2026-11-20T10:00:00Z", ["mood": .integer(9)], revision: 2,
                deletedAt: "2026-11-21T10:00:00Z"),
            VariableFacts.Sheet(2, "log", "2026-11-20T10:00:00Z", ["mood": .integer(9)]),
            VariableFacts.Sheet(3, "log", "2026-11-21T10:00:00Z", ["mood": .integer(8)], duplicateOf: 4),
            VariableFacts.Sheet(4, "log", "2026-11-21T10:00:00Z", ["mood": .integer(5)]),
            VariableFacts.Sheet(5, "log", "2026-11-18T10:00:00Z", ["mood": .integer(7)]),
        ]
        let latest = TailoringVariable(id: "v", kind: .latest, source: .log("mood"))
        let list = TailoringVariable(id: "v", kind: .list(activeIn: nil), source: .log("mood"))
        var random = SeededCases(1)

        for _ in 0..<20 {
            sheets.shuffle(using: &random)
            let facts = try VariableFacts(in: "Europe/Berlin", sheets)

            #expect(
                VariableSamples.value(latest, from: facts, at: try at("2026-11-21T18:00:00Z"))?.summary
                    == "5 n3")
            #expect(
                VariableSamples.value(list, from: facts, at: try at("2026-11-21T18:00:00Z"))?.entries?.map(
                    \.value)
                    == [7, 3, 5].map { .exact(Quantity($0)) })
            // An earlier instant does not know what happened later. The deletion is known.
            #expect(
                VariableSamples.value(latest, from: facts, at: try at("2026-11-20T18:00:00Z"))?.summary
                    == "3 n2")
        }
    }

    @Test func `of two sheets of the same instant the one with the greater id is newer`() throws {
        let facts = try VariableFacts(
            in: "UTC",
            [
                .init(2, "log", "2026-11-19T10:00:00Z", ["mood": .integer(2)]),
                .init(1, "log", "2026-11-19T10:00:00Z", ["mood": .integer(1)]),
            ])
        let latest = TailoringVariable(id: "v", kind: .latest, source: .log("mood"))

        #expect(
            VariableSamples.value(latest, from: facts, at: try at("2026-11-21T18:00:00Z"))?.summary == "2 n2")
    }

    @Test(arguments: [
        ("2026-01-31", "2026-01-26 2026-01-31", "2026-01-01 2026-01-31", "2025-12-01 2025-12-31"),
        ("2026-03-01", "2026-02-23 2026-03-01", "2026-03-01 2026-03-01", "2026-02-01 2026-02-28"),
        ("2024-03-04", "2024-03-04 2024-03-04", "2024-03-01 2024-03-04", "2024-02-01 2024-02-29"),
    ])
    func `calendar windows end today, and last_month is whole`(
        today: String, week: String, month: String, last: String
    ) throws {
        func text(_ window: TailoringVariable.Window) throws -> String? {
            window.dates(today: try day(today)).map { "\($0.lowerBound) \($0.upperBound)" }
        }

        #expect(try text(.thisWeek) == week)
        #expect(try text(.thisMonth) == month)
        #expect(try text(.lastMonth) == last)
    }

    @Test func `the window before has the same number of dates or is the calendar unit before`() throws {
        func previous(_ window: TailoringVariable.Window) throws -> String? {
            window.previousDates(today: try day("2026-03-31")).map { "\($0.lowerBound) \($0.upperBound)" }
        }

        #expect(try previous(.today) == "2026-03-30 2026-03-30")
        #expect(try previous(.thisWeek) == "2026-03-23 2026-03-29")
        #expect(try previous(.thisMonth) == "2026-02-01 2026-02-28")
        #expect(try previous(.lastMonth) == "2026-01-01 2026-01-31")
        #expect(try previous(.last(days: 7, ending: 0)) == "2026-03-18 2026-03-24")
        #expect(try previous(.last(days: 7, ending: 7)) == "2026-03-11 2026-03-17")
        #expect(try previous(.since(event: "move")) == nil)
    }
}
