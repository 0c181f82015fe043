import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct EnableWhenTests {
    /// A question, possible answers to it, and the answer that conditions compare with.
    struct Case: Sendable, CustomTestStringConvertible {
        let question: Item
        let given: [JSON]
        let compared: Answer

        init(_ type: ItemType, _ given: [JSON], _ compared: Answer, _ change: (inout Item) -> Void = { _ in })
        {
            var question = Item(linkId: "q", type: type)
            change(&question)
            self.question = question
            self.given = given
            self.compared = compared
        }

        var testDescription: String { "\(question.type.rawValue), \(compared)" }
    }

    private static let today = LocalDate(days: 20_000)
    private static let codes = ["red", "blue"].map { ResponseOption(value: .code($0)) }
    private static let ratings = (0...4).map { ResponseOption(value: .integer($0)) }

    static var cases: [Case] { plain + chosen }

    private static var plain: [Case] {
        [
            Case(.boolean, [true, false], .boolean(true)),
            Case(.integer, [2, 3, 4], .integer(3)),
            Case(.decimal, [2.5, 3, 3.5], .decimal(3)),
            Case(.string, ["a", "b", "c", " "], .text("b")),
            Case(.date, ["2026-03-02", "2026-03-03", "2026-03-04"], .date(LocalDate(days: 20_515))),
            Case(.time, ["11:59:59", "12:00", "12:00:01"], .time(LocalTime(seconds: 43_200) ?? .midnight)),
            Case(
                .dateTime,
                ["1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00-00:01", "1969-12-31T23:59:00Z"],
                .dateTime(Instant(milliseconds: 0))),
            Case(
                .quantity,
                [
                    ["value": 2, "unit": "kg"], ["value": 3, "unit": "kg"], ["value": 4, "unit": "kg"],
                    ["value": 3, "unit": "g"],
                ], .quantity(Measure(value: 3, unit: "kg"))
            ) { $0.unitOption = ["kg", "g"] },
            Case(.integer, [[1, 2], [3], [2, 4]], .integer(3)) { $0.repeats = true },
        ]
    }

    private static var chosen: [Case] {
        [
            Case(.choice, ["red", "blue"], .option(.code("blue"))) { $0.answerOption = codes },
            Case(.choice, [1, 2, 3], .option(.integer(2))) { $0.answerOption = ratings },
            Case(.choice, [[1, 3], [2, 3], [0], []], .option(.integer(2))) {
                ($0.answerOption, $0.repeats) = (ratings, true)
            },
            Case(.openChoice, ["red", ["other": "blue"], ["other": "green"]], .freeText("blue")) {
                $0.answerOption = codes
            },
            Case(.openChoice, [["red", ["other": "blue"]], ["blue"]], .option(.code("blue"))) {
                ($0.answerOption, $0.repeats) = (codes, true)
            },
        ]
    }

    private static func questionnaire(_ items: [Item]) -> Questionnaire {
        Questionnaire(
            code: "sample", version: "1.0.0", item: items,
            text: ["en": QuestionnaireText(title: "Sample", items: [:], options: [:])], languages: ["en"])
    }

    private static func item(_ linkId: String, _ type: ItemType, _ change: (inout Item) -> Void) -> Item {
        var item = Item(linkId: linkId, type: type)
        change(&item)
        return item
    }

    private static func when(
        _ question: String, _ comparison: Condition.Comparison, _ answer: Answer
    ) -> [Condition] {
        [Condition(question: question, comparison: comparison, answer: answer)]
    }

    /// Whether the item `t` is shown according to the engine, and according to the published definition.
    private func isShown(_ items: [Item], _ answers: JSONObject) throws -> (engine: Bool, published: Bool) {
        let questionnaire = Self.questionnaire(items)
        let published = questionnaire.json(language: "en")
        var given = answers
        given["t"] = 1
        let sheet = try AnswerSheet(
            answers: given, of: QuestionnaireIndex(questionnaire), today: Self.today)
        var enableWhen = EnableWhen(published, on: Self.today)
        for answer in answers { enableWhen.store(answer.value, for: answer.name) }
        let target = try #require(published["item"]?.array?.last)
        return (sheet.answer(to: "t") != nil, enableWhen.isShown(target))
    }

    @Test(arguments: cases, Condition.Comparison.allCases)
    func `every operator has the same result as in the engine, for every type of answer and for a blank`(
        example: Case, comparison: Condition.Comparison
    ) throws {
        let comparedAnswers =
            comparison == .exists ? [Answer.boolean(true), .boolean(false)] : [example.compared]
        for compared in comparedAnswers {
            let target = Self.item("t", .integer) { $0.enableWhen = Self.when("q", comparison, compared) }
            for given in example.given + [JSON.null] {
                let (engine, published) = try isShown([example.question, target], ["q": given])
                #expect(published == engine, "\(given.text)")
            }
        }
    }

    @Test(arguments: EnableBehavior.allCases)
    func `several conditions are combined as in the engine`(behaviour: EnableBehavior) throws {
        let target = Self.item("t", .integer) {
            $0.enableWhen = Self.when("q", .notEqual, .integer(3)) + Self.when("r", .greater, .integer(3))
            $0.enableBehavior = behaviour
        }
        let questions = ["q", "r"].map { Item(linkId: $0, type: .integer) }
        for first in [JSON.null, 2, 3, 4] {
            for second in [JSON.null, 2, 3, 4] {
                let (engine, published) = try isShown(questions + [target], ["q": first, "r": second])
                #expect(published == engine, "\(first.text), \(second.text)")
            }
        }
    }

    @Test(arguments: [
        "q > 2", "q + 1 = 4", "exists(q)", "not exists(q)", "q = 3 or d < today()", "count(d) = 1 and q <= 3",
    ])
    func `expressions have the same result as in the engine, and a blank result counts as false`(
        source: String
    ) throws {
        let target = Self.item("t", .integer) { $0.enableWhenExpression = source }
        let questions = [Item(linkId: "q", type: .integer), Item(linkId: "d", type: .date)]
        for first in [JSON.null, 2, 3, 4] {
            for second in [JSON.null, "2020-01-01", "2099-01-01"] {
                let (engine, published) = try isShown(questions + [target], ["q": first, "d": second])
                #expect(published == engine, "\(first.text), \(second.text)")
            }
        }
    }

    /// Required questions with conditions of all kinds. A client that evaluates one differently is rejected or loses an
    /// answer.
    private static var dependentQuestions: Questionnaire {
        func required(_ linkId: String, _ conditions: [Condition]) -> Item {
            item(linkId, .integer) { ($0.required, $0.enableWhen) = (true, conditions) }
        }
        let dose = item("dose", .group) {
            ($0.repeats, $0.minOccurs) = (true, 2)
            $0.item = [
                item("again", .boolean) { $0.required = true },
                required("outer", when("a", .equal, .boolean(true))),
                required("inner", when("again", .equal, .boolean(true))),
            ]
        }
        let chosen = item("chosen", .choice) {
            $0.required = true
            $0.answerOption = [
                ResponseOption(value: .integer(1), enableWhen: when("a", .equal, .boolean(true))),
                ResponseOption(value: .integer(2), enableWhen: when("a", .notEqual, .boolean(true))),
            ]
        }
        return questionnaire([
            item("a", .boolean) { $0.required = true },
            Item(linkId: "never", type: .date),
            required("unequal", when("never", .notEqual, .date(today))),
            item("set", .integer) { ($0.hidden, $0.initial) = (true, .integer(5)) },
            required("fixed", when("set", .atLeast, .integer(5))),
            dose,
            required("after", when("dose", .exists, .boolean(true))),
            item("counted", .integer) {
                ($0.required, $0.enableWhenExpression) = (true, "count(dose) = 2 and count(outer) < 2")
            },
            chosen,
        ])
    }

    @Test func `simulated participants answer exactly the items that the engine shows`() throws {
        let questionnaire = Self.dependentQuestions
        let published = questionnaire.json(language: "en")
        var counts: Set<Int> = []
        for seed in UInt64(0)..<40 {
            let answers = AnswerMaker.answers(
                to: published, by: Person(index: 0, seed: seed), day: 0, today: Self.today,
                isTreated: false, model: AnswerModel(try SimulationSample.study([], days: 1)),
                numbers: SeededNumbers(seed: seed))

            let sheet = try AnswerSheet(
                answers: answers, of: QuestionnaireIndex(questionnaire), today: Self.today)

            let names = Set(answers.names)
            #expect(sheet.cleared.isEmpty && !names.contains("set"))
            #expect(names.isSuperset(of: ["unequal", "fixed", "dose", "after", "chosen"]))
            #expect(answers["dose"]?.array?.count == 2)
            #expect(names.contains("counted") == (answers["a"]?.bool == false))
            counts.insert(names.count)
        }
        #expect(counts == [6, 7])
    }
}
