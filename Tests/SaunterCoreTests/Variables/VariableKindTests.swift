import Testing

@testable import SaunterCore

/// Every kind of variable over the history of one participant in Berlin. Now is 2026-11-21, 19:30 local time, a
/// Saturday.
@Suite struct VariableKindTests {
    /// Sheets 1–6 and 8 count: 8 is a corrected sheet. Sheet 7 is deleted, and sheet 9 is a duplicate.
    private static func facts() throws -> VariableFacts {
        var facts = try VariableFacts(
            in: "Europe/Berlin",
            [
                .init(
                    1, "log", "2026-11-01T08:00:00Z",
                    [
                        "mood": .integer(2), "feeling": .code("sad"), "topics": .codes("work"),
                        "slept": .boolean(false),
                        "kind": .code("b"),
                    ], scores: ["level": 2]),
                .init(
                    2, "log", "2026-11-10T07:00:00Z",
                    [
                        "mood": .integer(4), "feeling": .code("happy"), "topics": .codes("work", "home"),
                        "slept": .boolean(true), "calm": .decimal(0.1),
                    ], source: "clinic", scores: ["level": 4]),
                .init(
                    3, "log", "2026-11-14T22:30:00Z",
                    [
                        "mood": .integer(6), "feeling": .code("happy"), "topics": .codes("home"),
                        "calm": .decimal(0.2),
                    ]),
                .init(
                    4, "log", "2026-11-15T23:30:00Z",
                    [
                        "mood": .integer(8), "feeling": .code("unsure"), "note": .text("words"),
                        "doses": .list([.integer(1), .integer(2)]),
                    ]),
                .init(
                    5, "log", "2026-11-20T10:00:00Z",
                    [
                        "mood": .integer(3), "feeling": .code("sad"), "topics": .codes("work", "home"),
                        "rating": .option(.integer(2)), "born": .date(LocalDate(days: 0)),
                        "bed": .time(.midnight),
                    ]),
                .init(
                    6, "log", "2026-11-21T10:00:00Z",
                    [
                        "feeling": .code("happy"), "topics": .codes("family"), "rating": .option(.integer(3)),
                        "place": .location(Location(latitude: 52.52, longitude: 13.4)),
                    ]),
                .init(
                    7, "log", "2026-11-21T11:00:00Z", ["mood": .integer(10)],
                    deletedAt: "2026-11-21T12:00:00Z"),
                .init(8, "log", "2026-11-19T10:00:00Z", ["mood": .integer(9)]),
                .init(8, "log", "2026-11-19T10:00:00Z", ["mood": .integer(5)], revision: 2),
                .init(9, "log", "2026-11-21T12:00:00Z", ["mood": .integer(10)], duplicateOf: 6),
                .init(
                    10, "area", "2026-11-02T08:00:00Z",
                    [
                        "stress": .code("red"), "past": .code("red"), "stress_done": .integer(10),
                    ]),
                .init(
                    11, "area", "2026-11-12T08:00:00Z",
                    [
                        "stress": .code("amber"), "stress_done": .integer(40), "past_done": .integer(0),
                    ]),
                .init(12, "breathing", "2026-11-20T20:00:00Z", ["minutes": .integer(5)]),
            ])
        facts.usageEvents = [
            .init(event: "app_opened", happenedAt: try at("2026-11-20T06:00:00Z"), offsetMinutes: 60),
            .init(
                event: "app_closed", happenedAt: try at("2026-11-20T06:01:00Z"), offsetMinutes: 60,
                seconds: 60.5),
            .init(event: "app_closed", happenedAt: try at("2026-11-20T07:01:00Z"), offsetMinutes: 60),
            .init(
                event: "feature_opened", happenedAt: try at("2026-11-20T06:00:10Z"), offsetMinutes: 60,
                feature: "diary"),
            .init(event: "feature_opened", happenedAt: try at("2026-11-20T06:00:20Z"), offsetMinutes: 60),
        ]
        facts.walks = [
            .init(startedAt: try at("2026-11-20T06:00:00Z"), offsetMinutes: 60, metrics: [.distance: 1000.5]),
            .init(startedAt: try at("2026-11-21T06:00:00Z"), offsetMinutes: 60, metrics: [.distance: 500]),
            .init(startedAt: try at("2026-11-21T07:00:00Z"), offsetMinutes: 60),
            .init(
                startedAt: try at("2026-11-21T08:00:00Z"), offsetMinutes: 60, isWalk: false,
                metrics: [.distance: 9]),
        ]
        facts.observations = [
            .init(
                system: ObservationCode.loinc, code: "8867-4", startedAt: try at("2026-11-20T06:00:00Z"),
                offsetMinutes: 60, value: 70),
            .init(
                system: "urn:other", code: "8867-4", startedAt: try at("2026-11-20T06:00:00Z"),
                offsetMinutes: 60, value: 1),
            .init(
                system: "urn:other", code: "8867-4", startedAt: try at("2026-11-20T07:00:00Z"),
                offsetMinutes: 60, value: nil),
        ]
        facts.events = ["move": try at("2026-11-15T12:00:00Z")]
        facts.messages = [
            .init(
                rule: "come-back", sentAt: try at("2026-11-18T06:00:00Z"),
                openedAt: try at("2026-11-19T06:00:00Z")),
            .init(rule: "come-back", sentAt: try at("2026-11-20T06:00:00Z")),
        ]
        facts.occasions = [
            Sample.occasion(0, schedule: "evening", open: try at("2026-11-19T17:00:00Z")),
            Sample.occasion(
                1, schedule: "evening", open: try at("2026-11-20T17:00:00Z"),
                completedAt: try at("2026-11-20T18:00:00Z")),
            Sample.occasion(2, schedule: "evening", open: try at("2026-11-21T17:00:00Z")),
            Sample.occasion(3, schedule: "evening", open: try at("2026-11-22T17:00:00Z")),
            Sample.occasion(
                4, schedule: "evening", open: try at("2026-11-18T17:00:00Z"), exclusion: .paused),
        ]
        return facts
    }

    private static func values(_ variables: [TailoringVariable]) throws -> [VariableValue] {
        VariablePlan(VariableSamples.study(variables)).values(
            from: try facts(), at: try at("2026-11-21T18:30:00Z"))
    }

    private typealias Window = TailoringVariable.Window

    /// The summary of the only variable.
    private func summary(
        _ kind: TailoringVariable.Kind, _ source: TailoringVariable.Source,
        _ window: TailoringVariable.Window? = nil,
        by: TailoringVariable.Grouping? = nil, where condition: String? = nil, least: Int? = nil
    ) throws -> String {
        let variable = TailoringVariable(
            id: "v", kind: kind, source: source, window: window, by: by, condition: condition, least: least)
        #expect(
            VariableSamples.study([variable]).faults().filter { $0.pointer.hasPrefix("/variables") } == [])
        return try #require(try Self.values([variable]).first).summary
    }

    @Test func `latest and first are the newest and oldest answers that are not blank`() throws {
        #expect(try summary(.latest, .log("mood")) == "3 n6")
        #expect(try summary(.first, .log("mood")) == "2 n6")
        #expect(try summary(.first, .log("mood"), .lastMonth) == "null n0 too_few")
        #expect(try summary(.latest, .log("feeling")) == "happy n6")
        #expect(try summary(.latest, .log("topics")) == "[family] n5")
        #expect(try summary(.latest, .log("rating")) == "3 n2")
        #expect(try summary(.latest, .log("note")) == "words n1")
        #expect(try summary(.latest, .log("slept")) == "true n2")
        #expect(try summary(.latest, .log("born")) == "1970-01-01 n1")
        #expect(try summary(.latest, .log("bed")) == "00:00 n1")
        #expect(try summary(.latest, .log("doses")) == "[1,2] n1")
        #expect(try summary(.latest, .entry(.init(["log"], .scale("level")))) == "4 n2")
        #expect(try summary(.latest, .walk(.distance)) == "500 n2")
        #expect(try summary(.first, .observation(system: ObservationCode.loinc, code: "8867-4")) == "70 n1")
        #expect(
            try summary(.latest, .entry(.init(["area"], .items(["past", "stress", "meaning"]))))
                == "null n3: past red n1, stress amber n2, meaning null n0 too_few")
    }

    @Test func `at is the moment of the newest or oldest fact, with its local date`() throws {
        #expect(try summary(.at(isOldest: false), .log()) == "2026-11-21T10:00:00.000Z n7 on 2026-11-21")
        #expect(try summary(.at(isOldest: true), .log()) == "2026-11-01T08:00:00.000Z n7 on 2026-11-01")
        #expect(
            try summary(.at(isOldest: false), .log(), .last(days: 1, ending: 5))
                == "2026-11-15T23:30:00.000Z n1 on 2026-11-16")
        #expect(try summary(.at(isOldest: false), .enrolment) == "2026-10-20T08:00:00.000Z n1 on 2026-10-20")
        #expect(
            try summary(.at(isOldest: false), .event("move")) == "2026-11-15T12:00:00.000Z n1 on 2026-11-15")
        #expect(
            try summary(.at(isOldest: false), .message(rule: "come-back", .opened))
                == "2026-11-19T06:00:00.000Z n1 on 2026-11-19")
        #expect(try summary(.at(isOldest: false), .message(rule: nil, .delivered)) == "null n0 too_few")
    }

    @Test func `counts are numbers of facts, of chosen options and of dates, and 0 if there are none`() throws
    {
        #expect(try summary(.count, .log()) == "7 n7")
        #expect(try summary(.count, .log(), .lastMonth) == "0 n0")
        #expect(try summary(.count, .log("topics")) == "7 n5")
        #expect(try summary(.count, .log("mood")) == "6 n6")
        #expect(try summary(.count, .log(), where: "mood >= 5") == "3 n3")
        #expect(try summary(.count, .entry(.init(["log", "breathing"]))) == "8 n8")
        #expect(try summary(.days, .entry(.init(["log", "breathing"]))) == "7 n8")
        #expect(try summary(.count, .usage(.featureOpened, feature: nil, isSeconds: false)) == "2 n2")
        #expect(try summary(.count, .usage(.featureOpened, feature: "diary", isSeconds: false)) == "1 n1")
        #expect(try summary(.count, .walk(nil)) == "3 n3")
        #expect(try summary(.count, .observation(system: "urn:other", code: "8867-4")) == "2 n2")
        #expect(try summary(.count, .message(rule: "come-back", .sent)) == "2 n2")
        #expect(try summary(.count, .occasion(schedule: "evening", .offered)) == "3 n3")
        #expect(try summary(.count, .occasion(schedule: nil, .answered)) == "1 n1")
        #expect(try summary(.count, .occasion(schedule: "evening", .missed)) == "1 n1")
    }

    @Test func `statistics are exact and count their values`() throws {
        #expect(try summary(.statistic(.sum), .log("mood")) == "28 n6")
        #expect(try summary(.statistic(.mean), .log("mood"), .last(days: 7, ending: 0)) == "5.333333 n3")
        #expect(try summary(.statistic(.min), .log("mood")) == "2 n6")
        #expect(try summary(.statistic(.max), .log("mood")) == "8 n6")
        #expect(try summary(.statistic(.sd), .log("mood")) == "2.160247 n6")
        #expect(
            try summary(.statistic(.sd), .log("mood"), .thisMonth, where: "mood = 8") == "null n1 undefined")
        #expect(try summary(.statistic(.sum), .log("calm")) == "0.3 n2")
        #expect(try summary(.statistic(.sum), .log("calm"), .lastMonth) == "null n0 too_few")
        #expect(try summary(.statistic(.mean), .log("mood"), least: 7) == "null n6 too_few")
        #expect(try summary(.statistic(.mean), .entry(.init(["log"], .scale("level")))) == "3 n2")
        #expect(try summary(.statistic(.sum), .usage(.appClosed, feature: nil, isSeconds: true)) == "60.5 n1")
        #expect(try summary(.statistic(.mean), .walk(.distance)) == "750.25 n2")
        #expect(try summary(.statistic(.sum), .observation(system: "urn:other", code: "8867-4")) == "1 n1")
    }

    @Test func `an option without a weight enters no mean`() throws {
        #expect(try summary(.statistic(.mean), .log("feeling")) == "62 n5")
        #expect(try summary(.statistic(.mean), .log("rating")) == "2.5 n2")
        #expect(try summary(.statistic(.mean), .log("slept")) == "0.5 n2")
    }

    @Test func `a share counts a blank condition as not fulfilled`() throws {
        #expect(try summary(.share, .log(), where: "mood >= 5") == "0.428571 n7")
        #expect(try summary(.share, .log(), .lastMonth, where: "mood >= 5") == "null n0 too_few")
    }

    @Test func `top options are sorted by frequency, then by the newest use, then by the order of the pack`()
        throws
    {
        #expect(
            try summary(.top(most: 2), .log("topics")) == "[work,home] n5: work 3 n3, home 3 n3")
        #expect(
            try summary(.top(most: 3), .log("topics"), .last(days: 2, ending: 0))
                == "[family,work,home] n2: family 1 n1, work 1 n1, home 1 n1")
        #expect(try summary(.top(most: 1), .log("feeling")) == "happy n6: happy 3 n3")
        #expect(try summary(.top(most: 1), .log("rating")) == "3 n2: 3 1 n1")
        #expect(try summary(.top(most: 1), .log("feeling"), .lastMonth) == "null n0 too_few: ")
        #expect(
            try summary(.top(most: 1), .log("topics"), by: .item("feeling"))
                == "null n5: sad work n2, happy home n3, unsure null n0 too_few")
    }

    @Test func `a series has a point for every unit of the window`() throws {
        #expect(
            try summary(.series(each: .day), .log("mood"), .last(days: 3, ending: 0))
                == "null n2: 2026-11-19 5 n1, 2026-11-20 3 n1, 2026-11-21 null n0 too_few")
        #expect(
            try summary(.series(each: .week), .log("mood"), .last(days: 14, ending: 0))
                == "null n5: 2026-11-02 null n0 too_few, 2026-11-09 5 n2, 2026-11-16 5.333333 n3")
        #expect(
            try summary(.series(each: .month), .log("mood"))
                == "null n6: 2026-10-01 null n0 too_few, 2026-11-01 4.666667 n6")
        #expect(
            try summary(.series(each: .day), .log(), .last(days: 3, ending: 0))
                == "null n3: 2026-11-19 1 n1, 2026-11-20 1 n1, 2026-11-21 1 n1")
        #expect(
            try summary(.series(each: .week), .log("mood"), .last(days: 14, ending: 0), least: 3)
                == "null n5: 2026-11-02 null n0 too_few, 2026-11-09 null n2 too_few, 2026-11-16 5.333333 n3")
    }

    @Test func `a series has at most 400 points, the newest`() throws {
        let facts = try VariableFacts(in: "UTC")
        let variable = TailoringVariable(
            id: "v", kind: .series(each: .day), source: .log(), window: .last(days: 500, ending: 0))

        let value = try #require(
            VariableSamples.value(variable, from: facts, at: try at("2026-11-21T18:30:00Z")))

        #expect(value.entries?.count == 400)
        #expect(value.entries?.last?.key == "2026-11-21")
        #expect(value.entries?.first?.key == "2025-10-18")
    }

    @Test func `a slope is per day and needs two different moments`() throws {
        // Values 5 and 3, 24 hours apart.
        #expect(try summary(.slope, .log("mood"), .last(days: 3, ending: 0)) == "-2 n2")
        #expect(try summary(.slope, .log("mood"), .last(days: 2, ending: 0)) == "null n1 undefined")
        #expect(try summary(.slope, .log("mood"), least: 7) == "null n6 too_few")
        // Checked by hand: Σ(x − x̄)(y − ȳ) / Σ(x − x̄)².
        #expect(try summary(.slope, .log("mood")) == "0.141361 n6")
    }

    @Test func `a streak counts consecutive local dates`() throws {
        #expect(try summary(.streak, .log()) == "3 n7 best 3 on 2026-11-21")
        #expect(try summary(.streak, .entry(.init(["breathing"]))) == "1 n1 best 1 on 2026-11-20")
        #expect(try summary(.streak, .log(), where: "mood > 100") == "0 n0 best 0")
        #expect(
            try summary(.streak, .entry(.init(["breathing", "log"])), by: .questionnaire)
                == "null n7: breathing 1 n1 best 1 on 2026-11-20, log 3 n7 best 3 on 2026-11-21")
    }

    @Test func `values by key exist for the keys that occur`() throws {
        #expect(
            try summary(.statistic(.mean), .log("mood"), by: .item("feeling"))
                == "null n5: sad 2.5 n2, happy 5 n2, unsure 8 n1")
        #expect(
            try summary(.statistic(.mean), .log("mood"), by: .item("topics"), least: 2)
                == "null n4: work 3 n3, home 4.333333 n3, family null n0 too_few")
        #expect(try summary(.count, .log(), by: .item("slept")) == "null n2: false 1 n1, true 1 n1")
        #expect(try summary(.count, .log(), by: .item("rating")) == "null n2: 2 1 n1, 3 1 n1")
        #expect(try summary(.count, .log(), by: .item("place")) == "null n1: 52.52,13.4 1 n1")
        #expect(try summary(.count, .log(), by: .source) == "null n7: clinic 1 n1, participant 6 n6")
        #expect(
            try summary(.count, .log(), .last(days: 8, ending: 0), by: .hour)
                == "null n5: 0 1 n1, 11 3 n3, 23 1 n1")
        #expect(
            try summary(.count, .log(), .last(days: 8, ending: 0), by: .weekday)
                == "null n5: 1 1 n1, 4 1 n1, 5 1 n1, 6 2 n2")
        #expect(
            try summary(.count, .log(), .last(days: 2, ending: 0), by: .day)
                == "null n2: 2026-11-20 1 n1, 2026-11-21 1 n1")
        #expect(
            try summary(.count, .usage(.featureOpened, feature: nil, isSeconds: false), by: .feature)
                == "null n1: diary 1 n1")
    }

    @Test func `the windows of calendar units and of days have local dates`() throws {
        let windows: [(TailoringVariable.Window, String, Int)] = [
            (.today, "2026-11-21 2026-11-21", 1), (.thisWeek, "2026-11-16 2026-11-21", 4),
            (.thisMonth, "2026-11-01 2026-11-21", 7), (.lastMonth, "2026-10-01 2026-10-31", 0),
            (.last(days: 7, ending: 0), "2026-11-15 2026-11-21", 4),
            (.last(days: 7, ending: 7), "2026-11-08 2026-11-14", 2),
            (.since(event: "move"), "2026-11-15 2026-11-21", 4),
        ]
        for (window, dates, count) in windows {
            let variable = TailoringVariable(id: "v", kind: .count, source: .log(), window: window)

            let value = try #require(try Self.values([variable]).first)

            #expect(value.window.map { "\($0.lowerBound) \($0.upperBound)" } == dates)
            #expect(value.n == count, "\(window)")
        }
    }

    @Test func `a change is this window minus the previous one`() throws {
        func change(
            _ kind: TailoringVariable.Kind, _ source: TailoringVariable.Source, _ window: Window,
            least: Int? = nil,
            by: TailoringVariable.Grouping? = nil
        ) throws -> String {
            let target = TailoringVariable(
                id: "v", kind: kind, source: source, window: window, by: by, least: least)
            let variable = TailoringVariable(id: "c", kind: .change(of: "v", since: nil))
            return try #require(try Self.values([variable, target]).first).summary
        }

        #expect(try change(.statistic(.mean), .log("mood"), .last(days: 7, ending: 0)) == "0.333333 n3")
        #expect(
            try change(.statistic(.mean), .log("mood"), .last(days: 7, ending: 0), least: 3)
                == "null n3 too_few")
        #expect(try change(.statistic(.mean), .log("mood"), .today) == "null n0 too_few")
        #expect(try change(.count, .log(), .today) == "0 n1")
        #expect(try change(.count, .log(), .thisWeek) == "2 n4")
        #expect(try change(.count, .log(), .thisMonth) == "7 n7")
        #expect(
            try change(.count, .log(), .thisWeek, by: .item("feeling"))
                == "null n3: sad 1 n1, happy -1 n1, unsure 1 n1")
        #expect(
            try change(.statistic(.mean), .log("mood"), .thisWeek, by: .item("feeling"))
                == "null n2: sad null n1 too_few, happy null n0 too_few, unsure null n1 too_few")
    }

    @Test func `a change since the start of a window compares the newest values`() throws {
        func change(since window: Window) throws -> String {
            let target = TailoringVariable(
                id: "v", kind: .latest, source: .entry(.init(["area"], .items(["stress_done", "past_done"]))))
            let variable = TailoringVariable(id: "c", kind: .change(of: "v", since: window))
            return try #require(try Self.values([variable, target]).first).summary
        }

        #expect(
            try change(since: .last(days: 15, ending: 0))
                == "null n3: stress_done 30 n2, past_done null n1 too_few")
        #expect(try change(since: .today) == "null n3: stress_done 0 n2, past_done 0 n1")
        #expect(
            try change(since: .thisMonth) == "null n3: stress_done null n2 too_few, past_done null n1 too_few"
        )
    }

    @Test func `keys are those of another variable that fulfil the condition`() throws {
        let variables: [TailoringVariable] = [
            .init(
                id: "area", kind: .latest,
                source: .entry(.init(["area"], .items(["stress", "past", "meaning"])))),
            .init(id: "first", kind: .first, source: .entry(.init(["area"], .items(["stress", "meaning"])))),
            .init(id: "red", kind: .keys(of: "area"), condition: "value = 'red'"),
            .init(id: "known", kind: .keys(of: "area"), condition: "exists(value) and exists(first.it)"),
            .init(id: "later", kind: .keys(of: "red"), condition: "not exists(first.it) or first.it = 'red'"),
            .init(id: "hours", kind: .count, source: .log(), by: .hour),
            .init(id: "late", kind: .keys(of: "hours"), condition: "it >= 11 and value > 1"),
            .init(id: "days", kind: .count, source: .log(), by: .day),
            .init(id: "before", kind: .keys(of: "days"), condition: "it < @2026-11-11"),
        ]

        let values = try Self.values(variables)
        let summaries = Dictionary(
            values.map { ($0.variable, $0.summary) }, uniquingKeysWith: { first, _ in first })

        #expect(summaries["red"] == "[past] n3: past red n1")
        #expect(summaries["known"] == "[stress] n3: stress amber n2")
        #expect(summaries["later"] == "[past] n1: past red n1")
        #expect(summaries["late"] == "[11] n5: 11 3 n3")
        #expect(summaries["before"] == "[2026-11-01,2026-11-10] n7: 2026-11-01 1 n1, 2026-11-10 1 n1")
        #expect(VariableSamples.study(variables).faults().filter { $0.pointer.hasPrefix("/variables") } == [])
    }
}
