import SaunterCore
import SaunterExchange
import SaunterPacks
import Testing

@testable import SaunterEvaluation

@Suite struct ResponseItemTests {
    @Test func `answers to an imported questionnaire have the linkIds, codes and systems of the source`()
        throws
    {
        let source = #"""
            {"resourceType": "Questionnaire", "name": "phq", "status": "active", "item": [
             {"linkId": "/44250-9", "type": "choice", "text": "Little interest?", "answerOption": [
               {"valueCoding": {"system": "http://loinc.org", "code": "LA6568-5", "display": "Not at all"}},
               {"valueCoding": {"system": "http://loinc.org", "code": "LA6569-3", "display": "Several days"}}],
              "item": [{"linkId": "/44250-9/why", "type": "integer", "text": "On how many days?"}]}]}
            """#
        let instrument = try #require(FHIRImport.read(Array(source.utf8), name: "phq").first).get()
        let preserved = PreservedMembers(
            PackFiles(files: instrument.files), code: "phq", version: "1.0.0")
        let names = ResponseNames(
            questionnaire: instrument.questionnaire, mapping: FHIRSourceMapping(preserved))
        let history = InstrumentHistory(code: "phq", published: [instrument.questionnaire])
        let linkIds = instrument.questionnaire.item.map(\.linkId)
        var choice = ResponseItem(linkIds[0], history, names)
        try choice.add("la6569_3", option: "", type: "choice")
        var days = ResponseItem(linkIds[1], history, names)
        try days.add("3", option: "", type: "integer")

        let both = ResponseItem.nested([choice, days], names)
        let onlyDays = ResponseItem.nested([days], names)

        let answered: JSON = ["linkId": "/44250-9/why", "answer": [["valueInteger": 3]]]
        let coding: JSON = ["system": "http://loinc.org", "code": "LA6569-3"]
        #expect(both == [["linkId": "/44250-9", "answer": [["valueCoding": coding, "item": [answered]]]]])
        #expect(onlyDays == [["linkId": "/44250-9", "answer": [["item": [answered]]]]])
    }

    @Test func `a number with a label is a coding, as in the questionnaire`() throws {
        var item = Item(linkId: "often", type: .choice)
        item.answerOption = [0, 1].map { ResponseOption(value: .integer($0)) }
        let texts = QuestionnaireText(
            title: "Often", items: ["often": "Often?"], options: ["often": ["0": "never", "1": "often"]])
        let questionnaire = Questionnaire(
            code: "often", version: "1.0.0", item: [item], text: ["en": texts], languages: ["en"])
        let names = ResponseNames(questionnaire: questionnaire, mapping: FHIRSourceMapping())
        var answer = ResponseItem(
            "often", InstrumentHistory(code: "often", published: [questionnaire]), names)
        try answer.add("1", option: "", type: "choice")

        let written = ResponseItem.nested([answer], names)

        let option = FHIRQuestionnaire.json(questionnaire, mapping: FHIRSourceMapping())["item"]?.array?[0][
            "answerOption"]?
            .array?[1]["valueCoding"]
        #expect(written.first?["answer"]?.array?[0]["valueCoding"]?["code"] == option?["code"])
        #expect(written.first?["answer"]?.array?[0]["valueCoding"]?["system"] == option?["system"])
    }
}
