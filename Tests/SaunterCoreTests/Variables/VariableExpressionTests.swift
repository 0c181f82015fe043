import Testing

@testable import SaunterCore

@Suite struct VariableExpressionTests {
    private static func facts() throws -> VariableFacts {
        try VariableFacts(
            in: "Europe/Berlin",
            [
                .init(
                    1, "log", "2026-11-20T10:00:00Z",
                    [
                        "mood": .integer(4), "topics": .codes("work", "home"), "note": .text("abc"),
                        "born": .date(LocalDate(days: 20_000)),
                    ]),
                .init(2, "log", "2026-11-21T09:00:00Z", ["mood": .integer(7), "feeling": .code("happy")]),
                .init(
                    3, "area", "2026-11-15T23:30:00Z",
                    [
                        "stress": .code("red"), "past": .code("green"), "stress_done": .integer(40),
                    ]),
            ])
    }

    /// Variables that the expressions name.
    private static let variables: [TailoringVariable] = [
        .init(id: "mood", kind: .latest, source: .log("mood")),
        .init(id: "feeling", kind: .latest, source: .log("feeling")),
        .init(id: "note", kind: .latest, source: .log("note")),
        .init(id: "topics", kind: .latest, source: .log("topics")),
        .init(id: "born", kind: .latest, source: .log("born")),
        .init(id: "calm", kind: .latest, source: .log("calm")),
        .init(id: "last", kind: .at(isOldest: false), source: .log()),
        .init(id: "assessed", kind: .at(isOldest: false), source: .entry(.init(["area"]))),
        .init(
            id: "area", kind: .latest, source: .entry(.init(["area"], .items(["stress", "past", "meaning"])))),
        .init(
            id: "done", kind: .latest, source: .entry(.init(["area"], .items(["stress_done", "past_done"])))),
        .init(id: "by_hour", kind: .count, source: .log(), by: .hour),
        .init(id: "streak", kind: .streak, source: .log()),
        .init(id: "red", kind: .keys(of: "area"), condition: "value = 'red'"),
        .init(id: "entries", kind: .count, source: .log()),
        .init(id: "often", kind: .top(most: 2), source: .log("topics")),
        .init(id: "best_one", kind: .top(most: 1), source: .log("topics")),
        .init(id: "no_one", kind: .count, source: .log(), window: .lastMonth),
    ]

    private func value(_ expression: String) throws -> VariableValue {
        let variable = TailoringVariable(id: "v", kind: .expression(expression))
        let study = VariableSamples.study(Self.variables + [variable])
        #expect(study.faults().filter { $0.pointer.hasPrefix("/variables") } == [])
        return try #require(
            VariablePlan(study).values(of: ["v"], from: try Self.facts(), at: try at("2026-11-21T18:30:00Z"))
                .first)
    }

    @Test(arguments: [
        "mood * 10 = 70", "feeling = 'happy'", "'home' in topics", "length(note) = 3", "entries.n = 2",
        "area.stress = 'red'", "area.past in ('green', 'amber')", "not exists(area.meaning)", "exists(area)",
        "count(area) = 2", "count(red) = 1", "'stress' in red", "count(done) = 1", "sum(done) = 40",
        "max(by_hour) = 1", "min(by_hour) = 1", "mean(by_hour) = 1", "count(by_hour) = 2",
        "by_hour.11 + 1 = 2",
        "by_hour.3 = 0", "streak = 2", "streak.best = 2", "streak.last_on = today()", "days_since(last) = 0",
        "days_since(assessed) = 5", "days_since(born) > 400", "days_since(streak.last_on) = 0",
        "if(exists(calm), 1, 2) = 2",
        "today() = @2026-11-21", "'home' in often", "count(often) = 2", "best_one = 'work'", "no_one + 1 = 1",
        "sum(mood, calm, done) = 47", "last > assessed", "red.stress = 'red'", "often.home = 1",
    ])
    func `the expression is true`(expression: String) throws {
        #expect(try value(expression).value == .boolean(true))
    }

    @Test(arguments: [
        ("calm + 1", "null n0 too_few"), ("1 / (entries - entries)", "null n2 undefined"), ("1 + 1", "2 n0"),
        ("mood + entries", "9 n2"), ("area.meaning", "null n2 undefined"),
        ("days_since(calm_at)", "null n0 too_few"),
        ("if(calm > 1, mood, entries)", "null n0 too_few"), ("today() + 1", "2026-11-22 n0"),
    ])
    func `n is the smallest n, and a null has the reason of the first null variable`(
        expression: String, summary: String
    ) throws {
        let calmAt = TailoringVariable(
            id: "calm_at", kind: .at(isOldest: false), source: .log(), window: .lastMonth)
        let variable = TailoringVariable(id: "v", kind: .expression(expression))
        let plan = VariablePlan(VariableSamples.study(Self.variables + [calmAt, variable]))

        let value = plan.values(of: ["v"], from: try Self.facts(), at: try at("2026-11-21T18:30:00Z")).first

        #expect(value?.summary == summary)
    }

    @Test(arguments: [
        ("area.other = 'red'", "At character 1: area has no key other that an expression can name."),
        ("area.stress = 'blue'", "At character 15: area.stress has no option with this code."),
        ("area = 'red'", "At character 1: several answers cannot be compared; use `in`."),
        ("area", "At character 1: the result is several answers, not one value."),
        ("mood.stress > 1", "At character 1: mood has no keys."),
        ("mood.best > 1", "At character 1: only a streak without keys has best."),
        ("it = 1", "At character 1: it exists only in `where` of `keys`."),
        ("area.it = 'red'", "At character 1: it exists only in `where` of `keys`."),
        ("nothing + 1", "At character 1: there is no variable nothing."),
        ("days_since(mood)", "At character 12: days_since needs a variable that is a date or an instant."),
        ("days_since(today())", "At character 12: days_since needs a variable that is a date or an instant."),
        ("mood + feeling", "At character 8: this is a text, not a number."),
        ("mood +", "At character 7: a value is missing at the end."),
        ("mean(area)", "At character 6: this is several answers, not a number."),
    ])
    func `an expression with a fault is reported with its position`(expression: String, detail: String) {
        let variable = TailoringVariable(id: "v", kind: .expression(expression))

        let faults = VariableSamples.study(Self.variables + [variable]).faults()
            .filter { $0.pointer.hasPrefix("/variables") }

        #expect(faults.map(\.pointer) == ["/variables/\(Self.variables.count)/expression"])
        #expect(faults.map(\.detail) == [detail])
    }

    @Test(arguments: ["a.b = 1", "days_since(a) > 1"])
    func `expressions of questionnaires have neither members nor days_since`(expression: String) {
        #expect(throws: ExpressionFault.self) { try Expression(expression) }
        #expect(throws: Never.self) { try Expression(expression, dialect: .variables) }
    }

    @Test func `an expression of a questionnaire does not name the functions of variables`() throws {
        let fault = #expect(throws: ExpressionFault.self) { try Expression("other(1)") }

        #expect(
            fault?.detail
                == "there is no function other; there are count, sum, min, max, mean, abs, length, exists, if, today"
        )
    }
}
