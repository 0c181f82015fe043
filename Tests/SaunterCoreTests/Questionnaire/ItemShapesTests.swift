import Testing

@testable import SaunterCore

@Suite struct ItemShapesTests {
    private typealias Samples = QuestionnaireSamples

    @Test(
        arguments: [
            (["open": "a"], ["open": "a"]), (["open": ["other": "x"]], ["open": ["other": "x"]]),
            (["open": ["other": " "]], [:]),
            (["opens": [["other": "x"], "b"]], ["opens": ["b", ["other": "x"]]]), (["opens": []], [:]),
            (["mass": ["value": 1.5, "unit": "g"]], ["mass": ["value": 1.5, "unit": "g"]]),
            (["rank": ["c", "a", "b"]], ["rank": ["c", "a", "b"]]),
            (["rank": [["c", "a"], ["a", "b"]]], ["rank": [["c", "a"], ["a", "b"]]]),
            (
                ["rank": [["shown": ["c", "a"], "choice": "a", "time_ms": 900], ["c", "b"]]],
                ["rank": [["shown": ["c", "a"], "choice": "a", "time_ms": 900], ["c", "b"]]]
            ),
            (
                ["rank": [["shown": ["b", "c"], "choice": nil], ["shown": ["a", "c"], "choice": "a"]]],
                ["rank": [["shown": ["b", "c"], "choice": nil], ["shown": ["a", "c"], "choice": "a"]]]
            ),
            (
                ["rank": [["shown": ["c", "a"], "choice": "a", "time_ms": nil], ["c", "b"]]],
                ["rank": [["shown": ["c", "a"], "choice": "a"], ["c", "b"]]]
            ),
            (["lines": ["x", "x"]], ["lines": ["x", "x"]]), (["lines": []], [:]),
            (["days": ["2026-02-28"]], ["days": ["2026-02-28"]]),
            (
                [
                    "group": [
                        ["name": "n", "dose": 2, "more": "08:00"],
                        ["name": "m", "size": 3, "at": ["y", "x"]],
                    ]
                ],
                [
                    "group": [
                        ["name": "n", "dose": 2, "more": "08:00"],
                        ["name": "m", "at": ["x", "y"], "size": ["value": 3, "unit": "m"]],
                    ]
                ]
            ),
        ] as [(JSONObject, JSONObject)])
    func `an answer has the form of its item, and survives storage`(
        answers: JSONObject, expected: JSONObject
    ) throws {
        let sheet = try ShapeSamples.sheet(answers)
        #expect(sheet.json == expected)

        let codec = AnswerCodec(ShapeSamples.index)
        var stored = codec.encode(sheet)
        let rows = stored.repeatedJSON.map(\.text)
        stored.setRepeated(try rows.map { try JSONReader.read($0) })
        #expect(try codec.decode(stored).states == sheet.states)
        #expect(stored.slots.count == codec.slots.count)
    }

    @Test(
        arguments: [
            (["open": "c"], ["/answers/open not_an_option"]),
            (["open": ["others": "x"]], ["/answers/open wrong_type"]),
            (["open": ["other": 1]], ["/answers/open/other wrong_type"]),
            (["opens": ["a", ["other": "x"], ["other": "y"]]], ["/answers/opens/2 duplicate_option"]),
            (["opens": ["a", "b", ["other": "x"]]], ["/answers/opens too_many_answers"]),
            (["opens": ["none", ["other": "x"]]], ["/answers/opens/1 exclusive_option"]),
            (["mass": 1], ["/answers/mass wrong_type"]),
            (["mass": ["value": 1, "unit": "lb"]], ["/answers/mass/unit not_a_unit"]),
            (["mass": ["value": -1, "unit": "g"]], ["/answers/mass/value below_minimum"]),
            (["mass": ["value": 1.25, "unit": "g"]], ["/answers/mass/value too_many_decimals"]),
            (["rank": ["a", "b"]], ["/answers/rank incomplete_ranking"]),
            (["rank": ["a", "b", "a"]], ["/answers/rank/2 duplicate_option"]),
            (["rank": [["a", "b"]]], ["/answers/rank incomplete_ranking"]),
            (["rank": [["a", "b"], ["b", "a"], ["a", "c"]]], ["/answers/rank/1 duplicate_comparison"]),
            (["rank": [["a", "b"], ["a"]]], ["/answers/rank/1 wrong_type"]),
            (["rank": [["a", "b"], ["a", "c"]]], ["/answers/rank incomplete_ranking"]),
            (["rank": [["a", "a"]]], ["/answers/rank/0 duplicate_comparison"]),
            (
                ["rank": [["a", "b"], ["a", "c"], ["b", "c"], ["c", "b"]]],
                ["/answers/rank too_many_comparisons"]
            ),
            (["rank": [["shown": ["a", "b"], "choice": "c"]]], ["/answers/rank/0/choice not_offered"]),
            (["rank": [["shown": ["a", "z"], "choice": "a"]]], ["/answers/rank/0/shown/1 not_an_option"]),
            (["rank": [["shown": ["a"], "choice": "a"]]], ["/answers/rank/0 wrong_type"]),
            (["rank": [["shown": ["a", "b"]]]], ["/answers/rank/0 wrong_type"]),
            (["rank": [["shown": ["a", "b"], "choice": "a", "ms": 1]]], ["/answers/rank/0 wrong_type"]),
            (
                ["rank": [["shown": ["a", "b"], "choice": "a", "time_ms": -1]]],
                ["/answers/rank/0/time_ms out_of_range"]
            ),
            (
                ["rank": [["shown": ["a", "b"], "choice": "a", "time_ms": 1e300]]],
                ["/answers/rank/0/time_ms out_of_range"]
            ),
            (["lines": ["x"]], ["/answers/lines too_few_answers"]),
            (["lines": ["x", " "]], ["/answers/lines/1 blank_value"]),
            (["lines": "x"], ["/answers/lines wrong_type"]),
            (["group": ["name": "x"]], ["/answers/group wrong_type"]),
            (["group": [["dose": 1]]], ["/answers/group/0/name required"]),
            (
                ["group": [["name": "n"], 1]],
                ["/answers/group/1 wrong_type", "/answers/group/1/name required"]
            ),
            (["group": [["name": "n", "open": "a"]]], ["/answers/group/0/open wrong_group"]),
            (["group": [["name": "n", "inner": 1]]], ["/answers/group/0/inner not_a_question"]),
            (["group": [["name": "N!"]]], ["/answers/group/0/name wrong_form"]),
            (["dose": 1], ["/answers/dose wrong_group"]),
            (
                ["group": .array((1...4).map { ["name": .string("n\($0)")] })],
                ["/answers/group too_many_answers"]
            ),
        ] as [(JSONObject, [String])])
    func `an invalid answer is rejected with its pointer`(answers: JSONObject, faults: [String]) {
        #expect(ShapeSamples.faults(answers) == faults)
    }

    @Test func `each instance has its own conditions, blanks and reasons`() throws {
        let sheet = try ShapeSamples.sheet(
            ["group": [["name": "n", "dose": 2], ["name": "m", "dose": 1, "more": "08:00"]]],
            ["group": [["more": "refused"]], "open": "dont_know"])

        #expect(sheet.cleared == ["more.2"])
        let lists = try #require(sheet.reasons["group"]?.array)
        #expect(lists.map { $0["more"]?.string } == ["refused", "not_shown"])
        #expect(sheet.reasons["open"] == "dont_know")
        #expect(sheet.givenReasons["group"]?.array?.map { $0["more"]?.string } == ["refused", nil])
        #expect(try ShapeSamples.sheet(sheet.json, sheet.reasons).states == sheet.states)
    }

    @Test func `the reasons of an instance must belong to its group`() {
        #expect(
            ShapeSamples.faults(["group": [["name": "n"]]], ["group": [[:], [:]]])
                == ["/reasons/group too_many_reasons"])
        #expect(
            ShapeSamples.faults(["group": [["name": "n"]]], ["group": [["name": "refused"]]])
                == ["/reasons/group/0/name reason_for_answered"])
        #expect(
            ShapeSamples.faults(["group": [["name": "n"]]], ["group": "refused"])
                == ["/reasons/group reason_for_answered"])
        #expect(ShapeSamples.faults([:], ["group": "refused"]) == [])
        #expect(ShapeSamples.faults([:], ["group": [[:]]]) == ["/reasons/group too_many_reasons"])
    }

    @Test func `options can depend on an earlier answer`() throws {
        let items = [
            Samples.choice("kind", ["good", "bad"]),
            Samples.item("feelings", .choice) {
                ($0.repeats, $0.required) = (true, true)
                $0.answerOption = [("joy", "good"), ("fear", "bad")].map { value, kind in
                    ResponseOption(
                        value: .code(value),
                        enableWhen: [Samples.when("kind", .equal, .option(.code(kind)))])
                }
            },
        ]
        let questionnaire = Samples.questionnaire(items)
        #expect(questionnaire.faults().isEmpty)

        #expect(
            try AnswerSheet(answers: ["kind": "good", "feelings": ["joy"]], of: questionnaire).answer(
                to: "feelings")
                == .options([.code("joy")]))
        #expect {
            try AnswerSheet(answers: ["kind": "good", "feelings": ["fear"]], of: questionnaire)
        } throws: {
            ($0 as? Faults)?.list.map(\.code) == ["not_offered"]
        }
        // Without offered options the question is not shown.
        let sheet = try AnswerSheet(answers: ["feelings": ["joy"]], of: questionnaire)
        #expect(sheet.cleared == ["feelings"] && sheet.state(of: "feelings") == .missing(.notShown))
    }

    @Test(
        arguments: [
            (29.9, "min", ["below_minimum"]), (30, "min", []), (0.4, "h", ["below_minimum"]), (0.5, "h", []),
            (24, "h", []), (25, "h", ["above_maximum"]), (1, "d", []), (1.1, "d", ["above_maximum"]),
            (-0.5, "s", ["not_a_unit"]),
        ] as [(Double, String, [String])])
    func `bounds of a quantity are in its first unit, and answers are converted`(
        value: Double, unit: String, faults: [String]
    ) throws {
        let item = Samples.item("q", .quantity) {
            ($0.unitOption, $0.minValue, $0.maxValue) = (["min", "h", "d"], 30, 1440)
        }
        #expect(Samples.questionnaire([item]).faults().isEmpty)

        do throws(Faults) {
            let answer = try item.answer(from: ["value": .double(value), "unit": .string(unit)])
            #expect(faults.isEmpty && answer == .quantity(Measure(value: value, unit: unit)))
        } catch {
            #expect(error.list.map(\.code) == faults)
            if faults == ["above_maximum"] {
                #expect(error.list[0].detail == "The maximum is 1440 min.")
            }
        }
    }

    @Test func `bounds and conditions with units that cannot be compared are rejected`() {
        func faults(_ units: [String], minimum: Double?, _ condition: Measure?) -> [String] {
            let question = Samples.item("q", .quantity) { ($0.unitOption, $0.minValue) = (units, minimum) }
            let asked = Samples.item("t", .integer) {
                if let condition { $0.enableWhen = [Samples.when("q", .less, .quantity(condition))] }
            }
            return Samples.questionnaire([question, asked]).faults().map { "\($0.pointer) \($0.code)" }
        }

        #expect(faults(["mmol/L", "mg/dL"], minimum: 0, nil) == [])
        #expect(faults(["mmol/L", "mg/dL"], minimum: 1, nil) == ["/item/0/minValue units_not_comparable"])
        #expect(faults(["Cel", "[degF]"], minimum: 30, Measure(value: 100, unit: "[degF]")) == [])
        #expect(
            faults(["mmol/L", "mg/dL"], minimum: nil, Measure(value: 5, unit: "mmol/L"))
                == ["/item/1/enableWhen/0/answer units_not_comparable"])
    }

    @Test func `an exclusive option is a complete answer, regardless of minOccurs`() throws {
        let options =
            ShapeSamples.codes(["a", "b"]) + [ResponseOption(value: .code("none"), exclusive: true)]
        for type in [ItemType.choice, .openChoice] {
            let item = Samples.item("q", type) {
                ($0.repeats, $0.minOccurs, $0.answerOption) = (true, 2, options)
            }
            #expect(Samples.questionnaire([item]).faults().isEmpty)

            #expect(try item.answer(from: ["none"]) == .options([.code("none")]))
            #expect {
                try item.answer(from: ["a"])
            } throws: {
                ($0 as? Faults)?.list.map(\.code) == ["too_few_answers"]
            }
        }
    }

    /// The options of `emotions` depend on `category`, which is shown if `asks` is true. One option is always offered.
    private static let categories = Samples.questionnaire([
        Samples.item("asks", .boolean),
        Samples.item("category", .choice) {
            $0.answerOption = ShapeSamples.codes(["good", "bad"])
            $0.enableWhen = [Samples.when("asks", .equal, .boolean(true))]
        },
        Samples.item("emotions", .choice) {
            $0.repeats = true
            $0.answerOption = [("joy", "good"), ("calm", "good"), ("fear", "bad")].map { value, category in
                ResponseOption(
                    value: .code(value),
                    enableWhen: [Samples.when("category", .equal, .option(.code(category)))])
            }
            $0.answerOption.append(ResponseOption(value: .code("nothing")))
        },
    ])

    @Test func `an option that depends on a hidden question is cleared like an answer to it`() throws {
        let sheet = try AnswerSheet(
            answers: ["asks": false, "category": "good", "emotions": ["joy", "nothing"]], of: Self.categories)
        let bare = try AnswerSheet(answers: ["asks": false, "emotions": ["joy"]], of: Self.categories)

        #expect(sheet.cleared == ["category", "emotions"])
        #expect(sheet.answer(to: "emotions") == .options([.code("nothing")]))
        #expect(bare.cleared == ["emotions"] && bare.state(of: "emotions") == .missing(.skipped))
    }

    @Test func `options of another category are rejected with one fault`() {
        do throws(Faults) {
            _ = try AnswerSheet(
                answers: ["asks": true, "category": "bad", "emotions": ["joy", "calm", "fear"]],
                of: Self.categories)
            Issue.record("the sheet was accepted")
        } catch {
            #expect(error.list.map { "\($0.pointer) \($0.code)" } == ["/answers/emotions not_offered"])
        }
    }

    @Test func `options that were not offered are stored as blank, not as 0`() throws {
        let codec = AnswerCodec(Self.categories)
        let sheet = try AnswerSheet(
            answers: ["asks": true, "category": "good", "emotions": ["joy"]], of: Self.categories)

        let stored = codec.encode(sheet)

        #expect(stored.slots == [1, 0, 1, 0, -998, 0])
        #expect(try codec.decode(stored).states == sheet.states)

        let group = Samples.item("days", .group) {
            $0.repeats = true
            $0.item = Array(Self.categories.item.dropFirst())
            $0.item[0].enableWhen = []
        }
        let days = Samples.questionnaire([group])
        #expect(days.faults().isEmpty)
        let both = try AnswerSheet(
            answers: [
                "days": [
                    ["category": "good", "emotions": ["joy"]], ["category": "bad", "emotions": ["nothing"]],
                ]
            ], of: days)
        let rows = AnswerCodec(days).encode(both)
        let cells = rows.repeated.filter { $0.linkId == "emotions" }.map { $0.value ?? $0.missing?.code }
        #expect(cells == ["1", "0", "not_shown", "0", "not_shown", "not_shown", "0", "1"])
        #expect(try AnswerCodec(days).decode(rows).states == both.states)
    }

    @Test func `constraints reject a sheet or add a warning, in the language of the sheet`() throws {
        var questionnaire = Samples.questionnaire(
            [Samples.item("from", .date), Samples.item("to", .date), Samples.item("n", .integer)],
            languages: ["en", "de"])
        questionnaire.constraint = [
            Constraint(key: "order", severity: .error, expression: "from <= to", item: "to"),
            Constraint(key: "much", severity: .warning, expression: "n < 10"),
            Constraint(key: "past", severity: .error, expression: "to <= today()"),
        ]
        for language in ["en", "de"] {
            questionnaire.text[language]?.constraints = [
                "order": "Order \(language)", "much": "Much", "past": "Past",
            ]
        }
        #expect(questionnaire.faults().isEmpty)
        let index = QuestionnaireIndex(questionnaire)
        let today = try #require(LocalDate("2026-06-01"))
        func faults(_ answers: JSONObject) -> [Fault] {
            do throws(Faults) {
                _ = try AnswerSheet(answers: answers, of: index, today: today, language: "de")
                return []
            } catch {
                return error.list
            }
        }

        #expect(
            faults(["from": "2026-02-02", "to": "2026-02-01"])
                == [Fault(pointer: "/answers/to", code: "constraint_order", detail: "Order de")])
        #expect(faults(["to": "2026-06-02"]).map(\.pointer) == ["/answers"])
        // An invalid answer is a fault, and constraints on it are not evaluated.
        #expect(faults(["from": "2026-02-30", "to": "2026-02-01"]).map(\.code) == ["invalid_date"])
        #expect(faults(["from": "2026-02-01"]).isEmpty)
        #expect(try AnswerSheet(answers: ["n": 10], of: index).warnings == ["much"])
        #expect(try AnswerSheet(answers: ["n": 9], of: index).warnings == [])
    }

    @Test func `a constraint on an item in a repeating group is evaluated in every instance`() throws {
        var questionnaire = Samples.questionnaire([
            Samples.item("limit", .integer),
            Samples.item("pills", .group) {
                $0.repeats = true
                $0.item = [
                    Samples.item("from", .time), Samples.item("to", .time), Samples.item("n", .integer),
                ]
                $0.enableWhen = [Samples.when("limit", .greater, .integer(0))]
            },
            Samples.item("last", .integer),
        ])
        questionnaire.constraint = [
            Constraint(key: "order", severity: .error, expression: "from < to", item: "to"),
            Constraint(key: "much", severity: .warning, expression: "n <= limit", item: "n"),
        ]
        questionnaire.text["en"]?.constraints = ["order": "Order", "much": "Much"]
        #expect(questionnaire.faults().isEmpty)
        let index = QuestionnaireIndex(questionnaire)
        let good: JSON = ["from": "08:00", "to": "09:00", "n": 1]
        let wrong: JSON = ["from": "08:00", "to": "07:00", "n": 9]
        func faults(_ answers: JSONObject) -> [String] {
            do throws(Faults) {
                _ = try AnswerSheet(answers: answers, of: index)
                return []
            } catch {
                return error.list.map { "\($0.pointer) \($0.code)" }
            }
        }

        #expect(
            faults(["limit": 2, "pills": [good, wrong, wrong]]) == [
                "/answers/pills/1/to constraint_order", "/answers/pills/2/to constraint_order",
            ])
        // Items that are not shown are not evaluated.
        #expect(faults(["limit": 0, "pills": [wrong]]).isEmpty)
        let many: JSON = ["n": 3]
        #expect(
            try AnswerSheet(answers: ["limit": 2, "pills": [many, many]], of: index).warnings == ["much"])
        #expect(try AnswerSheet(answers: ["limit": 3, "pills": [many, good]], of: index).warnings == [])

        for expression in ["n < last", "count(pills) < 3"] {
            questionnaire.constraint[1].expression = expression
            #expect(questionnaire.faults().map(\.pointer) == ["/constraint/1/expression"])
        }
    }

    @Test func `recorded orders name shuffled options and items, each once`() throws {
        let index = QuestionnaireIndex(
            Samples.questionnaire([
                Samples.item("mix", .group) {
                    $0.shuffle = true
                    $0.item = [Samples.item("p", .boolean), Samples.item("q", .boolean)]
                },
                Samples.item("rate", .choice) {
                    ($0.shuffle, $0.answerOption) = (
                        true, (0...2).map { ResponseOption(value: .integer($0)) }
                    )
                },
            ]))
        func faults(_ orders: JSONObject) -> [String] {
            do throws(Faults) {
                _ = try PresentedOrder(orders, of: index)
                return []
            } catch {
                return error.list.map { "\($0.pointer) \($0.code)" }
            }
        }

        #expect(
            try PresentedOrder(["rate": [2, 0, 1], "mix": ["q", "p"]], of: index).json
                == ["mix": ["q", "p"], "rate": ["2", "0", "1"]])
        #expect(faults(["p": ["q"]]) == ["/presented/p not_shuffled"])
        #expect(faults(["mix": ["p", "p"]]) == ["/presented/mix wrong_order"])
        #expect(faults(["mix": ["rate"]]) == ["/presented/mix wrong_order"])
        #expect(faults(["mix": ["p", "q", "p"]]) == ["/presented/mix wrong_type"])
        #expect(faults(["mix": 1]) == ["/presented/mix wrong_type"])
    }
}
