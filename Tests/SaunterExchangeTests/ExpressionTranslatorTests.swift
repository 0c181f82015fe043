import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct ExpressionTranslatorTests {
    private static var translation: ExpressionTranslator {
        var smokes = Item(linkId: "smokes", type: .boolean)
        smokes.required = true
        var drinks = Item(linkId: "drinks", type: .choice)
        drinks.answerOption = [ResponseOption(value: .integer(1)), ResponseOption(value: .integer(2))]
        var pets = Item(linkId: "pets", type: .choice)
        pets.repeats = true
        pets.answerOption = [ResponseOption(value: .code("cat")), ResponseOption(value: .code("dog"))]
        let fields = [
            "smokes": smokes, "drinks": drinks, "pets": pets, "age": Item(linkId: "age", type: .integer),
            "far": Item(linkId: "far", type: .decimal), "born": Item(linkId: "born", type: .date),
            "name": Item(linkId: "name", type: .string),
        ]
        return ExpressionTranslator(
            fields: fields,
            options: [
                "drinks": ["1": .integer(1), "2": .integer(2)],
                "pets": ["CAT": .code("cat"), "dog": .code("dog")],
            ], currentItem: fields["age"])
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
        guard case .conditions(let found, let behavior) = try Self.translation.visibility(source) else {
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
        ("string-length(${name}) > 2", "if(exists(name), length(name), 0) > 2"),
    ])
    func `other logic becomes a valid expression`(source: String, wanted: String) throws {
        let found = try Self.translation.expression(source)
        #expect(found == wanted)
        _ = try Expression(found)
    }

    @Test(arguments: [
        ("not(${name} = 'yes')", "(not exists(name) or name != 'yes')"),
        ("not(selected(${drinks}, '2'))", "(not exists(drinks) or drinks != 2)"),
        ("not(${age} > 5)", "(not exists(age) or age <= 5)"),
        ("5 != ${age}", "(not exists(age) or age != 5)"),
        ("if(${age} > 5, 1, 0) = 0", "(not exists(age) or age <= 5)"),
        (
            "not(${age} > 3 and selected(${pets}, 'dog'))",
            "((not exists(age) or age <= 3) or not ('dog' in pets))"
        ),
        ("not(not(${age} > 5) or ${name} = '')", "(age > 5 and exists(name))"),
        ("${age} = ${far}", "(exists(age) = exists(far) and (not exists(age) or age = far))"),
        ("${age} != ${far}", "(exists(age) != exists(far) or (exists(age) and age != far))"),
        ("not(${age} < ${far})", "(not exists(age) or not exists(far) or age >= far)"),
        ("min(${age}, ${far}) > 3", "(exists(age) and exists(far) and min(age, far) > 3)"),
    ])
    func `a missing answer has the same effect as in the source system`(source: String, wanted: String) throws
    {
        #expect(try Self.translation.expression(source) == wanted)
    }

    @Test(arguments: [
        ("int(${far}) > 17", "far >= 18"), ("int(${far}) >= 2", "far >= 2"), ("3 > int(${far})", "far < 3"),
        ("int(${far}) <= 2", "far < 3"), ("int(${far}) = 2", "(far >= 2 and far < 3)"),
        ("int(${far}) = 0", "(far > -1 and far < 1)"),
        ("int(${far}) != 2", "((not exists(far) or far < 2) or (not exists(far) or far >= 3))"),
        ("int(${age}) = 2", "age = 2"),
        ("int((today() - ${born}) div 365.25) > 17", "((today() - born) / 365.25) >= 18"),
    ])
    func `a comparison of int becomes a comparison of bounds`(source: String, wanted: String) throws {
        #expect(try Self.translation.expression(source) == wanted)
    }

    /// In XPath a number divided by 0 is infinite with the sign of the number, and 0 divided by 0 is not a number.
    @Test(
        arguments: [
            (
                "${far} div ${age} > 2",
                "(((not exists(age) or age != 0) and (far / age) > 2) or (age = 0 and far > 0))",
                [true, true, false, false, false, true, false]
            ),
            (
                "2 >= ${far} div ${age}",
                "(((not exists(age) or age != 0) and (far / age) <= 2) or (age = 0 and far < 0))",
                [false, false, false, true, false, false, true]
            ),
            (
                "${far} div ${age} = 3", "((not exists(age) or age != 0) and (far / age) = 3)",
                [true, false, false, false, false, false, false]
            ),
            (
                "${far} div ${age} != 3",
                "(age = 0 or (not exists(far) or not exists(age) or (far / age) != 3))",
                [false, true, true, true, true, true, true]
            ),
            (
                "not(${far} div ${age} > 2)",
                "((age = 0 or (not exists(far) or not exists(age) or (far / age) <= 2)) and "
                    + "((not exists(age) or age != 0) or (not exists(far) or far <= 0)))",
                [false, false, true, true, true, false, true]
            ),
        ] as [(String, String, [Bool])])
    func `quotients are compared as in XPath, also for a division by 0`(
        source: String, wanted: String, holds: [Bool]
    ) throws {
        let found = try Self.translation.expression(source)
        #expect(found == wanted)

        // 3/1, 9/0, 0/0, -9/0, missing/1, 5/2, 3/2.
        let answers: [(Answer?, Int)] = [
            (.decimal(3), 1), (.decimal(9), 0), (.decimal(0), 0), (.decimal(-9), 0), (nil, 1),
            (.decimal(5), 2),
            (.decimal(3), 2),
        ]
        let expression = try Expression(found)
        let values = answers.map { far, age in
            let known: [String: Answer] = ["age": .integer(age)].merging(far.map { ["far": $0] } ?? [:]) {
                $1
            }
            return expression.value(
                in: ExpressionScope(value: { known[$0]?.expressionValue ?? .blank }, today: nil))
        }
        #expect(values.map { $0 == .boolean(true) } == holds)
    }

    @Test func `a division by 0 in REDCap is rejected, because its result is not documented`() {
        var translation = Self.translation
        translation.dialect = .redcap
        let fault = #expect(throws: TranslationError.self) {
            _ = try translation.visibility("[far] / [age] > 2")
        }
        #expect(fault?.detail == "the condition divides by a value that may be 0")
    }

    @Test(arguments: [
        ("${pets} = 'dog'", "('dog' in pets and count(pets) = 1)"),
        ("${pets} != 'dog'", "not ('dog' in pets and count(pets) = 1)"),
    ])
    func `a multiple choice equals a value that is its only answer`(source: String, wanted: String) throws {
        guard case .expression(let found) = try Self.translation.visibility(source) else {
            Issue.record("it became a condition")
            return
        }
        #expect(found == wanted)
    }

    @Test func `a checkbox itself cannot be compared, because its boxes have the values`() {
        var translation = Self.translation
        translation.dialect = .redcap
        #expect(throws: TranslationError.self) { _ = try translation.visibility("[pets] = 'dog'") }
    }

    @Test(arguments: [
        ("${far} * 2 > .5", "(far * 2) > 0.5"), ("${age} * 2 > 2.", "(age * 2) > 2"),
        ("${age} + 1 > 2.5", "(age + 1) > 2.5"),
    ])
    func `translated numbers begin and end with a digit`(source: String, wanted: String) throws {
        let found = try Self.translation.expression(source)
        #expect(found == wanted)
        _ = try Expression(found)
    }

    @Test(arguments: [
        (". >= 0", "age >= 0"), (". < ${far}", "(not exists(age) or (exists(far) and age < far))"),
        (". != ''", "(not exists(age) or exists(age))"),
    ])
    func `a constraint fails only if its item is answered`(source: String, wanted: String) throws {
        #expect(try Self.translation.constraint(source) == wanted)
    }

    @Test func `aggregates over the instances of a group are rejected`() {
        var translation = Self.translation
        translation.repeatedLinkIds = ["far"]
        #expect(throws: TranslationError.self) { _ = try translation.visibility("sum(${far}) > 3") }
    }

    @Test
    func `unequal numbers become an expression, because a condition would be false for a missing answer`()
        throws
    {
        guard case .expression(let found) = try Self.translation.visibility("[age] != 3") else {
            Issue.record("it became a condition")
            return
        }
        #expect(found == "(not exists(age) or age != 3)")
    }

    @Test(arguments: [
        "[event_1][age] = 1", "[other] = 1", "[age", "datediff([born], 'today', 'y') > 3",
        "pulldata('a', 'b')", "",
        "[drinks] = '9'", "1 +", "regex(., '[a-z]+')", "int(${far}) = ${age}", "int(${far}) + 1 > 2",
        "1 + ${far} div ${age} > 2", "${far} div ${age} > 1 div ${age}", "${far} div -${age} > 2",
        "int(${far} div ${age}) > 2", "${age} div (${far} * 2) > 2",
        "${far} * 3 > 0.33333333333333333", "${born} + ${far} > today()", "string-length(${age}) > 1",
        Array(repeating: "${age} + 1 > 3", count: 150).joined(separator: " or "),
        String(repeating: "(", count: 200), "[age] = 'x' and",
    ])
    func `logic without an equivalent is rejected with a reason`(source: String) {
        let fault = #expect(throws: TranslationError.self) {
            _ = try Self.translation.visibility(source)
        }
        #expect(fault?.detail.isEmpty == false)
    }
}
