import Testing

@testable import SaunterCore

@Suite struct RuleCheckTests {
    /// A rule, and the pointers below it and codes of its faults.
    struct Case: Sendable, CustomTestStringConvertible {
        let rule: DecisionRule
        let faults: [String]

        init(
            _ point: DecisionPoint, _ faults: String...,
            change: (inout DecisionRule) -> Void = { _ in }
        ) {
            var rule = DecisionRule(code: "r", point: point, action: .message(.init()))
            change(&rule)
            self.rule = rule
            self.faults = faults
        }

        var testDescription: String { "\(rule.point.name): \(faults.joined(separator: ", "))" }
    }

    private static let prompts: Questionnaire = {
        var count = Item(linkId: "count", type: .integer)
        (count.minValue, count.maxValue) = (3, 12)
        var items = [
            count, Item(linkId: "number", type: .integer), Item(linkId: "on", type: .boolean),
            Item(linkId: "times", type: .time), Item(linkId: "days", type: .choice),
        ]
        items[4].answerOption = ["mon", "sun"].map { ResponseOption(value: .code($0)) }
        var questionnaire = Sample.questionnaire("prompts")
        questionnaire.item = items
        return questionnaire
    }()

    private static func faults(_ rules: [DecisionRule], _ change: (inout Study) -> Void = { _ in }) -> [Fault]
    {
        var study = RuleSamples.study(
            rules,
            [
                .init(id: "mood", kind: .latest, source: .log("mood")),
                .init(id: "seen", kind: .at(isOldest: false), source: .log()),
                .init(id: "hours", kind: .statistic(.mean), source: .log("mood"), by: .hour),
                .init(id: "area", kind: .latest, source: .entry(.init(["area"], .items(["stress"])))),
            ], days: 100, most: 2)
        study.questionnaires.append(prompts)
        study.links = ["site": "https://www.example.org"]
        for rule in rules where rule.message != nil {
            study.text["en"]?.rules[rule.code] = RuleText(
                subject: "Subject", body: "Body", line: rule.message?.lineFor == nil ? nil : "Line")
        }
        for rule in rules {
            if case .award(let award) = rule.action {
                study.text["en"]?.awards[award.code] = TitledText(title: "Title", text: "Text")
            }
        }
        change(&study)
        return study.faults().filter {
            $0.pointer.hasPrefix("/rules") || $0.pointer.contains("/en/rules")
                || $0.pointer.contains("/en/awards")
                || $0.pointer.hasPrefix("/links")
        }
    }

    private static let day = 86_400
    private static func after(
        _ start: DecisionPoint.Start = .enrolment, _ first: DecisionPoint.Span = .seconds(86_400),
        every: DecisionPoint.Span? = nil, most: Int? = nil
    ) -> DecisionPoint {
        .after(.init(start: start, firstAfter: first, repeatEvery: every, atMost: most))
    }
    private static func time(_ text: String) -> LocalTime { LocalTime(text) ?? .midnight }
    private static func perDay(
        _ count: DecisionPoint.Input<Int>, _ from: String = "09:00", _ to: String = "21:00", gap: Int = 0
    ) -> DecisionPoint {
        .perDay(.init(count: count, from: time(from), to: time(to), minimumGap: gap))
    }
    private static func adaptive(_ by: String, _ otherwise: String = "12:00") -> DecisionPoint {
        .adaptive(
            .init(by: by, seek: .low, from: time("08:00"), to: time("20:00"), otherwise: time(otherwise)))
    }
    private static func cycle(_ over: [String], days: Int = 7, time text: String = "17:00") -> DecisionPoint {
        .cycle(.init(over: over, days: days, time: time(text)))
    }
    private static let daily = RuleSamples.daily("17:00")

    @Test(arguments: points + members)
    func `a fault of a rule is reported at its key`(example: Case) {
        let found = Self.faults([example.rule]).map { "\($0.pointer.dropFirst(9)) \($0.code)" }

        #expect(found == example.faults)
    }

    private static let points: [Case] = [
        Case(after()), Case(after(.inactive)), Case(after(.event("move"))), Case(after(.variable("seen"))),
        Case(after(.event("fair")), "at/after/event unknown_event"),
        Case(after(.firstCompletion("no")), "at/after/first_completion unknown_questionnaire"),
        Case(after(.lastCompletion("no")), "at/after/last_completion unknown_questionnaire"),
        Case(after(.variable("no")), "at/after/variable unknown_variable"),
        Case(after(.variable("mood")), "at/after/variable not_a_moment"),
        Case(after(.enrolment, .seconds(10)), "at/first_after out_of_range"),
        Case(after(every: .seconds(3600), most: 5)),
        Case(after(every: .seconds(3600)), "at/repeat_every no_maximum"),
        Case(after(every: .months(200)), "at/repeat_every out_of_range"),
        Case(after(most: 5), "at/at_most not_permitted"),
        Case(after(every: .months(1), most: 0), "at/at_most out_of_range"),
        Case(after(.enrolment, .seconds(101 * day)), "at/first_after never_acts"),
        Case(.calendar(.init(times: [])), "at/calendar/times required"),
        Case(RuleSamples.daily("22:00"), "at/calendar/times/0 in_quiet_hours"),
        Case(
            .calendar(.init(times: RuleSamples.times("09:00", "09:00"))), "at/calendar/times/1 duplicate"),
        Case(
            .calendar(.init(times: RuleSamples.times("09:00", "10:00", "11:00"))),
            "at/calendar/times above_daily_maximum"),
        Case(.calendar(.init(times: [.setting("times")]))),
        Case(.calendar(.init(times: [.setting("no")])), "at/calendar/times/0/setting unknown_setting"),
        Case(.calendar(.init(times: [.setting("on")])), "at/calendar/times/0/setting wrong_setting"),
        Case(.calendar(.init(times: [.setting("times")], days: .weekdays([.setting("days")])))),
        Case(
            .calendar(.init(times: [.setting("times")], days: .weekdays([.setting("count"), .literal(8)]))),
            "at/calendar/weekdays/0/setting wrong_setting", "at/calendar/weekdays/1 out_of_range"),
        Case(
            .calendar(.init(times: [.setting("times")], days: .ofMonth([]))),
            "at/calendar/days_of_month required"),
        Case(perDay(.literal(2))),
        Case(perDay(.literal(0)), "at/per_day/count out_of_range"),
        Case(perDay(.literal(3)), "at/per_day/count above_daily_maximum"),
        Case(perDay(.literal(3), gap: 6 * 3600)),
        Case(perDay(.setting("count")), "at/per_day/count above_daily_maximum"),
        Case(perDay(.setting("number")), "at/per_day/count/setting wrong_setting"),
        Case(perDay(.literal(1), "12:00", "11:00"), "at/per_day/to out_of_order"),
        Case(
            perDay(.literal(1), "07:00", "21:30"), "at/per_day/from in_quiet_hours",
            "at/per_day/to in_quiet_hours"),
        Case(perDay(.literal(1), gap: 13 * 3600), "at/per_day/minimum_gap out_of_range"),
        Case(adaptive("hours")),
        Case(adaptive("no"), "at/adaptive/by unknown_variable"),
        Case(adaptive("mood"), "at/adaptive/by not_by_hour"),
        Case(adaptive("hours", "22:00"), "at/adaptive/otherwise in_quiet_hours"),
        Case(cycle(["a", "b"])), Case(cycle([]), "at/cycle/over required"),
        Case(cycle(["a", "a"]), "at/cycle/over/1 duplicate"),
        Case(cycle(["A"]), "at/cycle/over/0 invalid_name"),
        Case(cycle(["a"], days: 0), "at/cycle/every out_of_range"),
        Case(cycle(["a"], time: "22:00"), "at/cycle/time in_quiet_hours"),
        Case(.entry(questionnaire: "log")),
        Case(.entry(questionnaire: "no"), "at/entry unknown_questionnaire"),
        Case(.reached(.init(condition: "mood > 3"))),
        Case(.reached(.init(condition: "mood")), "at/reached bad_expression"),
        Case(.reached(.init(condition: "it = 'a'")), "at/reached bad_expression"),
        Case(.reached(.init(condition: "1 > 2")), "at/reached never_acts"),
        Case(.reached(.init(condition: "area.it = 'red'", over: "area"))),
        Case(.reached(.init(condition: "area.it = 'pink'", over: "area")), "at/reached bad_expression"),
        Case(.reached(.init(condition: "mood > 3", over: "mood")), "at/over not_keyed"),
        Case(.reached(.init(condition: "mood > 3", over: "no")), "at/over unknown_variable"),
        Case(.published(collection: "tips")), Case(.appOpen(.day)),
    ]

    private static let members: [Case] = [
        Case(daily, "code invalid_name") { $0.code = "R" },
        Case(daily) { $0.condition = "mood > 3" },
        Case(daily, "when bad_expression") { $0.condition = "mood >" },
        Case(daily, "when bad_expression") { $0.condition = "mood" },
        Case(daily, "when bad_expression") { $0.condition = "other > 3" },
        Case(daily, "when bad_expression") { $0.condition = "area.it = 'red'" },
        Case(daily, "when never_acts") { $0.condition = "1 = 2" },
        Case(cycle(["a", "b"])) { $0.condition = "it = 'a'" },
        Case(cycle(["a", "b"]), "when bad_expression") { $0.condition = "it = 'c'" },
        Case(cycle(["a", "b"]), "when bad_expression") { $0.condition = "value = 'a'" },
        Case(daily) { $0.allowed = "on" },
        Case(daily, "allowed/setting unknown_setting") { $0.allowed = "no" },
        Case(daily, "allowed/setting wrong_setting") { $0.allowed = "count" },
        Case(daily, "cooldown out_of_range") { $0.cooldown = 0 },
        Case(daily, "valid_for out_of_range") { $0.validFor = 0 },
        Case(daily) {
            $0.tags = ["t"]
            $0.limit = .init(messages: 1, per: day, among: "t")
        },
        Case(daily, "limit/messages out_of_range", "limit/among unknown_tag") {
            $0.limit = .init(messages: 0, per: day, among: "t")
        },
        Case(daily) { $0.probability = 0.5 },
        Case(daily, "randomise/probability out_of_range") { $0.probability = 1 },
        Case(daily) { $0.action = .message(.init(target: "{{site}}/{{mood}}")) },
        Case(daily, "do/message/target unknown_placeholder") {
            $0.action = .message(.init(target: "{{no}}"))
        },
        Case(daily, "do/message/target invalid_target") { $0.action = .message(.init(target: "http://x")) },
        Case(daily, "do/message/target invalid_target") { $0.action = .message(.init(target: "/x")) },
        Case(daily) { $0.action = .message(.init(lineFor: "area")) },
        Case(daily, "do/message/line_for not_keyed") { $0.action = .message(.init(lineFor: "mood")) },
        Case(daily, "do/message/line_for unknown_variable") { $0.action = .message(.init(lineFor: "no")) },
        Case(daily, "do/message/content/select not_permitted") {
            $0.action = .message(.init(content: .init(collection: "c", selection: .published)))
        },
        Case(daily, "do/message/content/where bad_expression") {
            $0.action = .message(.init(content: .init(collection: "c", selection: .draw, condition: "=")))
        },
        Case(daily, "do/event unknown_event") { $0.action = .event("fair") },
        Case(daily, "do/report not_available") { $0.action = .report("month") },
        Case(daily, "do/alert/about invalid_name") { $0.action = .alert(about: "A B") },
        Case(daily, "channels not_permitted", "valid_for not_permitted") {
            $0.action = .alert(about: "a")
            $0.channels = [.mail]
            $0.validFor = day
        },
        Case(.calendar(.init(times: RuleSamples.times("22:00")))) { $0.action = .alert(about: "a") },
        Case(daily) { $0.recipient = .groupAdmins },
        Case(after(), "to not_permitted", "when not_permitted") {
            $0.recipient = .groupAdmins
            $0.condition = "mood > 1"
        },
    ]

    @Test func `codes are unique among rules and notices`() {
        let rule = RuleSamples.message("r", Self.daily)
        let notice = RuleSamples.message("come-back", Self.daily)

        let found = Self.faults([rule, rule, notice]).map { "\($0.pointer) \($0.code)" }

        #expect(found == ["/rules/1/code duplicate", "/rules/2/code duplicate"])
    }

    @Test func `a study has at most 200 rules`() {
        let rules = (0...200).map { RuleSamples.message("r\($0)", Self.daily) }

        #expect(Self.faults(rules).map(\.code).contains("too_many"))
        #expect(!Self.faults(rules.dropLast()).map(\.code).contains("too_many"))
    }

    @Test func `a message needs quiet hours, and every language needs its texts`() {
        let award = DecisionRule(
            code: "a", point: .reached(.init(condition: "mood > 3")), action: .award(.init(code: "w")))
        let rules = [RuleSamples.message("r", Self.daily), award]

        #expect(Self.faults(rules) { $0.reminder = nil }.map(\.code) == ["no_reminder"])
        let found = Self.faults(rules) {
            $0.text["en"]?.rules = [
                "x": .init(subject: "a", body: "b"), "a": .init(subject: "a", body: "b"),
            ]
            $0.text["en"]?.awards = ["y": .init(title: "a", text: "b")]
        }
        #expect(
            found.map { "\($0.pointer) \($0.code)" } == [
                "/text/en/rules/a unknown_rule", "/text/en/rules/x unknown_rule",
                "/text/en/rules missing_text",
                "/text/en/awards/y unknown_award", "/text/en/awards missing_text",
            ])
    }

    @Test func `placeholders of texts are checked`() {
        let cases: [(DecisionRule, String, [String])] = [
            (
                RuleSamples.message("r", Self.daily),
                "{{name}} {{site}} {{mood}} {{hours.n}} {{area.stress}}", []
            ),
            (RuleSamples.message("r", Self.daily), "{{it}}", ["unknown_placeholder"]),
            (RuleSamples.message("r", Self.daily), "{{content.title}}", ["unknown_placeholder"]),
            (RuleSamples.message("r", Self.cycle(["a"])), "{{it}} {{it.code}} {{area.it}}", []),
            (RuleSamples.message("r", .published(collection: "c")), "{{content.title}}", []),
        ]
        for (rule, text, codes) in cases {
            let found = Self.faults([rule]) { $0.text["en"]?.rules["r"]?.body = text }

            #expect(found.map(\.code) == codes, "\(text)")
        }
    }

    @Test func `a link is an https address`() {
        #expect(
            Self.faults([]) { $0.links = ["a": "http://x", "name": "https://x", "mood": "https://x"] }
                .map { "\($0.pointer) \($0.code)" } == [
                    "/links/a not_https", "/links/mood duplicate", "/links/name invalid_name",
                ])
    }

    @Test func `an unknown collection is reported if the collections are known`() {
        var check = StudyCheck(
            study: RuleSamples.study([RuleSamples.message("r", .published(collection: "tips"))]),
            unreadable: [],
            budget: 1000)

        check.checkRules(collections: ["other"])

        #expect(check.faults.list.map(\.code).contains("unknown_collection"))
    }
}
