import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Locations, data kinds, pictures of options and placeholders in other formats.
@Suite struct LocationExchangeTests {
    private let questionnaire: Questionnaire = {
        var spot = Item(linkId: "spot", type: .location)
        (spot.decimals, spot.dataKind, spot.required) = (4, "location", true)
        var feeling = Item(linkId: "feeling", type: .choice)
        feeling.answerOption = [
            ResponseOption(
                value: .code("happy"), weight: 90, media: Media(kind: .image, source: "media/happy.png")),
            ResponseOption(value: .code("sad"), weight: 20),
        ]
        var why = Item(linkId: "why", type: .text)
        why.enableWhen = [
            Condition(question: "spot", comparison: .exists, answer: .boolean(true))
        ]
        func texts(_ title: String, _ alt: String, _ placeholder: String) -> QuestionnaireText {
            QuestionnaireText(
                title: title, items: ["spot": "Where?", "feeling": "How?", "why": "Why?"],
                options: ["feeling": ["happy": "happy", "sad": "sad"]],
                optionMedia: ["feeling": ["happy": alt]], placeholders: ["why": placeholder])
        }
        return Questionnaire(
            code: "log", version: "1.0.0", item: [spot, feeling, why],
            text: [
                "en": texts("Log", "A smile", "Because …"), "de": texts("Eintrag", "Ein Lächeln", "Weil …"),
            ], languages: ["en", "de"],
            edit: EditPolicy(correctWithin: .always, deleteWithin: .always, deletion: .purge))
    }()

    private func exported() -> JSON {
        .object(FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers()))
    }

    @Test func `the questionnaire is valid`() {
        #expect(questionnaire.faults() == [])
    }

    @Test func `an export to FHIR uses the extensions of FHIR where they exist`() throws {
        let items = try #require(exported()["item"]?.array)
        func extensions(_ object: JSON?) -> [String: JSON] {
            Dictionary(
                (object?["extension"]?.array ?? []).map { ($0["url"]?.string ?? "", $0) },
                uniquingKeysWith: { first, _ in first })
        }

        #expect(items[0]["type"] == "string")
        #expect(extensions(items[0])["urn:saunter:location-decimals"]?["valueInteger"] == 4)
        #expect(extensions(items[0])["urn:saunter:data-kind"]?["valueCode"] == "location")
        let format = extensions(items[2])["http://hl7.org/fhir/StructureDefinition/entryFormat"]
        #expect(format?["valueString"] == "Because …")
        let option = extensions(items[1]["answerOption"]?.array?.first)
        let media = option[
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-itemAnswerMedia"]
        #expect(media?["valueAttachment"]?["url"] == "media/happy.png")
        #expect(media?["valueAttachment"]?["title"] == "A smile")
    }

    @Test func `an import of the export has the same items and texts`() throws {
        let instrument = try #require(FHIRImport.read(exported().bytes, name: "log").first).get()
        let imported = instrument.questionnaire

        #expect(imported.item == questionnaire.item)
        for language in ["en", "de"] {
            #expect(imported.text[language]?.optionMedia == questionnaire.text[language]?.optionMedia)
            #expect(imported.text[language]?.placeholders == questionnaire.text[language]?.placeholders)
        }
        #expect(instrument.remarks.map(\.text) == [])
        let preserved = PreservedMembers(
            PackFiles(files: instrument.files), code: imported.code, version: imported.version)
        let again = JSON.object(FHIRQuestionnaire.json(imported, preserved: preserved))
        #expect(FHIRPatch.equal(again, exported()))
    }

    @Test func `each part that another format cannot express gets a remark`() {
        #expect(
            ExportRemarks.fhir(questionnaire).map(\.text)
                == [
                    "log/edit: is left out", "log/minutes: is left out",
                    "log/spot: a location is exported as a text question with an extension of Saunter",
                    "log/spot: data_kind is exported as an extension of Saunter",
                ].filter { questionnaire.minutes != 1 || !$0.hasPrefix("log/minutes") })
        let remarks = ExportRemarks.redcap(questionnaire).map(\.text)
        for wanted in [
            "log/spot: a location is exported as a text field, because REDCap has no coordinates",
            "log/spot: left out: decimals, data_kind", "log/feeling: left out: media of options, weight",
            "log/why: left out: placeholder",
        ] { #expect(remarks.contains(wanted), "\(wanted) in \(remarks)") }
    }

    @Test func `an option with a picture but without a title has its label as alternative text`() throws {
        let text = """
            {"resourceType": "Questionnaire", "name": "log", "item": [
              {"linkId": "q", "type": "choice", "text": "Q?", "answerOption": [
                {"valueCoding": {"code": "a", "display": "Apple"}, "extension": [
                  {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-itemAnswerMedia",
                   "valueAttachment": {"contentType": "image/png", "url": "https://example.org/a.png"}}]},
                {"valueCoding": {"code": "b", "display": "Bee"}, "extension": [
                  {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-itemAnswerMedia",
                   "valueAttachment": {"contentType": "image/png", "url": "data:b"}}]}]}]}
            """

        let instrument = try #require(FHIRImport.read(Array(text.utf8), name: "log").first).get()
        let options = instrument.questionnaire.item[0].answerOption

        #expect(options[0].media == Media(kind: .image, source: "https://example.org/a.png"))
        #expect(options[1].media == nil)
        #expect(instrument.questionnaire.text["en"]?.optionMedia == ["q": ["a": "Apple"]])
        #expect(
            instrument.remarks.contains {
                $0.text.hasPrefix("/item/0: answerOption/1/media has no effect here")
            }, "\(instrument.remarks.map(\.text))")
    }

    @Test func `a questionnaire that only shows texts is exported and imported`() throws {
        var page = Item(linkId: "page", type: .group)
        page.item = [Item(linkId: "words", type: .display)]
        let story = Questionnaire(
            code: "story", version: "1.0.0", item: [page],
            text: ["en": QuestionnaireText(title: "Story", items: ["words": "Once …"], options: [:])],
            languages: ["en"])
        #expect(story.faults() == [])

        let fhir = JSON.object(FHIRQuestionnaire.json(story, preserved: PreservedMembers()))
        let imported = try #require(FHIRImport.read(fhir.bytes, name: "story").first).get()
        #expect(imported.questionnaire.item == story.item)
        let csv = String(decoding: REDCapExport.csv([(story, PreservedMembers())]), as: UTF8.self)
        #expect(csv.contains("words,story,,descriptive,Once …"))
    }

    @Test func `a form whose questions cannot be asked is still rejected`() {
        let text = """
            {"resourceType": "Questionnaire", "name": "x", "item": [
              {"linkId": "a", "type": "attachment", "text": "A file?"}]}
            """
        #expect(throws: ImportError.self) {
            try #require(FHIRImport.read(Array(text.utf8), name: "x").first).get()
        }
    }
}
