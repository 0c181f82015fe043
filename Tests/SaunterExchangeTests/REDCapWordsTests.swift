import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

@Suite struct REDCapWordsTests {
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
    func `an item is a field of this type`(_ item: Item, _ type: String, _ validation: String?) {
        #expect(REDCapWords.type(item) == (type, validation))
    }

    @Test func `a bar in a label begins no choice`() {
        #expect(REDCapWords.choices([("1", "here|there"), ("2", "away")]) == "1, here/there | 2, away")
    }

    private static let boxes = ["sun", "rain"]

    @Test(
        arguments: [
            (Condition.Comparison.equal, Answer.option(.code("sun")), nil, "[f] = 'sun'"),
            (.notEqual, .text("it's"), nil, #"[f] <> 'it\'s'"#), (.equal, .boolean(true), nil, "[f] = '1'"),
            (.equal, .option(.code("sun")), boxes, "[f(sun)] = '1'"),
            (.notEqual, .option(.code("sun")), boxes, "[f(sun)] = '0'"),
            (.exists, .boolean(true), nil, "[f] <> ''"), (.exists, .boolean(false), nil, "[f] = ''"),
            (.exists, .boolean(true), boxes, "([f(sun)] = '1' or [f(rain)] = '1')"),
            (.exists, .boolean(false), boxes, "([f(sun)] = '0' and [f(rain)] = '0')"),
        ] as [(Condition.Comparison, Answer, [String]?, String)])
    func `a condition is branching logic`(
        _ comparison: Condition.Comparison, _ answer: Answer, _ boxes: [String]?, _ expected: String
    ) {
        let condition = Condition(question: "why", comparison: comparison, answer: answer)
        #expect(REDCapWords.condition(condition, field: "f", boxes: boxes) == expected)
    }

    @Test func `whether several were chosen is asked of their boxes, in conditions and expressions alike`()
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

        let csv = REDCapExport.csv([(questionnaire, KeptMembers())])

        let text = String(decoding: csv, as: UTF8.self)
        #expect(text.contains("([why(sun)] = '1' or [why(rain)] = '1')"))
        #expect(text.contains("([why(sun)] = '0' and [why(rain)] = '0')"))
    }
}
