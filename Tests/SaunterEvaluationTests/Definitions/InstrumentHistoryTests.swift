import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct InstrumentHistoryTests {
    @Test func `items have the order of the newest version, followed by retired items`() {
        let history = InstrumentHistory(
            code: "x",
            published: [
                version("1.0.0", ["a", "b", "c", "d"]), version("2.0.0", ["e", "a", "c", "d"]),
                version("3.0.0", ["f", "d", "a"]),
            ])

        #expect(history.items.map(\.linkId) == ["f", "d", "a", "b", "e", "c"])
    }

    @Test func `a version that is published twice is one version`() {
        let history = InstrumentHistory(
            code: "x", published: [version("1.0.0", ["a"]), version("1.0.0", ["a"])])

        #expect(history.versions.map(\.version) == ["1.0.0"])
        #expect(history.items.map { $0.appearances.count } == [1])
    }

    @Test func `options of all versions are kept, and numbers are in ascending order`() {
        var first = version("1.0.0", ["a"])
        var second = version("2.0.0", ["a"])
        first.item[0].answerOption = [3, 1].map { ResponseOption(value: .integer($0)) }
        second.item[0].answerOption = [10, 2, 1].map { ResponseOption(value: .integer($0)) }
        let item = InstrumentHistory(code: "x", published: [first, second]).items[0]

        #expect(item.options.map(\.value) == [10, 2, 1, 3].map { .integer($0) })
        #expect(item.rankedOptions.map(\.value) == [1, 2, 3, 10].map { .integer($0) })
    }

    private func version(_ version: String, _ linkIds: [String]) -> Questionnaire {
        Questionnaire(
            code: "x", version: version, item: linkIds.map { Item(linkId: $0, type: .choice) },
            text: ["en": QuestionnaireText(title: "X", items: [:], options: [:])], languages: ["en"])
    }
}
