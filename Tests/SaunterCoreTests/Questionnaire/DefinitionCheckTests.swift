import Testing

@testable import SaunterCore

@Suite struct DefinitionCheckTests {
    private typealias Samples = QuestionnaireSamples

    private func faults(_ questionnaire: Questionnaire) -> [String] {
        questionnaire.faults().map { "\($0.pointer) \($0.code)" }
    }

    private func faults(_ items: [Item]) -> [String] { faults(Samples.questionnaire(items)) }

    @Test func `a valid definition has no faults`() {
        #expect(faults(Samples.everyType) == [])
        #expect(
            faults(Samples.questionnaire(Samples.everyType.item, languages: ["de", "en", "pt-BR"])) == [])
    }

    @Test(arguments: [
        ("", false), ("a", true), ("a_1", true), ("abcdefghijklmnopqrstuvwx", true),
        ("abcdefghijklmnopqrstuvwxy", false),
        ("1a", false), ("_a", false), ("aB", false), ("a-b", false), ("ä", false),
    ])
    func `names begin with a letter and fit a column`(name: String, isAccepted: Bool) {
        #expect(
            faults(Samples.questionnaire([Samples.item("a", .integer)], code: name))
                == (isAccepted ? [] : ["/code bad_id"]))
        #expect(faults([Samples.item(name, .integer)]) == (isAccepted ? [] : ["/item/0/linkId bad_id"]))
    }

    @Test(arguments: ["", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.x", "v1.0.0", "1..0", "1.0.1234567890"])
    func `a version is three numbers`(version: String) {
        var questionnaire = Samples.everyType
        questionnaire.version = version

        #expect(faults(questionnaire) == ["/version bad_version"])
    }

    @Test func `minutes, edit times and an empty tree are checked`() {
        var questionnaire = Samples.questionnaire([])
        questionnaire.minutes = .nan
        questionnaire.edit = EditPolicy(
            correctWithin: .within(seconds: 0), deleteWithin: .within(seconds: .max))

        #expect(
            faults(questionnaire) == [
                "/minutes out_of_range", "/edit/correct_within_s out_of_range",
                "/edit/delete_within_s out_of_range",
                "/item no_items",
            ])
    }

    @Test func `a questionnaire may only show texts, and its sheet states that they were read`() throws {
        let story = Samples.questionnaire([
            Samples.item("page", .group) { $0.item = [Samples.item("words", .display)] }
        ])
        #expect(faults(story) == [])

        let codec = AnswerCodec(story)
        let sheet = try AnswerSheet(answers: [:], of: story)
        let stored = codec.encode(sheet)

        #expect(stored == StoredAnswers(slots: [], numbers: [], texts: [:]))
        #expect(try codec.decode(stored).states.isEmpty && sheet.json.isEmpty)
        #expect(throws: Faults.self) { try AnswerSheet(answers: ["words": "x"], of: story) }
    }

    @Test func `linkIds are unique in the complete tree`() {
        let items = [
            Samples.item("a", .integer),
            Samples.item("g", .group) {
                $0.item = [Samples.item("b", .integer), Samples.item("a", .integer)]
            },
        ]

        #expect(faults(items) == ["/item/1/item/1/linkId duplicate_id"])
    }

    @Test(arguments: [
        ("repeats", ItemType.boolean, "not_for_type"), ("minValue", .string, "not_for_type"),
        ("maxValue", .boolean, "not_for_type"),
        ("minLength", .integer, "not_for_type"), ("maxLength", .choice, "not_for_type"),
        ("maxDecimalPlaces", .integer, "not_for_type"), ("step", .text, "not_for_type"),
        ("unit", .boolean, "not_for_type"),
        ("answerOption", .integer, "not_for_type"), ("decimals", .decimal, "not_for_type"),
        ("data_kind", .display, "not_for_type"),
    ])
    func `a property is only permitted for certain item types`(name: String, type: ItemType, code: String) {
        var item = type == .choice ? Samples.rating("a", 0...3) : Samples.item("a", type)
        switch name {
        case "repeats": item.repeats = true
        case "minValue": item.minValue = 0
        case "maxValue": item.maxValue = 1
        case "minLength": item.minLength = 1
        case "maxLength": item.maxLength = 5
        case "maxDecimalPlaces": item.maxDecimalPlaces = 1
        case "step": item.step = 1
        case "unit": item.unit = "min"
        case "decimals": item.decimals = 2
        case "data_kind": item.dataKind = "heart"
        default: item.answerOption = [ResponseOption(value: .integer(1))]
        }

        #expect(faults([item]) == ["/item/0/\(name) \(code)"])
    }

    @Test func `bounds must not be empty, and must be whole for integers`() {
        func bounds(_ type: ItemType, _ change: (inout Item) -> Void) -> [String] {
            faults([Samples.item("a", type, change)])
        }

        #expect(bounds(.integer) { ($0.minValue, $0.maxValue) = (3, 3) } == [])
        #expect(bounds(.integer) { ($0.minValue, $0.maxValue) = (4, 3) } == ["/item/0/minValue empty_range"])
        #expect(bounds(.integer) { $0.maxValue = 3.5 } == ["/item/0/maxValue not_whole"])
        #expect(bounds(.decimal) { $0.maxValue = 3.5 } == [])
        #expect(bounds(.decimal) { $0.minValue = -.infinity } == ["/item/0/minValue out_of_range"])
        #expect(bounds(.decimal) { $0.step = 0 } == ["/item/0/step out_of_range"])
        #expect(bounds(.decimal) { $0.maxDecimalPlaces = 16 } == ["/item/0/maxDecimalPlaces out_of_range"])
        #expect(bounds(.string) { $0.maxLength = 1001 } == ["/item/0/maxLength out_of_range"])
        #expect(bounds(.text) { $0.maxLength = 20_000 } == [])
        #expect(bounds(.text) { $0.maxLength = 0 } == ["/item/0/maxLength out_of_range"])
        #expect(bounds(.text) { ($0.minLength, $0.maxLength) = (6, 5) } == ["/item/0/minLength empty_range"])
        #expect(bounds(.text) { $0.minLength = -1 } == ["/item/0/minLength empty_range"])
    }

    @Test func `options are required, of one kind, unique, and valid in column names`() {
        func options(_ change: (inout Item) -> Void) -> [String] {
            faults([Samples.item("a", .choice, change)])
        }

        #expect(options { _ in } == ["/item/0/answerOption no_options"])
        #expect(
            options {
                $0.answerOption = [ResponseOption(value: .integer(1)), ResponseOption(value: .code("b"))]
            }
                == ["/item/0/answerOption/1/value mixed_options"])
        #expect(
            options { $0.answerOption = [1, 2, 1].map { ResponseOption(value: .integer($0)) } }
                == ["/item/0/answerOption/2/value duplicate_option"])
        #expect(
            options { $0.answerOption = [ResponseOption(value: .code("B c"))] } == [
                "/item/0/answerOption/0/value bad_id"
            ])
        #expect(
            options { $0.answerOption = [ResponseOption(value: .integer(1), weight: .nan)] }
                == ["/item/0/answerOption/0/weight out_of_range"])
        #expect(
            options { $0.answerOption = [ResponseOption(value: .integer(1), exclusive: true)] }
                == ["/item/0/answerOption/0/exclusive not_for_type"])
        #expect(
            options { $0.answerOption = [ResponseOption(value: .integer(.min))] } == [
                "/item/0/answerOption/0/value number_too_large"
            ])
        #expect(
            faults([Samples.choice("a_name_of_twenty_four_ch", ["abcdef", "abcdefg"], repeats: true)])
                == ["/item/0/answerOption/1/value name_too_long"])
        #expect(faults([Samples.rating("a", 0...999)]) == [])
        #expect(faults([Samples.rating("a", 0...1000)]) == ["/item/0/answerOption too_many_options"])
    }

    @Test func `only groups contain items`() {
        #expect(
            faults([Samples.item("g", .group), Samples.item("a", .integer)]) == ["/item/0/item empty_group"])
        #expect(
            faults([Samples.item("a", .integer) { $0.item = [Samples.item("b", .integer)] }]) == [
                "/item/0/item unexpected_items"
            ])
        #expect(
            faults([Samples.item("d", .display) { $0.required = true }, Samples.item("a", .integer)])
                == ["/item/0/required not_a_question"])
        #expect(
            faults([Samples.item("a", .integer) { ($0.required, $0.hidden) = (true, true) }]) == [
                "/item/0/required required_hidden"
            ])
    }

    @Test func `an item in a hidden group cannot be required`() {
        func hidden(_ items: [Item]) -> [String] {
            faults([
                Samples.item("g", .group) { ($0.hidden, $0.item) = (true, items) },
                Samples.item("z", .integer),
            ])
        }
        let inner = Samples.item("a", .integer) { $0.required = true }
        #expect(hidden([inner]) == ["/item/0/item/0/required required_hidden"])
        #expect(
            hidden([Samples.item("h", .group) { $0.item = [inner] }]) == [
                "/item/0/item/0/item/0/required required_hidden"
            ])
        #expect(
            hidden([
                Samples.item("r", .group) {
                    ($0.repeats, $0.required, $0.item) = (true, true, [Samples.item("a", .integer)])
                }
            ])
                == ["/item/0/item/0/required required_hidden"])
        #expect(
            hidden([Samples.item("a", .integer) { ($0.required, $0.initial) = (true, .integer(1)) }]) == [])
    }

    /// Otherwise the item would always or never be shown, without a warning.
    @Test(arguments: [
        "int >>> nonsense ((", "a >", "", "3", "'x'", "today()", "1 = 'x'", "a > @2020", "unknown > 3",
    ])
    func `an expression with a syntax error or an unknown item is a fault`(source: String) {
        let found = faults([
            Samples.item("a", .integer), Samples.item("b", .integer) { $0.enableWhenExpression = source },
        ])

        #expect(
            !found.isEmpty && found.allSatisfy { $0.hasPrefix("/item/1/enableWhenExpression") }, "\(found)")
    }

    @Test func `nesting is limited`() {
        var item = Samples.item("a", .integer)
        for depth in 1..<16 {
            let inner = item
            item = Samples.item("g\(depth)", .group) { $0.item = [inner] }
        }
        #expect(faults([item]) == [])

        let outer = Samples.item("g16", .group) { $0.item = [item] }
        #expect(faults([outer]).contains { $0.hasSuffix("too_deep") })
    }

    @Test func `an initial value must be a valid answer to its item`() {
        func initial(_ item: Item, _ answer: Answer) -> [String] {
            var item = item
            item.initial = answer
            return faults([item])
        }

        #expect(initial(Samples.rating("a", 0...3), .option(.integer(3))) == [])
        #expect(
            initial(Samples.rating("a", 0...3), .option(.integer(4))) == ["/item/0/initial not_an_option"])
        #expect(initial(Samples.rating("a", 0...3), .integer(3)) == ["/item/0/initial wrong_type"])
        #expect(initial(Samples.item("a", .integer), .text("x")) == ["/item/0/initial wrong_type"])
        #expect(initial(Samples.item("a", .string), .text(" ")) == ["/item/0/initial wrong_type"])
        #expect(
            initial(Samples.choice("a", ["x", "y"], repeats: true), .options([.code("y"), .code("x")])) == [
                "/item/0/initial wrong_type"
            ])
        #expect(
            initial(Samples.choice("a", ["x", "y"], repeats: true), .options([.code("x"), .code("y")])) == [])
    }

    @Test func `a condition refers to an earlier question and compares with a valid answer`() {
        func condition(_ question: String, _ comparison: Condition.Comparison, _ answer: Answer) -> [String] {
            faults([
                Samples.item("n", .integer) { $0.maxValue = 9 },
                Samples.choice("c", ["x", "y"], repeats: true),
                Samples.item("g", .group) { $0.item = [Samples.item("s", .string)] },
                Samples.item("t", .integer) { $0.enableWhen = [Samples.when(question, comparison, answer)] },
                Samples.item("z", .integer),
            ])
        }

        #expect(condition("n", .atLeast, .integer(9)) == [])
        #expect(condition("s", .equal, .text("a")) == [])
        #expect(condition("c", .equal, .option(.code("x"))) == [])
        #expect(condition("c", .exists, .boolean(false)) == [])
        #expect(condition("q", .equal, .integer(1)) == ["/item/3/enableWhen/0/question unknown_item"])
        #expect(condition("g", .exists, .boolean(true)) == ["/item/3/enableWhen/0/question not_a_question"])
        #expect(condition("t", .equal, .integer(1)) == ["/item/3/enableWhen/0/question own_item"])
        #expect(condition("z", .equal, .integer(1)) == ["/item/3/enableWhen/0/question later_item"])
        #expect(condition("n", .equal, .text("1")) == ["/item/3/enableWhen/0/answer wrong_type"])
        #expect(condition("n", .equal, .decimal(1)) == ["/item/3/enableWhen/0/answer wrong_type"])
        #expect(condition("n", .equal, .integer(10)) == ["/item/3/enableWhen/0/answer above_maximum"])
        #expect(condition("n", .exists, .integer(1)) == ["/item/3/enableWhen/0/answer wrong_type"])
        #expect(condition("c", .equal, .option(.code("w"))) == ["/item/3/enableWhen/0/answer not_an_option"])
        #expect(condition("c", .equal, .options([.code("x")])) == ["/item/3/enableWhen/0/answer wrong_type"])
        #expect(condition("c", .less, .option(.code("x"))) == ["/item/3/enableWhen/0/operator not_ordered"])
        #expect(condition("s", .less, .text("x")) == ["/item/3/enableWhen/0/operator not_ordered"])
    }

    @Test func `a cycle of conditions is a fault`() {
        let items = [
            Samples.item("a", .boolean) { $0.enableWhen = [Samples.when("c", .equal, .boolean(true))] },
            Samples.item("g", .group) {
                $0.enableWhen = [Samples.when("a", .equal, .boolean(true))]
                $0.item = [Samples.item("c", .boolean)]
            },
        ]

        #expect(faults(items) == ["/item/0/enableWhen/0/question cycle"])
    }

    @Test func `a group cannot depend on an item inside it`() {
        let items = [
            Samples.item("g", .group) {
                $0.enableWhen = [Samples.when("a", .equal, .boolean(true))]
                $0.item = [Samples.item("a", .boolean)]
            }
        ]

        #expect(faults(items) == ["/item/0/enableWhen/0/question cycle"])
    }

    @Test func `a cycle of a thousand items is reported completely, and ten thousand items are rejected`() {
        func cycle(_ count: Int) -> [Item] {
            (0..<count).map { number in
                Samples.item("i\(number)", .boolean) {
                    $0.enableWhen = [Samples.when("i\((number + 1) % count)", .equal, .boolean(true))]
                }
            }
        }

        var found: [String] = []
        let time = ContinuousClock().measure { found = faults(cycle(1000)) }

        // Quadratic work would take minutes here.
        #expect(time < .seconds(60))
        #expect(found.count == 999)
        #expect(found.allSatisfy { $0.hasSuffix("cycle") })
        #expect(faults(cycle(10_000)) == ["/item too_many_items"])
    }
}
