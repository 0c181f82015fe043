import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct ConditionExpressionWriterTests {
    private static func item(_ linkId: String, _ type: ItemType, _ change: (inout Item) -> Void = { _ in })
        -> Item
    {
        var item = Item(linkId: linkId, type: type)
        change(&item)
        return item
    }

    private static var words: ConditionExpressionWriter {
        var group = Item(linkId: "about", type: .group)
        group.item = [
            item("alone", .boolean), item("far", .decimal), item("why", .string), item("day", .date),
            item("moment", .dateTime), item("order", .ranking),
            item("bag", .quantity) { $0.unitOption = ["kg", "g"] },
            item("shoes", .choice) {
                $0.repeats = true
                $0.answerOption = [ResponseOption(value: .code("boot"))]
            },
            item("times", .integer) { $0.repeats = true },
        ]
        return ConditionExpressionWriter(items: [group])
    }

    @Test(
        arguments: [
            ("alone", .exists, .boolean(true), "exists(alone)"),
            ("alone", .exists, .boolean(false), "not exists(alone)"),
            ("alone", .equal, .boolean(false), "alone = false"),
            ("far", .atMost, .decimal(-0.5), "far <= -0.5"),
            ("far", .notEqual, .decimal(2), "(not exists(far) or far != 2)"),
            ("why", .equal, .text("it's"), "why = \"it's\""), ("why", .equal, .text("'\""), nil),
            ("shoes", .equal, .option(.code("boot")), "'boot' in shoes"),
            ("shoes", .notEqual, .option(.code("boot")), "not ('boot' in shoes)"),
            ("times", .greater, .integer(3), "max(times) > 3"),
            ("times", .less, .integer(3), "min(times) < 3"),
            ("moment", .exists, .boolean(true), "exists(moment)"), ("order", .exists, .boolean(true), nil),
            ("bag", .equal, .quantity(Measure(value: 1, unit: "kg")), nil),
            ("nobody", .exists, .boolean(true), nil),
        ] as [(String, Condition.Comparison, Answer, String?)])
    func `conditions become expressions`(
        _ question: String, _ comparison: Condition.Comparison, _ answer: Answer, _ expected: String?
    ) throws {
        let condition = Condition(question: question, comparison: comparison, answer: answer)

        let found = Self.words.expression([condition], .all)

        #expect(found == expected)
        if let found { #expect(throws: Never.self) { try Expression(found) } }
    }

    @Test func `several conditions are combined with their behavior, all or none of them`() {
        let alone = Condition(question: "alone", comparison: .equal, answer: .boolean(true))
        let far = Condition(question: "far", comparison: .greater, answer: .decimal(1.5))
        let order = Condition(question: "order", comparison: .exists, answer: .boolean(true))
        #expect(Self.words.expression([alone, far], .all) == "alone = true and far > 1.5")
        #expect(Self.words.expression([alone, far], .any) == "alone = true or far > 1.5")
        #expect(Self.words.expression([alone, order], .any) == nil)
    }
}
