import Testing

@testable import SaunterCore

@Suite struct VariablePlanTests {
    private static let variables: [TailoringVariable] = [
        .init(
            id: "mood", kind: .statistic(.mean), source: .log("mood"), window: .today, by: .item("feeling")),
        .init(id: "good", kind: .count, source: .log(), condition: "slept and mood > 3"),
        .init(id: "change", kind: .change(of: "mood", since: nil)),
        .init(id: "level", kind: .latest, source: .entry(.init(["log"], .scale("level")))),
        .init(
            id: "now", kind: .count, source: .entry(.init(["goal_done"])),
            window: .during(questionnaire: "goal")),
        .init(id: "opened", kind: .count, source: .usage(.appOpened, feature: nil, isSeconds: false)),
        .init(id: "walks", kind: .count, source: .walk(nil), window: .since(event: "move")),
        .init(id: "streak", kind: .streak, source: .observation(system: "urn:x", code: "y")),
        .init(id: "twice", kind: .expression("opened * 2")),
        .init(id: "messages", kind: .count, source: .message(rule: nil, .sent)),
        .init(id: "occasions", kind: .count, source: .occasion(schedule: nil, .offered)),
    ]

    private func needs(_ ids: String...) -> VariablePlan.Needs {
        VariablePlan(VariableSamples.study(Self.variables)).needs(for: ids)
    }

    @Test func `a loader reads only what the variables need`() {
        var expected = VariablePlan.Needs()
        #expect(needs() == expected)

        expected.questionnaires = ["log"]
        expected.answers = ["log": ["mood", "feeling"]]
        #expect(needs("change") == expected)
        expected.answers = ["log": ["mood", "slept"]]
        #expect(needs("good") == expected)
        expected.answers = [:]
        expected.scores = ["log"]
        #expect(needs("level") == expected)

        expected = VariablePlan.Needs()
        expected.questionnaires = ["goal", "goal_end", "goal_done"]
        #expect(needs("now") == expected)

        expected = VariablePlan.Needs()
        expected.usageEvents = ["app_opened"]
        #expect(needs("twice") == expected)

        expected = VariablePlan.Needs()
        expected.walks = true
        expected.events = true
        #expect(needs("walks") == expected)

        expected = VariablePlan.Needs()
        expected.observations = true
        expected.breaks = true
        #expect(needs("streak") == expected)

        expected = VariablePlan.Needs()
        expected.messages = true
        expected.occasions = true
        #expect(needs("messages", "occasions") == expected)
    }

    @Test func `values are in the order of the ids, and unknown ids are left out`() throws {
        let plan = VariablePlan(VariableSamples.study(Self.variables))
        let facts = try VariableFacts(in: "UTC")
        let now = try at("2026-11-21T18:30:00Z")

        #expect(
            plan.values(of: ["walks", "nothing", "good"], from: facts, at: now).map(\.variable) == [
                "walks", "good",
            ])
        #expect(plan.values(from: facts, at: now).map(\.variable) == Self.variables.map(\.id))
    }

    @Test func `a shape says how keys and values are labelled`() {
        let plan = VariablePlan(
            VariableSamples.study([
                .init(id: "mood", kind: .statistic(.mean), source: .log("mood"), by: .item("feeling")),
                .init(id: "feeling", kind: .latest, source: .log("feeling")),
                .init(id: "note", kind: .latest, source: .log("note")),
                .init(id: "copy", kind: .expression("note")),
                .init(id: "long", kind: .expression("length(note)")),
                .init(
                    id: "area", kind: .latest, source: .entry(.init(["area"], .items(["stress", "past"])))),
                .init(id: "red", kind: .keys(of: "area"), condition: "value = 'red'"),
                .init(id: "top", kind: .top(most: 2), source: .log("topics")),
                .init(id: "hour", kind: .count, source: .log(), by: .hour),
                .init(id: "days", kind: .series(each: .day), source: .log()),
            ]))
        func shape(_ id: String) -> String {
            guard let shape = plan.shape(of: id) else { return "none" }
            return [
                shape.key.map { "\($0)" } ?? "-", "\(shape.value)", shape.isFreeText ? "free text" : "",
                shape.hasValue ? "value" : "",
            ].joined(separator: " ")
        }
        let feeling = "option(questionnaire: \"log\", item: \"feeling\")"

        #expect(shape("mood") == "\(feeling) plain  ")
        #expect(shape("feeling") == "- \(feeling)  value")
        #expect(shape("note") == "- plain free text value")
        #expect(shape("copy") == "- plain free text value")
        #expect(shape("long") == "- plain  value")
        #expect(
            shape("red")
                == "item(questionnaire: \"area\") option(questionnaire: \"area\", item: \"stress\")  value")
        let topics = "option(questionnaire: \"log\", item: \"topics\")"
        #expect(shape("top") == "\(topics) \(topics)  value")
        #expect(shape("hour") == "hour plain  ")
        #expect(shape("days") == "date plain  ")
        #expect(shape("nothing") == "none")
    }

    @Test func `a plan of a study with a cycle ends`() throws {
        let plan = VariablePlan(
            VariableSamples.study([
                .init(id: "a", kind: .expression("b + 1")), .init(id: "b", kind: .expression("a + 1")),
            ]))

        let values = plan.values(from: try VariableFacts(in: "UTC"), at: try at("2026-11-21T18:30:00Z"))

        #expect(values.map(\.value) == [.blank, .blank])
    }

    @Test func `all variables of the companion have a value for a participant with 2,000 sheets`() throws {
        let plan = VariablePlan(CompanionSample.study)
        let facts = CompanionSample.facts(sheets: 2000)

        let values = CompanionSample.values(of: facts, with: plan)

        #expect(CompanionSample.study.faults().filter { $0.pointer.hasPrefix("/variables") } == [])
        #expect(values.count == CompanionSample.variables.count)
        let month = try day("2026-11-01")...day("2026-11-18")
        let checkins = facts.sheets.count { sheet in
            sheet.questionnaire == "checkin"
                && month.contains(LocalDate(of: sheet.completedAt, offsetMinutes: sheet.offsetMinutes))
        }
        #expect(checkins > 0)
        #expect(values.first { $0.variable == "checkins_month" }?.n == checkins)
        #expect(values.first { $0.variable == "contexts" }?.entries?.count == 5)
    }

    /// The JSON has all members, in the form of the insights.
    @Test func `a value is written as JSON`() throws {
        let facts = try VariableFacts(
            in: "UTC", [.init(1, "log", "2026-11-21T10:00:00Z", ["mood": .integer(4)], offset: 0)])
        let streak = TailoringVariable(id: "v", kind: .streak, source: .log())
        let mean = TailoringVariable(
            id: "v", kind: .statistic(.mean), source: .log("mood"), window: .today, by: .weekday)
        let now = try at("2026-11-21T18:30:00Z")

        #expect(
            VariableSamples.value(streak, from: facts, at: now).map { JSON.object($0.json).text }
                == #"{"value":1,"n":1,"reason":null,"window":null,"entries":null,"best":1,"last_on":"2026-11-21"}"#
        )
        #expect(
            VariableSamples.value(mean, from: facts, at: now).map { JSON.object($0.json).text }
                == #"{"value":null,"n":1,"reason":null,"window":{"from":"2026-11-21","to":"2026-11-21"},"#
                + #""entries":[{"key":"6","value":4,"n":1,"reason":null,"best":null,"last_on":null}],"#
                + #""best":null,"last_on":null}"#)
    }
}
