import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct QuestionnaireDraftTests {
    @Test func `an invalid expression is removed with a remark`() throws {
        var group = Item(linkId: "group", type: .group)
        var far = Item(linkId: "far", type: .integer)
        far.enableWhenExpression = "kind > 1"
        group.item = [far]
        let text = QuestionnaireText(
            title: "Far", items: ["far": "Far?", "kind": "Kind?"], options: [:])
        var draft = QuestionnaireDraft(
            questionnaire: Questionnaire(
                code: "far", version: "1.0.0", item: [Item(linkId: "kind", type: .string), group],
                text: ["en": text], languages: ["en"]),
            locations: ["kind": "/item/0", "group": "/item/1", "far": "/item/1/item/0"])

        try draft.removeInvalidProperties()

        #expect(draft.questionnaire.item[1].item[0].enableWhenExpression == nil)
        let remarks = draft.remarks.map(\.text)
        #expect(remarks.count == 1, "\(remarks)")
        #expect(remarks.first?.hasPrefix("/item/1/item/0: enableWhenExpression has no effect here: ") == true)
    }

    @Test func `every number that packs do not allow is removed with a remark`() throws {
        var far = Item(linkId: "far", type: .decimal)
        (far.minValue, far.maxValue, far.step) = (-2e12, Double.infinity, Double.nan)
        var kind = Item(linkId: "kind", type: .choice)
        kind.answerOption = [
            ResponseOption(value: .code("a"), weight: 1), ResponseOption(value: .code("b"), weight: 2e12),
        ]
        var day = Item(linkId: "day", type: .dateTime)
        day.minValue = 1.7e12
        let text = QuestionnaireText(
            title: "Far", items: ["far": "Far?", "kind": "Kind?", "day": "Day?"],
            options: ["kind": ["a": "A", "b": "B"]])
        var draft = QuestionnaireDraft(
            questionnaire: Questionnaire(
                code: "far", version: "1.0.0", item: [far, kind, day], text: ["en": text], languages: ["en"]),
            locations: ["far": "/item/0", "kind": "/item/1", "day": "/item/2"])

        try draft.removeInvalidProperties()

        let items = draft.questionnaire.item
        #expect(items[0].minValue == nil && items[0].maxValue == nil && items[0].step == nil)
        #expect(items[1].answerOption.map(\.weight) == [1, nil])
        #expect(items[2].minValue == 1.7e12)
        let lost = [
            "/item/0: minValue", "/item/0: maxValue", "/item/0: step", "/item/1: answerOption/1/weight",
        ]
        let wanted = lost.map { "\($0) has no effect here: packs allow numbers up to 10^12" }
        #expect(draft.remarks.map(\.text) == wanted)
    }
}
