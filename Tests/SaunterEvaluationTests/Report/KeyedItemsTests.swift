import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct KeyedItemsTests {
    @Test func `an item has its given value and its recoded, weighted and reversed value per scale`()
        throws
    {
        var first = Item(linkId: "a", type: .integer)
        first.minValue = 0
        first.maxValue = 4
        var second = Item(linkId: "b", type: .choice)
        second.answerOption = [ResponseOption(value: .integer(1)), ResponseOption(value: .integer(2))]
        var scale = Scale(id: "s", items: ["a", "b"], reverse: ["a"], method: .sum)
        scale.recode = ["b": ["1": 10, "2": 30]]
        scale.weights = ["b": 0.5]
        let questionnaire = Questionnaire(
            code: "q", version: "1.0.0", item: [first, second],
            text: ["en": QuestionnaireText(title: "Q", items: [:], options: [:])], languages: ["en"],
            scoring: ScoringKey(version: "1.0.0", scales: [scale]))
        let keyed = KeyedItems(questionnaire)
        var sheet = ReportSheet(id: "1")
        var blank = ReportSheet(id: "2")

        keyed.number(try AnswerSheet(answers: ["a": 1, "b": 2], of: questionnaire), into: &sheet)
        keyed.number(try AnswerSheet(answers: ["b": 1], of: questionnaire), into: &blank)

        #expect(sheet.given == [1, 2])
        #expect(sheet.keyed == [[3, 15]])
        #expect(sheet.scores == [18])
        #expect(blank.given == [nil, 1])
        #expect(blank.keyed == [[nil, 5]])
        #expect(blank.scores == [nil])
        #expect(keyed.range(of: "a", in: scale) == 0...4)
        #expect(keyed.range(of: "b", in: scale) == 5...15)
    }
}
