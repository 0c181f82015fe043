import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// What stands under a question: FHIR shows it only where it shows the question.
@Suite struct FHIRUnderTests {
    private static let asked = #"""
        {"linkId": "a", "type": "boolean", "text": "A?"}, {"linkId": "n", "type": "integer", "text": "N?"},
        {"linkId": "w", "type": "string", "text": "W?"}, {"linkId": "t", "type": "dateTime", "text": "T?"}
        """#
    private static let isA = Condition(question: "a", comparison: .equal, answer: .boolean(true))
    private static let isMany = Condition(question: "n", comparison: .greater, answer: .integer(3))

    private func text(_ items: String) -> String {
        #"{"resourceType": "Questionnaire", "name": "under", "item": [\#(Self.asked), \#(items)]}"#
    }

    /// Imported, and given back unchanged.
    private func imported(_ items: String) throws -> ImportedInstrument {
        let file = text(items)
        let instrument = try #require(FHIRImport.read(Array(file.utf8), name: "file").first).get()
        let wanted = try #require(FHIRFixtures.json(file))
        #expect(FHIRPatch.equal(back(instrument, instrument.questionnaire), wanted))
        return instrument
    }

    private func back(_ instrument: ImportedInstrument, _ questionnaire: Questionnaire) -> JSON {
        let kept = KeptMembers(
            PackFiles(files: instrument.files), code: questionnaire.code, version: questionnaire.version)
        return .object(FHIRQuestionnaire.json(questionnaire, kept: kept))
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

    @Test func `it hangs on what the question hangs on, however deep it stands`() throws {
        let instrument = try imported(Self.nested)

        #expect(try item("help", instrument).enableWhen == [Self.isA])
        #expect(try item("c", instrument).enableWhen == [Self.isA, Self.isMany])
        #expect(try item("d", instrument).enableWhen == [Self.isA, Self.isMany])
        #expect(instrument.questionnaire.item.allSatisfy { $0.enableBehavior == .all })
    }

    @Test func `it hangs on what the question hangs on within groups, too`() throws {
        let instrument = try imported(
            #"{"linkId": "g", "type": "group", "text": "G", "item": [\#(Self.nested)]}"#)

        let within = try item("g", instrument).item
        #expect(within.map(\.linkId) == ["q", "help", "c", "d"])
        #expect(
            within.map(\.enableWhen) == [
                [Self.isA], [Self.isA], [Self.isA, Self.isMany], [Self.isA, Self.isMany],
            ])
    }

    @Test func `a condition of its own that is changed in the pack changes in the export`() throws {
        let instrument = try imported(Self.nested)
        var changed = instrument.questionnaire
        let place = try #require(changed.item.firstIndex { $0.linkId == "c" })
        changed.item[place].enableWhen[1].answer = .integer(5)

        let under = back(instrument, changed)["item"]?.array?.last?["item"]?.array?[1]

        let conditions = under?["enableWhen"]?.array ?? []
        #expect(conditions.map { $0["question"] } == ["n"])
        #expect(conditions.first?["answerInteger"]?.int == 5)
    }

    private static let either = #"""
        "enableBehavior": "any", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true},
         {"question": "n", "operator": "exists", "answerBoolean": true}]
        """#

    @Test func `of two lists of which any is enough one becomes an expression`() throws {
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

    @Test func `of two expressions both must hold`() throws {
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

    @Test func `a condition that is not taken takes no other with it`() throws {
        let instrument = try imported(
            #"""
            {"linkId": "q", "type": "string", "text": "Q?",
             "enableWhen": [{"question": "later", "operator": "=", "answerBoolean": true}], "item": [
              {"linkId": "c", "type": "integer", "text": "C?",
               "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]}]},
            {"linkId": "later", "type": "boolean", "text": "Later?"}
            """#)
        #expect(try item("q", instrument).enableWhen.isEmpty)
        #expect(try item("c", instrument).enableWhen == [Self.isA])
    }

    @Test func `what has no words together is remarked on`() throws {
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
        let wanted = "/item/4/item/0: c, and what stands under it, is shown even where q is not"
        #expect(remarks.contains { $0.hasPrefix(wanted) }, "\(remarks)")
    }
}
