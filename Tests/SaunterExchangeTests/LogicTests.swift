import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct LogicTests {
    private static var translation: LogicTranslation {
        var smokes = Item(linkId: "smokes", type: .boolean)
        smokes.required = true
        var drinks = Item(linkId: "drinks", type: .choice)
        drinks.answerOption = [ResponseOption(value: .integer(1)), ResponseOption(value: .integer(2))]
        var pets = Item(linkId: "pets", type: .choice)
        pets.repeats = true
        pets.answerOption = [ResponseOption(value: .code("cat")), ResponseOption(value: .code("dog"))]
        let fields = [
            "smokes": smokes, "drinks": drinks, "pets": pets, "age": Item(linkId: "age", type: .integer),
            "born": Item(linkId: "born", type: .date), "name": Item(linkId: "name", type: .string),
        ]
        return LogicTranslation(
            fields: fields,
            options: [
                "drinks": ["1": .integer(1), "2": .integer(2)],
                "pets": ["CAT": .code("cat"), "dog": .code("dog")],
            ], own: fields["age"])
    }

    @Test(arguments: [
        ("[smokes] = '1'", [Condition(question: "smokes", comparison: .equal, answer: .boolean(true))]),
        (
            "[pets(CAT)]=\"1\" and [age] >= 18",
            [
                Condition(question: "pets", comparison: .equal, answer: .option(.code("cat"))),
                Condition(question: "age", comparison: .atLeast, answer: .integer(18)),
            ]
        ),
        (
            "selected(${pets}, 'dog')",
            [Condition(question: "pets", comparison: .equal, answer: .option(.code("dog")))]
        ),
        ("${name} != ''", [Condition(question: "name", comparison: .exists, answer: .boolean(true))]),
        ("${name} = ''", [Condition(question: "name", comparison: .exists, answer: .boolean(false))]),
        ("[drinks] = 2", [Condition(question: "drinks", comparison: .equal, answer: .option(.integer(2)))]),
    ])
    func `simple logic becomes conditions`(source: String, wanted: [Condition]) throws {
        guard case .conditions(let found, let behavior) = try Self.translation.rule(source) else {
            Issue.record("\(source) became an expression")
            return
        }
        #expect(found == wanted)
        #expect(behavior == .all)
    }

    @Test(arguments: [
        (
            "[age] > 3 and ([smokes] = 1 or [drinks] <> '2')",
            "(age > 3 and (smokes = true or (not exists(drinks) or drinks != 2)))"
        ),
        ("[pets(CAT)] = '0'", "not ('cat' in pets)"),
        ("[age] != 3", "(not exists(age) or age != 3)"),
        ("[name] = '' or [age] + 1 > 9", "(not exists(name) or (age + 1) > 9)"),
        ("not(selected(${pets}, 'CAT'))", "not ('cat' in pets)"),
        ("count-selected(${pets}) >= 2", "count(pets) >= 2"),
        (". >= 0 and . <= 150", "(age >= 0 and age <= 150)"),
        (". > ${age} div 2 + 1", "age > ((age / 2) + 1)"),
        ("${born} <= today()", "born <= today()"),
        ("string-length(${name}) > 2", "length(name) > 2"),
    ])
    func `other logic becomes an expression that we can read`(source: String, wanted: String) throws {
        let found = try Self.translation.expression(source)
        #expect(found == wanted)
        _ = try Expression(found)
    }

    @Test func `that a number is another becomes no condition, which a blank would not meet`() throws {
        guard case .expression(let found) = try Self.translation.rule("[age] != 3") else {
            Issue.record("it became a condition")
            return
        }
        #expect(found == "(not exists(age) or age != 3)")
    }

    @Test(arguments: [
        "[event_1][age] = 1", "[other] = 1", "[age", "datediff([born], 'today', 'y') > 3",
        "pulldata('a', 'b')", "",
        "[drinks] = '9'", "1 +", "regex(., '[a-z]+')", String(repeating: "(", count: 200), "[age] = 'x' and",
    ])
    func `what cannot be said is refused with a reason`(source: String) {
        let fault = #expect(throws: LogicFault.self) {
            _ = try Self.translation.rule(source)
        }
        #expect(fault?.detail.isEmpty == false)
    }
}
