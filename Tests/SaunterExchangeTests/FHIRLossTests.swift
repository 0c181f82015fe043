import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Parts of a FHIR questionnaire that an import must not lose without a word: options, texts and conditions.
@Suite struct FHIRLossTests {
    private static let base = "http://hl7.org/fhir/StructureDefinition"

    private func read(_ items: String, _ more: String = "", allowsFreeText: Bool = false) throws
        -> ImportedInstrument
    {
        let text =
            #"{"resourceType": "Questionnaire", "name": "loss", "language": "en", \#(more) "item": [\#(items)]}"#
        let results = try FHIRImport.read(Array(text.utf8), name: "loss", allowsFreeText: allowsFreeText)
        return try #require(results.first).get()
    }

    @Test(arguments: [
        #""answerValueSet": "http://loinc.org/vs/LL358-3""#, #""answerOption": []"#, #""required": true"#,
    ])
    func `a choice without options is refused unless free text is allowed`(options: String) throws {
        let items = ["a", "b"].map {
            #"{"linkId": "\#($0)", "type": "choice", "text": "How often?", \#(options)}"#
        }.joined(separator: ", ")

        let refusal = #expect(throws: ImportError.self) { try read(items) }

        #expect(refusal?.location == "/item/0")
        #expect(refusal?.detail.contains("the options of the item are not in the file") == true)
        #expect(refusal?.detail.contains("(the first of 2 such questions)") == true)
        #expect(refusal?.detail.contains("--allow-free-text") == true)
        let instrument = try read(items, allowsFreeText: true)
        #expect(instrument.questionnaire.item.map(\.type) == [.string, .string])
        #expect(instrument.remarks.map(\.location).starts(with: ["/item/0", "/item/1"]))
    }

    @Test(arguments: [
        (
            #""_text": {"extension": [{"url": "\#(base)/rendering-xhtml", "valueString": "<p>How <b>far</b>&#8239;&amp;\n fast?</p><p>Today.</p>"}]}"#,
            "How far & fast?\nToday."
        ),
        (
            #""_text": {"extension": [{"url": "\#(base)/rendering-markdown", "valueMarkdown": "How *far*?"}]}"#,
            "How *far*?"
        ),
        (
            #""extension": [{"url": "\#(base)/rendering-xhtml", "valueString": "<div>3 < 4?<br/>Yes</div>"}]"#,
            "3 < 4?\nYes"
        ),
        (
            #"""
            "_text": {"extension": [{"url": "\#(base)/translation", "extension": [
              {"url": "lang", "valueCode": "en"}, {"url": "content", "valueString": "Why?"}]}]}
            """#, "Why?"
        ),
    ])
    func `a text in an extension is shown`(member: String, text: String) throws {
        let instrument = try read(#"{"linkId": "/44250-9", "type": "boolean", \#(member)}"#)

        #expect(instrument.questionnaire.text["en"]?.items.values.first == text)
        #expect(instrument.remarks.isEmpty, "\(instrument.remarks)")
    }

    @Test func `an item without any text gets a remark`() throws {
        let instrument = try read(#"{"linkId": "/44250-9", "type": "boolean"}"#)

        #expect(
            instrument.remarks.map(\.text) == [
                #"/item/0: the item has no text: participants see "/44250-9"; write a text into text.en.yaml"#
            ])
    }

    @Test func `options, conditions and initial values of STU3 are imported`() throws {
        let set = #"""
            {"resourceType": "ValueSet", "id": "often", "compose": {"include": [{"system": "urn:s", "concept": [
              {"code": "never", "display": "Never"}, {"code": "daily"}]}]}},
            {"resourceType": "CodeSystem", "url": "urn:s", "content": "complete", "concept": [
              {"code": "daily", "display": "Every day"}]}
            """#
        let instrument = try read(
            #"""
            {"linkId": "a", "type": "choice", "text": "A?", "option": [
              {"valueCoding": {"system": "http://loinc.org", "code": "LA6568-5", "display": "Not at all"}},
              {"valueCoding": {"system": "http://loinc.org", "code": "LA6569-3", "display": "Several days"}}]},
            {"linkId": "b", "type": "choice", "text": "B?", "options": {"reference": "#often"}},
            {"linkId": "c", "type": "boolean", "text": "C?", "initialBoolean": true, "enableWhen": [
              {"question": "a", "hasAnswer": true},
              {"question": "b", "answerCoding": {"system": "urn:s", "code": "daily"}}]}
            """#, #""contained": [\#(set)],"#)

        let items = instrument.questionnaire.item
        #expect(
            items.map { $0.answerOption.map(\.value.text) } == [
                ["la6568_5", "la6569_3"], ["never", "daily"], [],
            ])
        #expect(instrument.questionnaire.text["en"]?.options["a"]?["la6568_5"] == "Not at all")
        #expect(
            instrument.questionnaire.text["en"]?.options["b"] == ["never": "Never", "daily": "Every day"])
        #expect(items[2].initial == .boolean(true) && items[2].enableBehavior == .any)
        #expect(
            items[2].enableWhen == [
                Condition(question: "a", comparison: .exists, answer: .boolean(true)),
                Condition(question: "b", comparison: .equal, answer: .option(.code("daily"))),
            ])
        #expect(instrument.remarks.isEmpty, "\(instrument.remarks)")
    }

    @Test(arguments: [
        (
            #"{"question": "x", "operator": "=", "answerBoolean": true}"#,
            "the condition refers to x, which is not in"
        ),
        (
            #"{"question": "a", "operator": "in", "answerBoolean": true}"#,
            "the operator in is not supported"
        ),
        (#"{"operator": "=", "answerBoolean": true}"#, "the condition names no question"),
        (#"{"question": "a", "operator": "="}"#, "the condition has 0 values instead of one"),
        (
            #"{"question": "a", "operator": "exists", "answerInteger": 1}"#,
            "a condition with the operator `exists` needs the value true or false"
        ),
        (
            #"{"question": "a", "operator": "=", "answerCoding": {"code": "y"}}"#,
            "y (answerCoding) is not an answer to a, which has the type boolean"
        ),
    ])
    func `a condition that is not applied is named, with the reason`(condition: String, reason: String) throws
    {
        let valid = #"{"question": "a", "operator": "=", "answerBoolean": true}"#
        let instrument = try read(
            #"""
            {"linkId": "a", "type": "boolean", "text": "A?"},
            {"linkId": "b", "type": "boolean", "text": "B?", "enableWhen": [\#(valid), \#(condition)]}
            """#)

        let remark = try #require(instrument.remarks.first)
        #expect(instrument.remarks.count == 1 && remark.location == "/item/1/enableWhen/1")
        #expect(remark.detail.hasPrefix("b is always shown: \(reason)"), "\(remark.detail)")
        #expect(remark.detail.hasSuffix("None of its 2 conditions is applied."))
    }

    @Test func `numbers with labels are codings with ordinal values, and are imported as numbers`() throws {
        var often = Item(linkId: "often", type: .choice)
        often.answerOption = [0, 1].map { ResponseOption(value: .integer($0)) }
        var why = Item(linkId: "why", type: .string)
        why.enableWhen = [Condition(question: "often", comparison: .equal, answer: .option(.integer(1)))]
        func texts(_ title: String, _ labels: [String: String]) -> QuestionnaireText {
            QuestionnaireText(
                title: title, description: "About \(title)",
                items: ["often": "\(title)?", "why": "\(title) why?"],
                options: ["often": labels])
        }
        let questionnaire = Questionnaire(
            code: "often", version: "1.0.0", item: [often, why],
            text: [
                "de": texts("Oft", ["0": "nie", "1": "oft"]),
                "en": texts("Often", ["0": "never", "1": "often"]),
            ],
            languages: ["de", "en"])

        for json in [
            FHIRQuestionnaire.json(questionnaire, mapping: FHIRSourceMapping()),
            FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers()),
        ] {
            let option = json["item"]?.array?[0]["answerOption"]?.array?[1]
            #expect(option?["valueCoding"]?["code"] == "1")
            #expect(option?["extension"]?.array?.first?["valueDecimal"] == 1)
            #expect(FHIRQuestionnaireReader.translations(option?["valueCoding"]?["_display"]).count == 1)
            #expect(FHIRQuestionnaireReader.translations(json["_description"]).count == 1)
            let condition = json["item"]?.array?[1]["enableWhen"]?.array?.first
            #expect(condition?["answerCoding"]?["code"] == "1")

            let results = try FHIRImport.read(JSON.object(json).bytes, name: "often")
            let read = try #require(results.first).get().questionnaire
            #expect(read.item == questionnaire.item)
            #expect(read.text == questionnaire.text)
        }
    }

    @Test func `the minutes follow from the texts and the types of the items`() throws {
        let item = #"{"linkId": "a", "type": "boolean", "text": "Are you well today?"}"#
        let text = #"{"linkId": "t", "type": "text", "text": "Please describe your day."}"#

        #expect(try read(item).questionnaire.minutes == 0.5)
        #expect(try read("\(item), \(text)").questionnaire.minutes == 1.5)
    }
}
