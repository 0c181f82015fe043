import Testing

@testable import SaunterCore

struct DecisionPointTests {
    private let week = DecisionPoint.Span.seconds(7 * 86_400)

    @Test func `after enrolment counts elapsed time and numbers its points`() throws {
        let rule = RuleSamples.message(
            "r", .after(.init(start: .enrolment, firstAfter: week, repeatEvery: week, atMost: 3)))

        let points = try RuleSamples.points(
            rule, RuleSamples.facts(), from: "2026-10-20T00:00:00Z", through: "2027-10-20T00:00:00Z")

        // Summer time ends on 25 October.
        #expect(
            points == [
                "2026-10-27 09:00 enrolment#1", "2026-11-03 09:00 enrolment#2",
                "2026-11-10 09:00 enrolment#3",
            ])
    }

    @Test func `months keep the local time and the day, or take the last day of a short month`() throws {
        let rule = RuleSamples.message(
            "r",
            .after(
                .init(
                    start: .firstCompletion("log"), firstAfter: .months(1), repeatEvery: .months(1))))
        let sheet = try VariableFacts.Sheet(1, "log", "2026-12-31T11:00:00Z")

        let points = try RuleSamples.points(
            rule, RuleSamples.facts([sheet]), from: "2026-12-01T00:00:00Z", through: "2027-05-31T00:00:00Z")

        #expect(
            points.map { String($0.prefix(16)) } == [
                "2027-01-31 12:00", "2027-02-28 12:00", "2027-03-31 12:00", "2027-04-30 12:00",
            ])
        #expect(points.first?.hasSuffix("sheet:\(sheet.id)#1") == true)
    }

    @Test func `after the last completion starts again with each sheet`() throws {
        let rule = RuleSamples.message(
            "r", .after(.init(start: .lastCompletion("log"), firstAfter: .seconds(3600))))
        let facts = try RuleSamples.facts([
            VariableFacts.Sheet(1, "log", "2026-11-01T10:00:00Z"),
            VariableFacts.Sheet(2, "log", "2026-11-02T10:00:00Z"),
        ])

        for (now, expected) in [("2026-11-01T12:00:00Z", 1), ("2026-11-02T12:00:00Z", 2)] {
            let points = try RuleSamples.points(rule, facts, from: "2026-10-31T00:00:00Z", through: now)

            #expect(
                points == ["2026-11-0\(expected) 12:00 sheet:\(VariableSamples.sheetID(expected))#1"])
        }
    }

    @Test func `after an event and after a variable name the instant`() throws {
        let seen = TailoringVariable(id: "seen", kind: .at(isOldest: false), source: .entry(.init(["log"])))
        let facts = try RuleSamples.facts([VariableFacts.Sheet(1, "log", "2026-11-01T10:00:00Z")]) {
            $0.variables.events["move"] = try at("2026-11-02T10:00:00Z")
        }
        for (start, name) in [
            (DecisionPoint.Start.event("move"), "event:move@2026-11-02T10:00:00.000Z#1"),
            (.variable("seen"), "variable:seen@2026-11-01T10:00:00.000Z#1"),
        ] {
            let rule = RuleSamples.message("r", .after(.init(start: start, firstAfter: .seconds(86_400))))

            let points = try RuleSamples.points(
                rule, facts, from: "2026-10-31T00:00:00Z", through: "2026-11-10T00:00:00Z", variables: [seen])

            #expect(points.map { $0.dropFirst(17) } == [name[...]])
        }
    }

    @Test func `a corrected event does not repeat a point, and an event after the decision is new`() throws {
        let rule = RuleSamples.message(
            "r", .after(.init(start: .event("move"), firstAfter: .seconds(86_400), repeatEvery: week)))
        for (instant, expected) in [("2026-11-02T09:00:00Z", [2]), ("2026-11-04T09:00:00Z", [1, 2])] {
            let facts = try RuleSamples.facts {
                $0.variables.events["move"] = try at(instant)
                $0.decisions = [
                    .init(
                        rule: "r", point: "event:move@2026-11-02T10:00:00.000Z#1", key: "",
                        decidedAt: try at("2026-11-03T10:00:00Z"), outcome: .message)
                ]
            }

            let points = try RuleSamples.points(
                rule, facts, from: "2026-10-31T00:00:00Z", through: "2026-11-13T00:00:00Z")

            #expect(points.compactMap { $0.last.flatMap { Int(String($0)) } } == expected)
        }
    }

    @Test func `inactivity counts from the last activity, without breaks`() throws {
        let rule = RuleSamples.message(
            "r", .after(.init(start: .inactive, firstAfter: .seconds(3 * 86_400), repeatEvery: week)))
        let facts = try RuleSamples.facts {
            $0.lastActivity = try at("2026-11-01T11:00:00Z")
            $0.variables.breaks = [
                Pause(from: try at("2026-11-02T00:00:00Z"), to: try at("2026-11-04T00:00:00Z"))
            ]
        }

        let points = try RuleSamples.points(
            rule, facts, from: "2026-10-31T00:00:00Z", through: "2026-11-14T00:00:00Z")

        #expect(
            points == [
                "2026-11-06 12:00 inactive@2026-11-01T11:00:00.000Z#1",
                "2026-11-13 12:00 inactive@2026-11-01T11:00:00.000Z#2",
            ])
    }

    @Test func `a calendar has times of literals and settings on weekdays or days of the month`() throws {
        let times = RuleSamples.times("17:00") + [.setting("times")]
        let facts = try RuleSamples.facts {
            $0.settings = ["times": ["09:00", "17:00", "12:30"], "days": ["mon", "thursday"]]
        }
        let cases: [(DecisionPoint.Days, [String])] = [
            (
                .weekdays([.setting("days"), .literal(5)]),
                [
                    "2026-11-26 09:00 2026-11-26#1", "2026-11-26 12:30 2026-11-26#2",
                    "2026-11-26 17:00 2026-11-26#3",
                    "2026-11-27 09:00 2026-11-27#1", "2026-11-27 12:30 2026-11-27#2",
                    "2026-11-27 17:00 2026-11-27#3",
                    "2026-11-30 09:00 2026-11-30#1", "2026-11-30 12:30 2026-11-30#2",
                    "2026-11-30 17:00 2026-11-30#3",
                ]
            ),
            (
                .ofMonth([.literal(31)]),
                [
                    "2026-11-30 09:00 2026-11-30#1", "2026-11-30 12:30 2026-11-30#2",
                    "2026-11-30 17:00 2026-11-30#3",
                ]
            ),
        ]
        for (days, expected) in cases {
            let rule = RuleSamples.message("r", .calendar(.init(times: times, days: days)))

            let points = try RuleSamples.points(
                rule, facts, from: "2026-11-25T00:00:00Z", through: "2026-11-30T23:00:00Z")

            #expect(points == expected)
        }
    }

    @Test(arguments: [
        (4, 0, ["10:30", "13:30", "16:30", "19:30"]), (1, 0, ["15:00"]), (0, 0, []),
        (4, 4 * 3600, ["11:00", "15:00", "19:00"]), (4, 13 * 3600, ["15:00"]),
    ])
    func `even moments are in the middle of equal parts, as many as the gap permits`(
        count: Int, gap: Int, expected: [String]
    ) throws {
        let perDay = DecisionPoint.PerDay(
            count: .setting("count"), from: try time("09:00"), to: try time("21:00"), minimumGap: gap)
        let facts = try RuleSamples.facts { $0.settings = ["count": .int(count)] }

        let points = try RuleSamples.points(
            RuleSamples.message("r", .perDay(perDay)), facts, from: "2026-11-21T00:00:00Z",
            through: "2026-11-21T22:00:00Z")

        #expect(points.map { $0.dropFirst(11).prefix(5) } == expected.map { $0[...] })
    }

    @Test func `random moments keep the gap, and are the same each time`() throws {
        let perDay = DecisionPoint.PerDay(
            count: .literal(6), from: try time("09:00"), to: try time("21:00"), minimumGap: 5400,
            spread: .random)
        let planner = RuleSamples.planner(
            RuleSamples.study([RuleSamples.message("r", .perDay(perDay))]), try RuleSamples.facts())
        let (from, through) = (try at("2026-11-01T00:00:00Z"), try at("2026-11-30T23:00:00Z"))

        let points = planner.points(of: "r", from: from, through: through, at: through)

        #expect(points.count == 180)
        #expect(points == planner.points(of: "r", from: from, through: through, at: through))
        for day in Dictionary(grouping: points, by: { $0.point.prefix(10) }).values {
            let gaps = zip(day, day.dropFirst()).map { $1.moment.milliseconds(since: $0.moment) }
            #expect(gaps.allSatisfy { $0 >= 5_400_000 })
        }
        #expect(Set(points.map { $0.moment.milliseconds % 86_400_000 }).count > 100)
    }

    @Test func `a cycle takes the elements in turn from the Monday of the week of enrolment`() throws {
        func points(since: LocalDate?) throws -> [String] {
            let cycle = DecisionPoint.Cycle(
                over: ["a", "b", "c"], days: 7, time: try time("17:00"), since: since)
            return try RuleSamples.points(
                RuleSamples.message("r", .cycle(cycle)), RuleSamples.facts(), from: "2026-10-01T00:00:00Z",
                through: "2026-11-16T00:00:00Z")
        }

        // The first span begins on 19 October, before the enrolment.
        #expect(
            try points(since: nil) == [
                "2026-10-26 17:00 2026-10-26 b", "2026-11-02 17:00 2026-11-02 c",
                "2026-11-09 17:00 2026-11-09 a",
            ])
        #expect(
            try points(since: day("2026-11-01")) == [
                "2026-11-01 17:00 2026-11-01 a", "2026-11-08 17:00 2026-11-08 b",
                "2026-11-15 17:00 2026-11-15 c",
            ])
    }

    @Test func `points are between the enrolment, the study version and the study's end`() throws {
        let rule = RuleSamples.message("r", RuleSamples.daily("17:00"))
        let facts = try RuleSamples.facts { $0.followedFrom = try at("2026-10-22T17:00:00Z") }

        let points = try RuleSamples.points(
            rule, facts, from: "2026-10-01T00:00:00Z", through: "2027-01-01T00:00:00Z", days: 5)

        #expect(
            points == [
                "2026-10-23 17:00 2026-10-23#1", "2026-10-24 17:00 2026-10-24#1",
                "2026-10-25 17:00 2026-10-25#1",
            ])
    }

    @Test func `a published item is a point of its edition`() throws {
        let rule = RuleSamples.message("r", .published(collection: "tips"))
        let facts = try RuleSamples.facts {
            $0.publications = [
                .init(collection: "tips", edition: 3, item: "b", publishedAt: try at("2026-11-01T11:00:00Z")),
                .init(collection: "tips", edition: 3, item: "a", publishedAt: try at("2026-11-01T11:00:00Z")),
                .init(
                    collection: "other", edition: 3, item: "c", publishedAt: try at("2026-11-01T11:00:00Z")),
            ]
        }

        let points = try RuleSamples.points(
            rule, facts, from: "2026-10-21T00:00:00Z", through: "2026-11-02T00:00:00Z")

        #expect(points == ["2026-11-01 12:00 edition:3 a", "2026-11-01 12:00 edition:3 b"])
    }

    // MARK: Records and the app

    @Test func `an entry decides once per sheet`() throws {
        let study = RuleSamples.study([RuleSamples.message("r", .entry(questionnaire: "log"))])
        let sheet = try VariableFacts.Sheet(1, "log", "2026-11-01T10:00:00Z")
        var planner = RuleSamples.planner(study, try RuleSamples.facts([sheet]))
        let before = try RuleSamples.facts().variables
        let now = try at("2026-11-01T10:00:01Z")

        let first = planner.decisions(after: .sheet(sheet.id, of: "log"), before: before, at: now)
        planner.facts.decisions = first.map {
            .init(rule: "r", point: $0.point.point, key: "", decidedAt: now, outcome: $0.outcome)
        }
        let again = planner.decisions(after: .sheet(sheet.id, of: "log"), before: before, at: now)
        let other = planner.decisions(after: .sheet(sheet.id, of: "area"), before: before, at: now)

        #expect(first.map(\.summary) == ["r sheet:\(sheet.id) message"])
        #expect(again.isEmpty && other.isEmpty)
    }

    private let area = TailoringVariable(
        id: "area", kind: .latest, source: .entry(.init(["area"], .items(["stress", "past"]))))

    @Test func `reached decides for each key whose condition becomes true`() throws {
        let rule = RuleSamples.message("r", .reached(.init(condition: "area.it = 'red'", over: "area"))) {
            $0.condition = "it != 'past'"
            $0.logsAll = true
        }
        let old = try VariableFacts.Sheet(
            1, "area", "2026-11-01T10:00:00Z", ["stress": .code("red"), "past": .code("green")])
        let new = try VariableFacts.Sheet(
            2, "area", "2026-11-02T10:00:00Z", ["stress": .code("red"), "past": .code("red")])
        let study = RuleSamples.study([rule], [area])
        let now = try at("2026-11-02T10:00:00Z")
        func decisions(_ before: [VariableFacts.Sheet], _ sheets: [VariableFacts.Sheet]) throws -> [String] {
            RuleSamples.planner(study, try RuleSamples.facts(sheets)).decisions(
                after: .sheet(sheets[sheets.count - 1].id, of: "area"),
                before: try RuleSamples.facts(before).variables,
                at: now
            ).map { String($0.summary.drop { $0 != " " }.dropFirst(44)) }
        }

        #expect(try decisions([], [old]) == ["stress message"])
        #expect(try decisions([old], [old, new]) == ["past when"])
        #expect(try decisions([old, new], [old, new]) == [])
    }

    @Test func `reached with a delay follows the sheet that made the condition true`() throws {
        let rule = RuleSamples.message(
            "r",
            .reached(.init(condition: "area.it = 'red'", over: "area", firstAfter: .seconds(42 * 86_400))))
        let facts = try RuleSamples.facts([
            VariableFacts.Sheet(1, "area", "2026-11-01T10:00:00Z", ["stress": .code("red")]),
            VariableFacts.Sheet(
                2, "area", "2026-11-02T10:00:00Z", ["stress": .code("red"), "past": .code("red")]),
        ])

        let points = try RuleSamples.points(
            rule, facts, from: "2026-10-21T00:00:00Z", through: "2026-12-31T00:00:00Z", variables: [area])

        #expect(
            points == [
                "2026-12-13 11:00 sheet:\(VariableSamples.sheetID(1)) stress",
                "2026-12-14 11:00 sheet:\(VariableSamples.sheetID(2)) past",
            ])
    }

    @Test func `the app gets a prompt once per visit or date, also in quiet hours`() throws {
        for (visit, again, expected) in [
            (DecisionPoint.Visit.visit, "2026-11-01T22:29:00Z", 0), (.visit, "2026-11-01T22:31:00Z", 1),
            (.day, "2026-11-01T22:31:00Z", 0), (.day, "2026-11-01T23:01:00Z", 1),
        ] {
            let study = RuleSamples.study([RuleSamples.message("r", .appOpen(visit))], most: 1)
            var planner = RuleSamples.planner(
                study,
                try RuleSamples.facts { $0.messages = [.init(rule: nil, at: try at("2026-11-01T20:00:00Z"))] }
            )
            let first = planner.appOpenDecisions(at: try at("2026-11-01T22:00:00Z"))
            planner.facts.decisions = first.map {
                .init(
                    rule: "r", point: $0.point.point, key: "", decidedAt: $0.decidedAt, outcome: $0.outcome)
            }

            #expect(first.map(\.outcome) == [.message] && first.first?.countsForDay == false)
            #expect(planner.appOpenDecisions(at: try at(again)).count == expected)
        }
    }
}
