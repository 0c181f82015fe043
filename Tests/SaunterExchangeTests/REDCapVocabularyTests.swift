import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

@Suite struct REDCapVocabularyTests {
    private static func item(_ type: ItemType, _ change: (inout Item) -> Void = { _ in }) -> Item {
        var item = Item(linkId: "why", type: type)
        change(&item)
        return item
    }

    @Test(
        arguments: [
            (item(.choice), "radio", nil), (item(.choice) { $0.repeats = true }, "checkbox", nil),
            (item(.choice) { $0.itemControl = .dropDown }, "dropdown", nil),
            (item(.openChoice) { $0.itemControl = .autocomplete }, "dropdown", "autocomplete"),
            (item(.integer), "text", "integer"), (item(.integer) { $0.itemControl = .slider }, "slider", nil),
            (item(.quantity), "text", "number"), (item(.dateTime), "text", "datetime_seconds_ymd"),
            (item(.text), "notes", nil), (item(.display), "descriptive", nil),
        ] as [(Item, String, String?)])
    func `every item type becomes a field type`(_ item: Item, _ type: String, _ validation: String?) {
        #expect(item.type.definition.redcap(item) == (type, validation))
    }

    @Test func `a vertical bar in a label does not begin a choice`() {
        #expect(REDCapVocabulary.choices([("1", "here|there"), ("2", "away")]) == "1, here/there | 2, away")
    }

    private static let boxes = ["sun", "rain"]

    @Test(
        arguments: [
            (Condition.Comparison.equal, Answer.option(.code("sun")), nil, "[f] = 'sun'"),
            (.notEqual, .text("it's"), nil, #"[f] <> 'it\'s'"#), (.equal, .boolean(true), nil, "[f] = '1'"),
            (.greater, .quantity(Measure(value: 2.5, unit: "km")), nil, "[f] > '2.5'"),
            (.greater, .quantity(Measure(value: 2.5, unit: "[mi_i]")), nil, nil),
            (.equal, .option(.code("sun")), boxes, "[f(sun)] = '1'"),
            (.notEqual, .option(.code("sun")), boxes, "[f(sun)] = '0'"),
            (.exists, .boolean(true), nil, "[f] <> ''"), (.exists, .boolean(false), nil, "[f] = ''"),
            (.exists, .boolean(true), boxes, "([f(sun)] = '1' or [f(rain)] = '1')"),
            (.exists, .boolean(false), boxes, "([f(sun)] = '0' and [f(rain)] = '0')"),
        ] as [(Condition.Comparison, Answer, [String]?, String?)])
    func `conditions become branching logic`(
        _ comparison: Condition.Comparison, _ answer: Answer, _ boxes: [String]?, _ expected: String?
    ) {
        let condition = Condition(question: "why", comparison: comparison, answer: answer)
        #expect(REDCapVocabulary.condition(condition, field: "f", boxes: boxes, unit: "km") == expected)
    }

    @Test(
        arguments: [
            ("(a + b) * 2 > 10", "([a] + [b]) * 2 > 10"), ("a - (b - 1) > 2", "[a] - ([b] - 1) > 2"),
            ("a - b - 1 > 2", "[a] - [b] - 1 > 2"), ("-(a + b) < 2", "-([a] + [b]) < 2"),
            ("a * (b * 2) > 2", "[a] * ([b] * 2) > 2"), ("a / b > 2", "([b] <> 0 and [a] / [b] > 2)"),
            ("(a > 3) = t", "(([a] > 3 and [t] = '1') or ([a] <= 3 and [t] = '0'))"),
            ("t", "[t] = '1'"), ("not t", "[t] = '0'"), ("not (a > 3)", "[a] <= 3"),
            ("a != 3", "([a] <> '' and [a] <> 3)"), ("a = b", "([a] <> '' and [b] <> '' and [a] = [b])"),
            ("not ('x' in c) and a > 3", "([c(x)] = '0' and [a] > 3)"),
            ("e - d > 3", #"([d] <> '' and [e] <> '' and datediff([d], [e], "d", true) > 3)"#),
            ("d + 3 > e", nil),
            ("today() - d > 3", #"([d] <> '' and datediff([d], 'today', "d", true) > 3)"#),
            ("count(c) > 1", nil),
        ] as [(String, String?)])
    func `expressions become branching logic that is true for the same answers`(
        _ source: String, _ wanted: String?
    ) {
        let choice = Item(linkId: "c", type: .choice)
        var items = [
            Item(linkId: "a", type: .integer), Item(linkId: "b", type: .integer),
            Item(linkId: "t", type: .boolean),
            Item(linkId: "d", type: .date), Item(linkId: "e", type: .date), choice,
        ]
        items[5].repeats = true
        items[5].answerOption = [ResponseOption(value: .code("x")), ResponseOption(value: .code("y"))]
        let questionnaire = Questionnaire(
            code: "sky", version: "1.0.0", item: items,
            text: ["en": QuestionnaireText(title: "Sky", items: [:], options: [:])], languages: ["en"])
        #expect(
            BranchingLogicWriter(questionnaire: questionnaire, field: { $0 }).branchingLogic(source) == wanted
        )
    }

    @Test func `a table whose rows have the same choices is a matrix, another one gets a remark`() throws {
        func row(_ name: String, _ values: [Int]) -> Item {
            var row = Item(linkId: name, type: .choice)
            row.answerOption = values.map { ResponseOption(value: .integer($0)) }
            return row
        }
        func grid(_ rows: [Item]) -> Questionnaire {
            var table = Item(linkId: "sides", type: .group)
            table.itemControl = .table
            table.item = rows
            return Questionnaire(
                code: "sky", version: "1.0.0", item: [table],
                text: ["en": QuestionnaireText(title: "Sky", items: [:], options: [:])], languages: ["en"])
        }
        let index = try #require(REDCapColumn.allCases.firstIndex(of: .matrix))
        for (second, isMatrix) in [([0, 1], true), ([0, 2], false)] {
            let questionnaire = grid([row("left", [0, 1]), row("right", second)])
            let rows = try Worksheet(csv: REDCapExport.csv([(questionnaire, PreservedMembers())])).rows
                .dropFirst()
            let cells = rows.map { $0.cells.indices.contains(index) ? $0.cells[index] : "" }
            #expect(cells == (isMatrix ? ["sides", "sides"] : ["", ""]))
            let hasRemark = ExportRemarks.redcap(questionnaire).contains {
                $0.text == "sky/sides: left out: table"
            }
            #expect(hasRemark != isMatrix)
        }
    }

    @Test(arguments: [(1, 10), (0, 10), (0, 100), (50, 100)] as [(Double, Double)])
    func `the bounds of a slider survive an export and an import`(least: Double, greatest: Double) throws {
        let slider = Self.item(.integer) {
            ($0.itemControl, $0.minValue, $0.maxValue) = (.slider, least, greatest)
        }
        let questionnaire = Questionnaire(
            code: "sky", version: "1.0.0", item: [slider],
            text: ["en": QuestionnaireText(title: "Sky", items: [:], options: [:])], languages: ["en"])

        let csv = REDCapExport.csv([(questionnaire, PreservedMembers())])

        let imported = try #require(REDCapImport.read(csv).first).get().questionnaire.item
        #expect(imported.map(\.minValue) == [least] && imported.map(\.maxValue) == [greatest])
    }

    @Test func `limits of the number of answers are left out with a remark`() {
        let choice = Self.item(.choice) { ($0.repeats, $0.minOccurs, $0.maxOccurs) = (true, 1, 2) }
        let questionnaire = Questionnaire(
            code: "sky", version: "1.0.0", item: [choice],
            text: ["en": QuestionnaireText(title: "Sky", items: [:], options: [:])], languages: ["en"])

        let remarks = ExportRemarks.redcap(questionnaire).map(\.text)

        #expect(remarks.contains("sky/why: left out: minOccurs, maxOccurs"), "\(remarks)")
    }

    @Test func `conditions in another unit than the field's are left out with a remark`() throws {
        let weight = Self.item(.quantity) { $0.unitOption = ["kg", "[lb_av]"] }
        func shown(from value: Double, _ unit: String, as name: String) -> Item {
            var item = Item(linkId: name, type: .text)
            item.enableWhen = [
                Condition(
                    question: "why", comparison: .greater,
                    answer: .quantity(Measure(value: value, unit: unit)))
            ]
            return item
        }
        let questionnaire = Questionnaire(
            code: "sky", version: "1.0.0",
            item: [weight, shown(from: 100, "kg", as: "heavy"), shown(from: 220, "[lb_av]", as: "stout")],
            text: ["en": QuestionnaireText(title: "Sky", items: [:], options: [:])], languages: ["en"])

        let csv = String(decoding: REDCapExport.csv([(questionnaire, PreservedMembers())]), as: UTF8.self)

        #expect(csv.contains("[why] > '100'"))
        #expect(!csv.contains("220"))
        let remarks = ExportRemarks.redcap(questionnaire).map(\.text).filter { $0.contains("enableWhen") }
        #expect(remarks == ["sky/stout: left out: enableWhen"])
    }

    @Test func `conditions and expressions about multiple choices refer to the boxes`()
        throws
    {
        let asked = Self.item(.choice) {
            $0.repeats = true
            $0.answerOption = [ResponseOption(value: .code("sun")), ResponseOption(value: .code("rain"))]
        }
        var more = Item(linkId: "more", type: .text)
        more.enableWhen = [Condition(question: "why", comparison: .exists, answer: .boolean(true))]
        var none = Item(linkId: "none", type: .text)
        none.enableWhenExpression = "not exists(why)"
        let questionnaire = Questionnaire(
            code: "sky", version: "1.0.0", item: [asked, more, none],
            text: ["en": QuestionnaireText(title: "Sky", items: [:], options: [:])], languages: ["en"])

        let csv = REDCapExport.csv([(questionnaire, PreservedMembers())])

        let text = String(decoding: csv, as: UTF8.self)
        #expect(text.contains("([why(sun)] = '1' or [why(rain)] = '1')"))
        #expect(text.contains("([why(sun)] = '0' and [why(rain)] = '0')"))
    }
}
