import Testing

@testable import SaunterCore

@Suite struct EnableWhenTests {
    private typealias Samples = QuestionnaireSamples

    /// Whether an item with these conditions is shown after an answer to `q`.
    private func isShown(
        _ question: Item, _ answer: JSON, _ conditions: [Condition], _ behaviour: EnableBehavior = .all
    )
        throws -> Bool
    {
        let target = Samples.item("t", .integer) {
            ($0.enableWhen, $0.enableBehavior) = (conditions, behaviour)
        }
        let sheet = try AnswerSheet(
            answers: [question.linkId: answer, "t": 1], of: Samples.questionnaire([question, target]))
        #expect(sheet.cleared == (sheet.state(of: "t") == .missing(.notShown) ? ["t"] : []))
        return sheet.state(of: "t") == .answered(.integer(1))
    }

    @Test(arguments: [
        // operator, below 3, at 3, above 3, blank
        (Condition.Comparison.equal, [false, true, false, false]), (.notEqual, [true, false, true, true]),
        (.greater, [false, false, true, false]), (.less, [true, false, false, false]),
        (.atLeast, [false, true, true, false]), (.atMost, [true, true, false, false]),
    ])
    func `numbers compare below, at and above the value, and a blank is only unequal`(
        comparison: Condition.Comparison, expected: [Bool]
    ) throws {
        let condition = Samples.when("q", comparison, .integer(3))
        let shown = try [JSON.int(2), 3, 4, nil].map {
            try isShown(Samples.item("q", .integer), $0, [condition])
        }
        #expect(shown == expected)

        let decimal = Samples.when("q", comparison, .decimal(3))
        #expect(
            try [2.999, 3, 3.001, nil].map { try isShown(Samples.item("q", .decimal), $0, [decimal]) }
                == expected)

        let option = Samples.when("q", comparison, .option(.integer(3)))
        #expect(
            try [JSON.int(2), 3, 4, nil].map { try isShown(Samples.rating("q", 0...4), $0, [option]) }
                == expected)

        let day = Samples.when("q", comparison, .date(try #require(LocalDate("2026-03-03"))))
        let days: [JSON] = ["2026-03-02", "2026-03-03", "2026-03-04", nil]
        #expect(try days.map { try isShown(Samples.item("q", .date), $0, [day]) } == expected)

        let time = Samples.when("q", comparison, .time(try #require(LocalTime("12:00"))))
        let times: [JSON] = ["11:59:59", "12:00", "12:00:01", nil]
        #expect(try times.map { try isShown(Samples.item("q", .time), $0, [time]) } == expected)

        let moment = Samples.when("q", comparison, .dateTime(try #require(Instant("2026-03-03T10:00:00Z"))))
        let moments: [JSON] = [
            "2026-03-03T10:00:00+00:01", "2026-03-03T11:00:00+01:00", "2026-03-03T10:00:00.001Z", nil,
        ]
        #expect(try moments.map { try isShown(Samples.item("q", .dateTime), $0, [moment]) } == expected)
    }

    @Test(arguments: [
        // operator, 20 min, 30 min, half an hour, 1 h, blank
        (Condition.Comparison.equal, [false, true, true, false, false]),
        (.notEqual, [true, false, false, true, true]), (.greater, [false, false, false, true, false]),
        (.less, [true, false, false, false, false]), (.atLeast, [false, true, true, true, false]),
        (.atMost, [true, true, true, false, false]),
    ])
    func `quantities are compared after conversion of their units`(
        comparison: Condition.Comparison, expected: [Bool]
    ) throws {
        let question = Samples.item("q", .quantity) { $0.unitOption = ["h", "min"] }
        let condition = Samples.when("q", comparison, .quantity(Measure(value: 30, unit: "min")))
        let answers: [JSON] = [
            ["value": 20, "unit": "min"], ["value": 30, "unit": "min"], ["value": 0.5, "unit": "h"],
            ["value": 1, "unit": "h"], nil,
        ]

        #expect(try answers.map { try isShown(question, $0, [condition]) } == expected)
    }

    @Test func `exists tests for an answer or for a blank`() throws {
        let question = Samples.item("q", .string)

        #expect(try isShown(question, "x", [Samples.when("q", .exists, .boolean(true))]))
        #expect(try !isShown(question, nil, [Samples.when("q", .exists, .boolean(true))]))
        #expect(try !isShown(question, "x", [Samples.when("q", .exists, .boolean(false))]))
        #expect(try isShown(question, "  ", [Samples.when("q", .exists, .boolean(false))]))
    }

    @Test func `one of several chosen options is enough for equal, but unequal needs none`() throws {
        let question = Samples.choice("q", ["a", "b", "c"], repeats: true)

        #expect(try isShown(question, ["a", "b"], [Samples.when("q", .equal, .option(.code("b")))]))
        #expect(try !isShown(question, ["a", "c"], [Samples.when("q", .equal, .option(.code("b")))]))
        #expect(try !isShown(question, ["a", "b"], [Samples.when("q", .notEqual, .option(.code("b")))]))
        #expect(try isShown(question, ["a"], [Samples.when("q", .notEqual, .option(.code("b")))]))
    }

    @Test func `codes, texts and booleans have no order`() throws {
        for comparison in [Condition.Comparison.less, .greater] {
            #expect(
                try !isShown(
                    Samples.choice("q", ["a", "b"]), "a", [Samples.when("q", comparison, .option(.code("b")))]
                ))
            #expect(
                try !isShown(Samples.item("q", .string), "a", [Samples.when("q", comparison, .text("b"))]))
            #expect(
                try !isShown(
                    Samples.item("q", .boolean), false, [Samples.when("q", comparison, .boolean(true))]))
        }
    }

    @Test(arguments: [
        (0, EnableBehavior.all, false), (0, .any, false), (3, .all, false), (3, .any, true), (5, .all, true),
        (5, .any, true),
    ])
    func `all conditions must be true, or any of them`(value: Int, behaviour: EnableBehavior, expected: Bool)
        throws
    {
        let conditions = [Samples.when("q", .atLeast, .integer(3)), Samples.when("q", .atLeast, .integer(5))]

        #expect(try isShown(Samples.item("q", .integer), .int(value), conditions, behaviour) == expected)
    }

    @Test func `an item that depends on a hidden item is hidden too, and its answer is cleared`() throws {
        let questionnaire = Samples.questionnaire([
            Samples.item("a", .boolean),
            Samples.item("b", .boolean) { $0.enableWhen = [Samples.when("a", .equal, .boolean(true))] },
            Samples.item("c", .boolean) { $0.enableWhen = [Samples.when("b", .equal, .boolean(true))] },
            Samples.item("d", .boolean) { $0.enableWhen = [Samples.when("c", .exists, .boolean(false))] },
        ])

        let sheet = try AnswerSheet(
            answers: ["a": false, "b": true, "c": true, "d": true], of: questionnaire)

        #expect(sheet.cleared == ["b", "c"])
        #expect(sheet.json == ["a": false, "d": true])
    }

    @Test func `a disabled group disables everything in it`() throws {
        let sheet = try AnswerSheet(
            answers: ["truth": false, "inner": 3, "deep": "words"], of: QuestionnaireSamples.everyType)

        #expect(sheet.cleared == ["inner", "deep"])
        #expect(sheet.state(of: "inner") == .missing(.notShown))
    }

    @Test func `an invalid answer to an item that is not shown is cleared too`() throws {
        let sheet = try AnswerSheet(
            answers: ["truth": false, "inner": "nonsense", "deep": ""], of: QuestionnaireSamples.everyType)

        #expect(sheet.cleared == ["inner"])
    }

    /// The faults of a sheet in which the answer to `a` is not an integer.
    private func faultsAfterFaultyAnswer(_ others: [Item], _ answers: JSONObject) -> [String] {
        var answers = answers
        answers["a"] = "x"
        do {
            _ = try AnswerSheet(
                answers: answers, of: Samples.questionnaire([Samples.item("a", .integer)] + others))
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code)" }
        }
    }

    private let ifAIsPositive = Samples.when("a", .greater, .integer(0))

    @Test func `an item that depends on an invalid answer is checked, but not required`() {
        let given = Samples.item("b", .integer) { ($0.required, $0.enableWhen) = (true, [ifAIsPositive]) }

        #expect(
            faultsAfterFaultyAnswer([given], ["b": "y"]) == [
                "/answers/a wrong_type", "/answers/b wrong_type",
            ])
        #expect(faultsAfterFaultyAnswer([given], [:]) == ["/answers/a wrong_type"])
    }

    @Test func `an item in a group that depends on an invalid answer is not required`() {
        let group = Samples.item("g", .group) {
            $0.enableWhen = [ifAIsPositive]
            $0.item = [
                Samples.item("b", .integer) { $0.required = true },
                Samples.item("c", .integer) {
                    $0.required = true
                    $0.enableWhen = [Samples.when("b", .exists, .boolean(false))]
                },
            ]
        }

        #expect(
            faultsAfterFaultyAnswer([group], ["c": "y"]) == [
                "/answers/a wrong_type", "/answers/c wrong_type",
            ])
        #expect(faultsAfterFaultyAnswer([group], [:]) == ["/answers/a wrong_type"])
        #expect(
            faultsAfterFaultyAnswer([group], ["b": 1, "c": "y"]) == [
                "/answers/a wrong_type", "/answers/c wrong_type",
            ])
    }

    @Test func `an answer that may be cleared decides no condition`() {
        func next(_ comparison: Condition.Comparison, _ answer: Answer) -> [Item] {
            [
                Samples.item("b", .integer) { $0.enableWhen = [ifAIsPositive] },
                Samples.item("c", .integer) {
                    ($0.required, $0.enableWhen) = (true, [Samples.when("b", comparison, answer)])
                },
            ]
        }

        let unknown = ["/answers/a wrong_type"]
        #expect(faultsAfterFaultyAnswer(next(.equal, .integer(1)), ["b": 1]) == unknown)
        #expect(faultsAfterFaultyAnswer(next(.exists, .boolean(false)), ["b": 1]) == unknown)
        #expect(
            faultsAfterFaultyAnswer(next(.exists, .boolean(false)), [:]) == unknown + ["/answers/c required"])
        #expect(
            faultsAfterFaultyAnswer(next(.notEqual, .integer(2)), ["b": 1]) == unknown + [
                "/answers/c required"
            ])
        #expect(faultsAfterFaultyAnswer(next(.equal, .integer(2)), ["b": 1, "c": "y"]) == unknown)
    }

    @Test func `other conditions can decide despite an invalid answer`() {
        func item(_ behaviour: EnableBehavior, _ truth: Bool) -> [Item] {
            [
                Samples.item("b", .boolean),
                Samples.item("c", .integer) {
                    ($0.required, $0.enableBehavior) = (true, behaviour)
                    $0.enableWhen = [ifAIsPositive, Samples.when("b", .equal, .boolean(truth))]
                },
            ]
        }

        #expect(faultsAfterFaultyAnswer(item(.any, true), ["b": true]).contains("/answers/c required"))
        #expect(!faultsAfterFaultyAnswer(item(.any, false), ["b": true]).contains("/answers/c required"))
        #expect(!faultsAfterFaultyAnswer(item(.all, true), ["b": true]).contains("/answers/c required"))
        #expect(
            !faultsAfterFaultyAnswer(item(.all, false), ["b": true, "c": "y"]).contains(
                "/answers/c wrong_type"))
    }

    @Test func `an unchecked definition with an unknown or forward reference can still be evaluated`() throws
    {
        let questionnaire = Samples.questionnaire([
            Samples.item("a", .integer) {
                $0.enableWhen = [Samples.when("nowhere", .exists, .boolean(true))]
            },
            Samples.item("b", .integer) { $0.enableWhen = [Samples.when("c", .exists, .boolean(false))] },
            Samples.item("c", .integer) { $0.enableWhen = [Samples.when("c", .exists, .boolean(true))] },
        ])

        let sheet = try AnswerSheet(answers: ["a": 1, "b": 1, "c": 1], of: questionnaire)

        #expect(sheet.cleared == ["a", "c"])
    }
}
