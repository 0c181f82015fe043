import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Help texts and end labels are display items in FHIR, and the import of such an export reads them again.
@Suite struct FHIRSupplementTests {
    private let questionnaire: Questionnaire = {
        var line = Item(linkId: "mood", type: .integer)
        (line.itemControl, line.minValue, line.maxValue) = (.slider, 0, 10)
        var group = Item(linkId: "block", type: .group)
        group.item = [line]
        let texts = [
            "en": QuestionnaireText(
                title: "Day", items: ["block": "Today", "mood": "Mood?"], options: [:],
                help: ["block": "One question.", "mood": "Only today."],
                anchors: ["mood": ["minimum": "bad", "middle": "so so", "maximum": "good"]]),
            "de": QuestionnaireText(
                title: "Tag", items: ["block": "Heute", "mood": "Stimmung?"], options: [:],
                help: ["block": "Eine Frage.", "mood": "Nur heute."],
                anchors: ["mood": ["minimum": "schlecht", "middle": "so so", "maximum": "gut"]]),
        ]
        return Questionnaire(
            code: "day", version: "1.0.0", item: [group], text: texts, languages: ["en", "de"])
    }()

    @Test func `an export has display items with the codes of FHIR`() throws {
        let exported = JSON.object(FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers()))
        let block = try #require(exported["item"]?.array?.first)
        let children = try #require(block["item"]?.array?.first?["item"]?.array)

        #expect(
            children.map { $0["linkId"]?.string } == ["mood.help", "mood.lower", "mood.middle", "mood.upper"])
        #expect(children.map { $0["text"]?.string } == ["Only today.", "bad", "so so", "good"])
        #expect(children.allSatisfy { $0["type"] == "display" })
        let codes = children.map { child -> String? in
            let control = child["extension"]?.array?.first?["valueCodeableConcept"]
            return control?["coding"]?.array?.first?["code"]?.string
        }
        #expect(codes == ["help", "lower", "middle", "upper"])
    }

    @Test func `an import of the export has the same texts`() throws {
        let exported = JSON.object(FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers()))

        let instrument = try #require(FHIRImport.read(exported.bytes, name: "day").first).get()
        let imported = instrument.questionnaire

        #expect(imported.item[0].item.map(\.linkId) == ["mood"])
        for language in ["en", "de"] {
            #expect(imported.text[language]?.help == questionnaire.text[language]?.help)
            #expect(imported.text[language]?.anchors == questionnaire.text[language]?.anchors)
        }
    }

    @Test func `display items in another form stay display items`() throws {
        let text = """
            {"resourceType": "Questionnaire", "name": "day", "item": [
              {"linkId": "q", "type": "string", "text": "Q?", "item": [
                {"linkId": "q.help", "prefix": "!", "type": "display", "text": "Help", "extension": [
                  {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl", "valueCodeableConcept":
                    {"coding": [{"system": "http://hl7.org/fhir/questionnaire-item-control", "code": "help"}]}}]}]}]}
            """

        let instrument = try #require(FHIRImport.read(Array(text.utf8), name: "day").first).get()

        #expect(instrument.questionnaire.item.map(\.type) == [.string, .display])
        #expect(instrument.questionnaire.text["en"]?.help == [:])
    }
}
