import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Children of questions. FHIR shows them only if it shows the question.
@Suite struct FHIRChildQuestionsTests {
    private static let asked = #"""
        {"linkId": "a", "type": "boolean", "text": "A?"}, {"linkId": "n", "type": "integer", "text": "N?"},
        {"linkId": "w", "type": "string", "text": "W?"}, {"linkId": "t", "type": "dateTime", "text": "T?"}
        """#
    private static let isYes = Condition(question: "a", comparison: .equal, answer: .boolean(true))
    private static let isAboveThree = Condition(question: "n", comparison: .greater, answer: .integer(3))

    private func text(_ items: String) -> String {
        #"{"resourceType": "Questionnaire", "name": "under", "item": [\#(Self.asked), \#(items)]}"#
    }

    /// Imports the questionnaire and checks that its export is unchanged.
    private func imported(_ items: String) throws -> ImportedInstrument {
        let file = text(items)
        let instrument = try #require(FHIRImport.read(Array(file.utf8), name: "file").first).get()
        let wanted = try #require(FHIRFixtures.json(file))
        #expect(FHIRPatch.equal(exported(instrument, instrument.questionnaire), wanted))
        return instrument
    }

    private func exported(_ instrument: ImportedInstrument, _ questionnaire: Questionnaire) -> JSON {
        let kept = PreservedMembers(
            PackFiles(files: instrument.files), code: questionnaire.code, version: questionnaire.version)
        return .object(FHIRQuestionnaire.json(questionnaire, preserved: kept))
    }

    private func item(_ linkId: String, _ instrument: ImportedInstrument) throws -> Item {
        try #require(instrument.questionnaire.item.first { $0.linkId == linkId })
    }

    private static let nested = #"""
        {"linkId": "q", "type": "string", "text": "Q?",
         "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}], "item": [
          {"linkId": "help", "type": "display", "text": "A guess will do."},
          {"linkId": "c", "type": "integer", "text": "C?",
           "enableWhen": [{"question": "n", "operator": ">", "answerInteger": 3}], "item": [
            {"linkId": "d", "type": "group", "text": "D", "item": [
              {"linkId": "e", "type": "string", "text": "E?"}]}]}]}
        """#

    @Test func `a child of a question gets the conditions of the question at every depth`() throws {
        let instrument = try imported(Self.nested)

        #expect(try item("help", instrument).enableWhen == [Self.isYes])
        #expect(try item("c", instrument).enableWhen == [Self.isYes, Self.isAboveThree])
        #expect(try item("d", instrument).enableWhen == [Self.isYes, Self.isAboveThree])
        #expect(instrument.questionnaire.item.allSatisfy { $0.enableBehavior == .all })
    }

    @Test func `a child of a question in a group gets the conditions of the question`() throws {
        let instrument = try imported(
            #"{"linkId": "g", "type": "group", "text": "G", "item": [\#(Self.nested)]}"#)

        let within = try item("g", instrument).item
        #expect(within.map(\.linkId) == ["q", "help", "c", "d"])
        #expect(
            within.map(\.enableWhen) == [
                [Self.isYes], [Self.isYes], [Self.isYes, Self.isAboveThree], [Self.isYes, Self.isAboveThree],
            ])
    }

    @Test func `a changed condition of the child itself changes the export`() throws {
        let instrument = try imported(Self.nested)
        var changed = instrument.questionnaire
        let index = try #require(changed.item.firstIndex { $0.linkId == "c" })
        changed.item[index].enableWhen[1].answer = .integer(5)

        let under = exported(instrument, changed)["item"]?.array?.last?["item"]?.array?[1]

        let conditions = under?["enableWhen"]?.array ?? []
        #expect(conditions.map { $0["question"] } == ["n"])
        #expect(conditions.first?["answerInteger"]?.int == 5)
    }

    private static let either = #"""
        "enableBehavior": "any", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true},
         {"question": "n", "operator": "exists", "answerBoolean": true}]
        """#

    @Test func `if two lists have the behavior any, one becomes an expression`() throws {
        let instrument = try imported(
            #"""
            {"linkId": "q", "type": "string", "text": "Q?", \#(Self.either), "item": [
              {"linkId": "c", "type": "integer", "text": "C?", "enableBehavior": "any", "enableWhen": [
                {"question": "n", "operator": ">", "answerInteger": 3},
                {"question": "w", "operator": "!=", "answerString": "x"}], "item": [
                {"linkId": "d", "type": "string", "text": "D?"}]}]}
            """#)

        let (inner, innermost) = (try item("c", instrument), try item("d", instrument))
        #expect(inner.enableWhen.map(\.question) == ["n", "w"] && inner.enableBehavior == .any)
        #expect(inner.enableWhenExpression == "a = true or exists(n)")
        #expect(innermost.enableWhen == inner.enableWhen && innermost.enableBehavior == .any)
        #expect(innermost.enableWhenExpression == inner.enableWhenExpression)
    }

    @Test func `two expressions are combined with and`() throws {
        func expression(_ source: String) -> String {
            #""extension": [{"url": "urn:saunter:enable-when-expression", "valueString": "\#(source)"}]"#
        }
        let instrument = try imported(
            #"""
            {"linkId": "q", "type": "string", "text": "Q?", \#(expression("n > 2")), "item": [
              {"linkId": "c", "type": "integer", "text": "C?", \#(expression("a or n > 9"))}]}
            """#)
        #expect(try item("c", instrument).enableWhenExpression == "(n > 2) and (a or n > 9)")
    }

    @Test func `an invalid condition does not remove other conditions`() throws {
        let instrument = try imported(
            #"""
            {"linkId": "q", "type": "string", "text": "Q?",
             "enableWhen": [{"question": "later", "operator": "=", "answerBoolean": true}], "item": [
              {"linkId": "c", "type": "integer", "text": "C?",
               "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]}]},
            {"linkId": "later", "type": "boolean", "text": "Later?"}
            """#)
        #expect(try item("q", instrument).enableWhen.isEmpty)
        #expect(try item("c", instrument).enableWhen == [Self.isYes])
        let reason =
            "enableWhen/0 has no effect here: A condition can only refer to an earlier item: later is a later one."
        #expect(instrument.remarks.map(\.detail).contains(reason), "\(instrument.remarks)")
    }

    @Test func `conditions that cannot be combined get a remark`() throws {
        func either(_ other: String) -> String {
            #"""
            "enableBehavior": "any", "enableWhen": [
             {"question": "t", "operator": ">", "answerDateTime": "2026-01-01T00:00:00Z"}, \#(other)]
            """#
        }
        let outer = either(#"{"question": "a", "operator": "=", "answerBoolean": true}"#)
        let inner = either(#"{"question": "n", "operator": ">", "answerInteger": 3}"#)
        let instrument = try imported(
            #"""
            {"linkId": "q", "type": "string", "text": "Q?", \#(outer), "item": [
              {"linkId": "c", "type": "integer", "text": "C?", \#(inner)}]}
            """#)
        #expect(try item("c", instrument).enableWhen.map(\.question) == ["t", "n"])
        let remarks = instrument.remarks.map(\.text)
        let wanted = "/item/4/item/0: c and its children are shown even if q is not"
        #expect(remarks.contains { $0.hasPrefix(wanted) }, "\(remarks)")
    }
}
