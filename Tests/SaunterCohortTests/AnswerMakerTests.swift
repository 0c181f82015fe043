import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct AnswerMakerTests {
    private static func item(_ linkId: String, _ type: ItemType, _ change: (inout Item) -> Void) -> Item {
        var item = Item(linkId: linkId, type: type)
        item.required = true
        change(&item)
        return item
    }

    private static let bounded = [
        item("tenths", .decimal) {
            ($0.minValue, $0.maxValue, $0.step, $0.maxDecimalPlaces) = (0.1, 0.9, 0.1, 1)
        },
        item("pounds", .integer) { $0.minValue = 50 },
        item("frost", .decimal) { $0.maxValue = -40 },
        item("odd", .integer) { ($0.minValue, $0.maxValue, $0.step) = (1, 10, 4) },
        item("long", .text) { $0.minLength = 200 },
        item("short", .string) { $0.maxLength = 5 },
        item("exact", .string) { ($0.minLength, $0.maxLength) = (40, 45) },
        item("postcode", .string) { ($0.regex, $0.maxLength) = (#"[A-Z]{1,2}\d{3,}( [a-z]+)?"#, 8) },
        item("initials", .string) { ($0.regex, $0.minLength) = (#"(\p{L}\.)+"#, 7) },
        item("lines", .string) { ($0.repeats, $0.minOccurs, $0.required) = (true, 3, false) },
        item("boxes", .choice) {
            ($0.repeats, $0.minOccurs, $0.maxOccurs) = (true, 3, 3)
            $0.answerOption = (0...4).map { ResponseOption(value: .integer($0)) }
        },
        item("single_box", .choice) {
            ($0.repeats, $0.maxOccurs) = (true, 1)
            $0.answerOption = (0...4).map { ResponseOption(value: .integer($0)) }
        },
        item("few_boxes", .choice) {
            ($0.repeats, $0.minOccurs) = (true, 2)
            var far = ResponseOption(value: .code("far"))
            far.enableWhen = [Condition(question: "pounds", comparison: .less, answer: .integer(0))]
            $0.answerOption = [
                ResponseOption(value: .code("near")), far,
                ResponseOption(value: .code("none"), exclusive: true),
            ]
        },
        item("born", .date) { $0.maxValue = 10_000 },
        item("soon", .date) { $0.minValue = 30_000 },
        item("seen", .dateTime) { $0.minValue = 1_800_000_000_000 },
        item("supper", .time) { ($0.minValue, $0.maxValue) = (61_200, 72_000) },
        item("own", .openChoice) {
            var option = ResponseOption(value: .code("none"))
            option.enableWhen = [Condition(question: "pounds", comparison: .less, answer: .integer(0))]
            $0.answerOption = [option]
        },
    ]

    @Test func `made-up answers are within the bounds of their items`() throws {
        let questionnaire = Questionnaire(
            code: "bounded", version: "1.0.0", item: Self.bounded,
            text: ["en": QuestionnaireText(title: "Bounded", items: [:], options: [:])], languages: ["en"])
        let index = QuestionnaireIndex(questionnaire)
        let published = questionnaire.json(language: "en")
        for seed in UInt64(0)..<200 {
            let answers = AnswerMaker.answers(
                to: published, by: Person(index: 0, seed: seed), day: 0, today: LocalDate(days: 20_000),
                numbers: SeededNumbers(seed: seed))

            // Throws if an answer is invalid.
            let sheet = try AnswerSheet(answers: answers, of: index, today: LocalDate(days: 20_000))

            #expect(sheet.cleared.isEmpty)
            #expect(Set(answers.names).isSuperset(of: Self.bounded.filter(\.required).map(\.linkId)))
        }
    }
}
