import Testing

@testable import SaunterCore

@Suite struct VariableCheckTests {
    /// A variable, and the pointers and codes of its faults.
    struct Case: Sendable, CustomTestStringConvertible {
        let variable: TailoringVariable
        let faults: [String]

        init(
            _ kind: TailoringVariable.Kind, _ source: TailoringVariable.Source? = nil,
            _ window: TailoringVariable.Window? = nil, by: TailoringVariable.Grouping? = nil,
            where condition: String? = nil, least: Int? = nil, id: String = "v",
            shown: TailoringVariable.Visibility = .hidden, after: [String] = [], faults: String...
        ) {
            variable = TailoringVariable(
                id: id, kind: kind, source: source, window: window, by: by, condition: condition,
                least: least,
                shown: shown, after: after)
            self.faults = faults
        }

        var testDescription: String { "\(variable.kind.name): \(faults.joined(separator: ", "))" }
    }

    /// Variables that the cases name.
    private static let others: [TailoringVariable] = [
        .init(id: "mood", kind: .latest, source: .log("mood")),
        .init(id: "feeling", kind: .latest, source: .log("feeling")),
        .init(id: "mean", kind: .statistic(.mean), source: .log("mood"), window: .last(days: 7, ending: 0)),
        .init(id: "all", kind: .statistic(.mean), source: .log("mood")),
        .init(id: "words", kind: .latest, source: .log("feeling"), window: .today),
        .init(id: "hours", kind: .count, source: .log(), by: .hour),
    ]

    private static func faults(_ variables: [TailoringVariable], change: (inout Study) -> Void = { _ in })
        -> [Fault]
    {
        var study = VariableSamples.study(variables + others)
        change(&study)
        return study.faults().filter { $0.pointer.contains("/variables") }
    }

    @Test(arguments: sources + keys + windows)
    func `a fault of a definition is reported at its key`(example: Case) {
        let found = Self.faults([example.variable]).map { "\($0.pointer.dropFirst(13)) \($0.code)" }

        #expect(found == example.faults)
    }

    private static let sources: [Case] = [
        Case(.count, .log()),
        Case(.count, .entry(.init(["nothing"])), faults: "count/entry unknown_questionnaire"),
        Case(.count, .entry(.init(["log", "nothing"])), faults: "count/entry/1 unknown_questionnaire"),
        Case(.count, .entry(.init(["log", "log"])), faults: "count/entry/1 duplicate"),
        Case(.count, .entry(.init([])), faults: "count/entry required"),
        Case(.latest, .log("nothing"), faults: "latest/item unknown_item"),
        Case(.latest, .log("length"), faults: "latest/item in_group"),
        Case(.latest, .log("trips"), faults: "latest/item wrong_type"),
        Case(.latest, .log("place"), faults: "latest/item wrong_type"),
        Case(.latest, .log(), faults: "latest wrong_value"),
        Case(
            .latest, .entry(.init(["log"], .items(["mood", "calm", "mood", "note", "x"]))),
            faults: "latest/items/2 duplicate", "latest/items/3 different_types",
            "latest/items/4 unknown_item"),
        Case(.latest, .entry(.init(["log"], .items([]))), faults: "latest/items required"),
        Case(.latest, .entry(.init(["log", "area"], .items(["mood"]))), faults: "latest/entry too_many"),
        Case(
            .latest, .entry(.init(["log", "breathing"], .item("mood"))), faults: "latest/item unknown_item"),
        Case(.latest, .entry(.init(["log"], .scale("level")))),
        Case(.latest, .entry(.init(["log"], .scale("other"))), faults: "latest/scale unknown_scale"),
        Case(.latest, .entry(.init(["area"], .scale("level"))), faults: "latest/scale unknown_scale"),
        Case(.latest, .walk(nil), faults: "latest wrong_value"),
        Case(.latest, .message(rule: nil, .sent), faults: "latest/message not_permitted"),
        Case(.statistic(.mean), .log("feeling")),
        Case(.statistic(.mean), .log("kind"), faults: "mean/item not_numeric"),
        Case(.statistic(.mean), .log("topics"), faults: "mean/item not_numeric"),
        Case(.statistic(.sum), .log("note"), faults: "sum/item not_numeric"),
        Case(.statistic(.sum), .log("doses"), faults: "sum/item not_numeric"),
        Case(.statistic(.sum), .log("weight")),
        Case(.slope, .log("note"), faults: "slope/item not_numeric"),
        Case(.series(each: .day), .log("kind"), faults: "series/item not_numeric"),
        Case(
            .statistic(.mean), .usage(.appClosed, feature: nil, isSeconds: false), faults: "mean wrong_value"),
        Case(.count, .usage(.featureOpened, feature: "diary", isSeconds: false)),
        Case(
            .count, .usage(.featureOpened, feature: "x", isSeconds: false),
            faults: "count/feature unknown_feature"),
        Case(.count, .usage(.appClosed, feature: nil, isSeconds: true), faults: "count wrong_value"),
        Case(.count, .message(rule: "come-back", .opened)),
        Case(.count, .message(rule: "x", .sent), faults: "count/message unknown_notice"),
        Case(.count, .occasion(schedule: "evening", .missed)),
        Case(.count, .occasion(schedule: "x", .missed), faults: "count/occasion unknown_schedule"),
        Case(
            .statistic(.mean), .observation(system: ObservationCode.loinc, code: "8867-5"),
            faults: "mean/observation not_a_loinc_code"),
        Case(.at(isOldest: false), .event("move")), Case(.at(isOldest: false), .enrolment),
        Case(.at(isOldest: false), .event("x"), faults: "at/event unknown_event"),
        Case(.count, .event("move"), faults: "count/event not_permitted"),
        Case(.top(most: 3), .log("topics")),
        Case(.top(most: 3), .log("mood"), faults: "top/item wrong_type"),
        Case(.top(most: 0), .log("topics"), faults: "top/most out_of_range"),
        Case(.top(most: 21), .log("topics"), faults: "top/most out_of_range"),
        Case(.top(most: 3), .walk(nil), faults: "top/walk not_permitted"),
        Case(.streak, .log("mood"), faults: "streak wrong_value"),
        Case(.streak, .message(rule: nil, .sent), faults: "streak/message not_permitted"),
        Case(.count, .entry(.init(["goal"], isActive: true))),
        Case(.count, .entry(.init(["log"], isActive: true)), faults: "count/active not_active"),
        Case(
            .list(activeIn: .thisMonth), .entry(.init(["log"], .item("mood"))),
            faults: "list/active_in not_active"),
        Case(.list(activeIn: nil), .entry(.init(["log"], .item("mood")))),
        Case(.list(activeIn: nil), .log(), faults: "list wrong_value"),
    ]

    private static let keys: [Case] = [
        Case(.count, .log(), by: .item("feeling")), Case(.count, .log(), by: .item("place")),
        Case(.count, .log(), by: .item("nothing"), faults: "by unknown_item"),
        Case(.count, .log(), by: .item("note"), faults: "by wrong_type"),
        Case(.count, .log(), by: .item("calm"), faults: "by wrong_type"),
        Case(.count, .log(), by: .item("doses"), faults: "by wrong_type"),
        Case(.count, .entry(.init(["goal_done"])), by: .refersTo),
        Case(.count, .log(), by: .refersTo, faults: "by no_reference"),
        Case(.count, .walk(nil), by: .source, faults: "by not_permitted"),
        Case(.count, .walk(nil), by: .hour),
        Case(.count, .log(), by: .feature, faults: "by not_permitted"),
        Case(.at(isOldest: false), .event("move"), by: .day, faults: "by not_permitted"),
        Case(.streak, .log(), by: .weekday, faults: "by not_permitted"),
        Case(.series(each: .day), .log("mood"), by: .hour, faults: "by not_permitted"),
        Case(.list(activeIn: nil), .log("mood"), by: .hour, faults: "by not_permitted"),
        Case(.expression("1"), by: .hour, faults: "by not_permitted"),
        Case(
            .latest, .entry(.init(["area"], .items(["stress", "past"]))), by: .hour,
            faults: "by not_permitted"),
        Case(.count, .log(), where: "mood > 3 and feeling = 'happy'"),
        Case(.count, .log(), where: "mood > 'a'", faults: "where bad_expression"),
        Case(.count, .log(), where: "feeling = 'angry'", faults: "where bad_expression"),
        Case(.count, .log(), where: "mood", faults: "where bad_expression"),
        Case(.count, .log(), where: "other = 1", faults: "where bad_expression"),
        Case(.count, .log(), where: "mood.it = 1", faults: "where bad_expression"),
        Case(.count, .entry(.init(["log", "area"])), where: "mood > 3", faults: "where bad_expression"),
        Case(.count, .walk(nil), where: "mood > 3", faults: "where not_permitted"),
        Case(.expression("1"), where: "mood > 3", faults: "where not_permitted"),
        Case(.share, .log(), where: "slept"), Case(.share, .log(), faults: "where required"),
        Case(.share, .log("mood"), where: "slept", faults: "share wrong_value"),
        Case(.statistic(.mean), .log("mood"), least: 3),
        Case(.statistic(.mean), .log("mood"), least: 0, faults: "least out_of_range"),
        Case(.count, .log(), least: 3, faults: "least not_permitted"),
        Case(.count, .log(), id: "Upper", faults: "id invalid_name"),
        Case(.count, .log(), id: "it", faults: "id invalid_name"),
        Case(.count, .log(), id: "value", faults: "id invalid_name"),
        Case(.count, .log(), id: String(repeating: "a", count: 25), faults: "id invalid_name"),
        Case(.count, .log(), after: ["log"], faults: "after not_shown"),
        Case(
            .count, .log(), after: ["nothing", "nothing"], faults: "after not_shown",
            "after/0 unknown_questionnaire",
            "after/1 unknown_questionnaire", "after/1 duplicate"),
    ]

    private static let windows: [Case] = [
        Case(.count, .log(), .last(days: 3660, ending: 3660)),
        Case(.count, .log(), .last(days: 3661, ending: 0), faults: "window/last out_of_range"),
        Case(
            .count, .log(), .last(days: 0, ending: 3661), faults: "window/last out_of_range",
            "window/ending out_of_range"),
        Case(.count, .log(), .since(event: "move")),
        Case(.count, .log(), .since(event: "x"), faults: "window/since unknown_event"),
        Case(.count, .log(), .during(questionnaire: "goal")),
        Case(.count, .log(), .during(questionnaire: "log"), faults: "window/while not_active"),
        Case(.count, .log(), .during(questionnaire: "x"), faults: "window/while unknown_questionnaire"),
        Case(.streak, .log(), .today, faults: "window not_permitted"),
        Case(.expression("1"), nil, .today, faults: "window not_permitted"),
        Case(
            .list(activeIn: .since(event: "move")), .entry(.init(["goal"], .item("text"))),
            faults: "list/active_in not_permitted"),
        Case(.series(each: .day), .log("mood"), .last(days: 401, ending: 0), faults: "window/last too_many"),
        Case(.series(each: .week), .log("mood"), .last(days: 2800, ending: 0)),
    ]

    private static let otherCases: [Case] = [
        Case(.change(of: "mean", since: nil)), Case(.change(of: "mood", since: .thisMonth)),
        Case(.change(of: "x", since: nil), faults: "change unknown_variable"),
        Case(.change(of: "all", since: nil), faults: "change not_comparable"),
        Case(.change(of: "hours", since: nil), faults: "change not_comparable"),
        Case(.change(of: "words", since: nil), faults: "change not_numeric"),
        Case(.change(of: "mean", since: .today), faults: "change not_comparable"),
        Case(.change(of: "feeling", since: .today), faults: "change not_numeric"),
        Case(.change(of: "mood", since: .since(event: "move")), faults: "since not_permitted"),
        Case(.change(of: "mood", since: .last(days: 4000, ending: 0)), faults: "since/last out_of_range"),
        Case(.keys(of: "hours")), Case(.keys(of: "hours"), where: "it > 8 and value > 0"),
        Case(.keys(of: "hours"), where: "it = 'a'", faults: "where bad_expression"),
        Case(.keys(of: "x"), faults: "keys unknown_variable"),
        Case(.keys(of: "mood"), faults: "keys not_keyed"),
        Case(.expression("mood + 1")), Case(.expression("mood +"), faults: "expression bad_expression"),
        Case(.expression("x + 1"), faults: "expression bad_expression"),
    ]

    @Test(arguments: otherCases)
    func `a fault about another variable is reported at its key`(example: Case) {
        let found = Self.faults([example.variable]).map { "\($0.pointer.dropFirst(13)) \($0.code)" }

        #expect(found == example.faults)
    }

    @Test func `names are unique, also among covariates`() {
        let found = Self.faults([
            .init(id: "mood", kind: .count, source: .log()), .init(id: "sex", kind: .count, source: .log()),
        ]) {
            $0.covariates = [CovariateSource(id: "sex", questionnaire: "log", item: "mood")]
        }

        #expect(
            found.map { "\($0.pointer) \($0.detail)" } == [
                "/variables/1/id A covariate has this id.", "/variables/2/id Another variable has this id.",
            ])
    }

    @Test func `a cycle is named once, and a variable that follows it has no fault`() {
        let found = Self.faults([
            .init(id: "d", kind: .expression("a + 1")), .init(id: "a", kind: .expression("b + 1")),
            .init(id: "b", kind: .keys(of: "hours"), condition: "value > c"),
            .init(id: "c", kind: .expression("a * 2")), .init(id: "own", kind: .expression("own")),
        ])

        #expect(
            found.map { "\($0.pointer) \($0.code) \($0.detail)" } == [
                "/variables/1/expression cycle Variables depend on each other: a needs b, b needs c, c needs a.",
                "/variables/4/expression cycle Variables depend on each other: own needs own.",
            ])
    }

    @Test func `a study has at most 200 variables`() {
        let many = (0..<201).map { TailoringVariable(id: "v\($0)", kind: .count, source: .log()) }

        let found = VariableSamples.study(many).faults().filter { $0.pointer.hasPrefix("/variables") }

        #expect(found.map(\.code) == ["too_many"])
        #expect(
            VariableSamples.study(Array(many.dropLast())).faults().filter {
                $0.pointer.hasPrefix("/variables")
            } == [])
    }

    @Test func `a variable with a fault causes no faults of those that use it`() {
        let found = Self.faults([
            .init(id: "broken", kind: .latest, source: .log("nothing")),
            .init(id: "uses", kind: .expression("broken + 1")), .init(id: "keyed", kind: .keys(of: "broken")),
        ])

        #expect(found.map(\.pointer) == ["/variables/0/latest/item"])
    }

    // MARK: Texts

    private func textFaults(
        _ variable: TailoringVariable, _ texts: [String: VariableText], languages: [String] = ["en"]
    ) -> [String] {
        Self.faults([variable]) { study in
            study.text["en"]?.variables = texts
            for language in languages.dropFirst() {
                study.languages.append(language)
                study.text[language] = Sample.text
            }
        }.map { "\($0.pointer) \($0.code)" }
    }

    @Test func `a shown variable needs its texts in every language`() {
        let count = TailoringVariable(id: "v", kind: .count, source: .log(), shown: .participants)
        let staff = TailoringVariable(id: "v", kind: .slope, source: .log("mood"), shown: .staff)
        let keyed = TailoringVariable(id: "v", kind: .count, source: .log(), by: .hour, shown: .participants)
        let text = VariableText(title: "T", text: "{{value}} of {{n}}")
        let comparison = VariableText(title: "T", above: "Up by {{value}}", below: "Down", equal: "Same")

        #expect(textFaults(count, ["v": text]) == [])
        #expect(textFaults(count, [:]) == ["/text/en/variables missing_text"])
        #expect(
            textFaults(count, ["v": text], languages: ["en", "de"]) == ["/text/de/variables missing_text"])
        #expect(textFaults(count, ["v": VariableText(title: "T")]) == ["/text/en/variables/v missing_text"])
        #expect(
            textFaults(count, ["v": VariableText(title: " ", text: "x")]) == [
                "/text/en/variables/v/title missing_text"
            ])
        #expect(textFaults(staff, ["v": comparison]) == [])
        #expect(
            textFaults(staff, ["v": VariableText(title: "T", above: "Up")])
                == ["/text/en/variables/v missing_text", "/text/en/variables/v missing_text"])
        #expect(textFaults(keyed, ["v": VariableText(title: "T")]) == [])
    }

    @Test func `texts fit the kind, and their placeholders exist`() {
        let count = TailoringVariable(id: "v", kind: .count, source: .log(), shown: .participants)
        let streak = TailoringVariable(id: "v", kind: .streak, source: .log(), shown: .participants)
        let keyed = TailoringVariable(id: "v", kind: .count, source: .log(), by: .hour, shown: .participants)
        let slope = TailoringVariable(id: "v", kind: .slope, source: .log("mood"))

        #expect(
            textFaults(count, ["v": VariableText(title: "T", text: "{{best}}")])
                == ["/text/en/variables/v/text unknown_placeholder"])
        #expect(textFaults(streak, ["v": VariableText(title: "T", text: "{{best}} {{value}}")]) == [])
        #expect(
            textFaults(keyed, ["v": VariableText(title: "T", text: "{{value}}")])
                == ["/text/en/variables/v/text unknown_placeholder"])
        #expect(
            textFaults(count, ["v": VariableText(title: "T", text: "x", above: "y")])
                == ["/text/en/variables/v/above not_permitted"])
        #expect(
            textFaults(slope, ["v": VariableText(title: "T", text: "x")]) == [
                "/text/en/variables/v/text not_permitted"
            ])
        #expect(
            textFaults(slope, ["x": VariableText(title: "T")]) == ["/text/en/variables/x unknown_variable"])
    }
}
