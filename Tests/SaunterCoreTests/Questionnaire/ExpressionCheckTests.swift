import Testing

@testable import SaunterCore

@Suite struct ExpressionCheckTests {
    private typealias Samples = QuestionnaireSamples

    private static let items = [
        Samples.item("n", .integer), Samples.item("t", .string), Samples.item("b", .boolean),
        Samples.item("d", .date), Samples.item("m", .dateTime), Samples.choice("c", ["x", "y"]),
        Samples.choice("cs", ["x", "y"], repeats: true), Samples.rating("r", 0...3),
        Samples.item("q", .quantity) { $0.unitOption = ["kg", "g"] },
        Samples.item("g", .group) {
            $0.repeats = true
            $0.item = [Samples.item("inner", .integer), Samples.item("flag", .boolean)]
        },
    ]

    /// The detail of a constraint's fault; nil for a valid constraint.
    private func fault(_ source: String) -> String? {
        var questionnaire = Samples.questionnaire(Self.items)
        questionnaire.constraint = [Constraint(key: "k", severity: .error, expression: source)]
        questionnaire.text["en"]?.constraints = ["k": "Words"]
        let faults = questionnaire.faults()
        #expect(faults.allSatisfy { $0.pointer == "/constraint/0/expression" && $0.code == "bad_expression" })
        return faults.first?.detail
    }

    @Test(arguments: [
        "n > 1", "b", "t = 'a'", "d - @2026-01-01 > 3", "c = 'x'", "c in ('x', 'y')", "'x' in cs", "r >= 2",
        "m < m",
        "count(g) <= 2", "sum(inner) > 3", "max(n, inner, r) = 1", "true in flag", "length(t) > 2",
        "if(b, n, r) = 1", "min(d, today()) = d",
    ])
    func `the expression is valid`(source: String) {
        #expect(fault(source) == nil)
    }

    @Test(arguments: [
        ("n", "At character 1: this is a number, not true or false."),
        ("n > 'a'", "At character 5: a text cannot be compared with a number."),
        ("t > 'a'", "At character 1: a text has no order."),
        ("b + 1 = 2", "At character 1: this is true or false, not a number."),
        ("x = 1", "At character 1: there is no item x."),
        ("c = 'z'", "At character 5: c has no option with this code."),
        ("'z' = c", "At character 1: c has no option with this code."),
        ("cs = 'x'", "At character 1: several answers cannot be compared; use `in`."),
        ("inner > 1", "At character 1: several answers cannot be compared; use `in`."),
        ("g = 1", "At character 1: a group cannot be compared; use `count` or `exists`."),
        ("q > 1", "At character 1: q can be answered in several units."),
        ("sum(t) > 1", "At character 5: this is a text, not a number."),
        ("if(n, 1, 2) = 1", "At character 4: this is a number, not true or false."),
        ("if(b, 1, 'a') = 1", "At character 10: this is a text, but the argument before it is a number."),
        ("today(1) = d", "At character 1: today needs 0 arguments, not 1."),
        ("abs(n, n) = 1", "At character 1: abs needs 1 argument, not 2."),
        ("d + d = d", "At character 5: this is a date, not a number."),
        ("d - t = d", "At character 5: this is a text, not a number or a date."),
    ])
    func `a fault has a position and an explanation`(source: String, detail: String) {
        #expect(fault(source) == detail)
    }

    @Test func `an item cannot depend on a later item, itself or its group`() {
        func faults(_ source: String) -> [String] {
            let items = [
                Samples.item("first", .integer),
                Samples.item("group", .group) {
                    $0.repeats = true
                    $0.item = [
                        Samples.item("a", .integer),
                        Samples.item("b", .integer) { $0.enableWhenExpression = source },
                    ]
                },
                Samples.item("last", .integer),
            ]
            return Samples.questionnaire(items).faults().map { "\($0.pointer): \($0.detail)" }
        }

        #expect(faults("first > 1 and a > 1").isEmpty)
        for (source, words) in [
            ("last > 1", "an expression can only refer to an earlier item: last is a later one"),
            ("b > 1", "an item cannot depend on its own answer"),
            ("count(group) > 1", "an item cannot depend on the group that contains it"),
        ] {
            let position = source.hasPrefix("count") ? 7 : 1
            #expect(
                faults(source)
                    == ["/item/1/item/1/enableWhenExpression: At character \(position): \(words)."])
        }
    }
}
