import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Parts of options, bounds and rules of a FHIR questionnaire: imported, or with a remark.
@Suite struct FHIRPartsTests {
    private static let base = "http://hl7.org/fhir/StructureDefinition"

    /// Imports the questionnaire and checks that its export is unchanged.
    private func read(_ items: String, _ more: String = "") throws -> ImportedInstrument {
        let text = #"{"resourceType": "Questionnaire", "name": "parts", \#(more) "item": [\#(items)]}"#
        let instrument = try #require(
            FHIRImport.read(Array(text.utf8), name: "parts", allowsFreeText: true).first
        ).get()
        let wanted = try #require(FHIRFixtures.json(text))
        #expect(FHIRPatch.equal(exported(instrument), wanted))
        return instrument
    }

    private func exported(_ instrument: ImportedInstrument) -> JSON {
        let questionnaire = instrument.questionnaire
        let kept = PreservedMembers(
            PackFiles(files: instrument.files), code: questionnaire.code, version: questionnaire.version)
        return .object(FHIRQuestionnaire.json(questionnaire, preserved: kept))
    }

    @Test func `negative codes are kept for single choices and renamed for multiple choices`() throws {
        func imported(_ repeats: Bool) throws -> ImportedInstrument {
            try read(
                #"""
                {"linkId": "v", "type": "choice", "repeats": \#(repeats), "text": "V?", "answerOption": [
                  {"valueInteger": -2}, {"valueInteger": 0}, {"valueInteger": 2, "extension": [
                    {"url": "urn:saunter:option-label", "valueString": "Good"}]}]},
                {"linkId": "w", "type": "string", "text": "W?", "enableWhen": [
                  {"question": "v", "operator": "=", "answerInteger": -2}]}
                """#)
        }
        let one = try imported(false)
        #expect(
            one.questionnaire.item[0].answerOption.map(\.value) == [.integer(-2), .integer(0), .integer(2)])
        #expect(one.questionnaire.item[0].answerOption.map(\.weight) == [nil, nil, nil])
        #expect(one.questionnaire.text["en"]?.options["v"] == ["-2": "-2", "0": "0", "2": "Good"])
        #expect(
            one.questionnaire.item[1].enableWhen == [
                Condition(question: "v", comparison: .equal, answer: .option(.integer(-2)))
            ])
        #expect(one.remarks.isEmpty)

        let several = try imported(true)
        #expect(
            several.questionnaire.item[0].answerOption.map(\.value) == [
                .code("minus_2"), .code("0"), .code("2"),
            ])
        #expect(several.questionnaire.item[0].answerOption.map(\.weight) == [-2, 0, 2])
        #expect(
            several.questionnaire.text["en"]?.options["v"] == ["minus_2": "-2", "0": "0", "2": "Good"])
        #expect(several.remarks.map(\.location) == ["/item/0"])
    }

    @Test func `an option called other keeps its name if there is no free-text answer`() throws {
        func item(_ type: String) -> String {
            #"""
            {"linkId": "s", "type": "\#(type)", "text": "S?", "answerOption": [
              {"valueCoding": {"code": "one"}}, {"valueCoding": {"code": "other"}}]}
            """#
        }
        let closed = try read(item("choice")).questionnaire.item[0]
        #expect(closed.answerOption.map(\.value.text) == ["one", "other"])
        let free = try read(item("open-choice")).questionnaire.item[0]
        #expect(free.answerOption.map(\.value.text) == ["one", "other_2"])
    }

    @Test func `conditions of options that Saunter exported are imported again`() throws {
        var kind = Item(linkId: "kind", type: .choice)
        kind.answerOption = [ResponseOption(value: .code("a")), ResponseOption(value: .code("b"))]
        let conditions = ["a", "b"].map { code in
            Condition(question: "kind", comparison: .equal, answer: .option(.code(code)))
        }
        let isAlone = Condition(question: "alone", comparison: .exists, answer: .boolean(true))
        var place = Item(linkId: "place", type: .choice)
        place.answerOption = [
            ResponseOption(value: .code("x"), enableWhen: conditions, enableBehavior: .any),
            ResponseOption(value: .code("y"), enableWhen: [isAlone]), ResponseOption(value: .code("z")),
        ]
        let words = QuestionnaireText(
            title: "Where", items: ["kind": "Kind?", "alone": "Alone?", "place": "Where?"],
            options: ["kind": ["a": "A", "b": "B"], "place": ["x": "X", "y": "Y", "z": "Z"]])
        let questionnaire = Questionnaire(
            code: "where", version: "1.0.0", item: [kind, Item(linkId: "alone", type: .boolean), place],
            text: ["en": words], languages: ["en"])
        let written = JSON.object(FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers()))

        let instrument = try #require(FHIRImport.read(written.bytes, name: "where").first).get()

        #expect(instrument.questionnaire.item[2].answerOption == place.answerOption)
        #expect(instrument.remarks.isEmpty, "\(instrument.remarks)")
        #expect(FHIRPatch.equal(exported(instrument), written))
    }

    @Test(arguments: [
        #"{"url": "urn:saunter:option-enable-when", "valueString": "no JSON"}"#,
        #"{"url": "urn:saunter:option-enable-when", "valueString": "{\"question\": \"b\", \"operator\": \"=\"}"}"#,
        #"{"url": "urn:saunter:option-enable-behavior", "valueCode": "some"}"#,
    ])
    func `conditions of an option are imported only if all are understood`(unread: String) throws {
        let valid = #"{\"question\": \"a\", \"operator\": \"exists\", \"answerBoolean\": true}"#
        let instrument = try read(
            #"""
            {"linkId": "a", "type": "boolean", "text": "A?"},
            {"linkId": "c", "type": "choice", "text": "C?", "answerOption": [{"valueCoding": {"code": "x", "display": "X"}},
              {"valueCoding": {"code": "y", "display": "Y"}, "extension": [
                {"url": "urn:saunter:option-enable-when", "valueString": "\#(valid)"}, \#(unread)]}]}
            """#)
        #expect(instrument.questionnaire.item[1].answerOption.allSatisfy { $0.enableWhen.isEmpty })
        #expect(instrument.remarks.map(\.location) == ["/item/1/answerOption/1/extension/1"])
    }

    @Test func `bounds of a quantity are imported in its first unit`() throws {
        func quantity(_ linkId: String, units: [String]) -> String {
            let options = units.map { unit in
                #"{"url": "\#(Self.base)/questionnaire-unitOption", "valueCoding": {"code": "\#(unit)"}}"#
            }
            let bound = #"""
                {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-minQuantity",
                 "valueQuantity": {"value": 500, "code": "g"}}
                """#
            let extensions = ([bound] + options).joined(separator: ", ")
            return
                #"{"linkId": "\#(linkId)", "type": "quantity", "text": "Q?", "extension": [\#(extensions)]}"#
        }
        let items = [
            quantity("light", units: ["g"]), quantity("heavy", units: ["kg"]),
            quantity("either", units: ["g", "kg"]), quantity("other", units: ["kg", "g"]),
        ]
        let instrument = try read(items.joined(separator: ", "))
        #expect(instrument.questionnaire.item.map(\.minValue) == [500, 0.5, 500, 0.5])
        #expect(instrument.remarks.isEmpty)
    }

    @Test func `unknown parts of options, conditions and initial values get remarks`() throws {
        let own = #"{"url": "https://example.org/x", "valueBoolean": true}"#
        let remarks = try read(
            #"""
            {"linkId": "b", "type": "boolean", "text": "B?", "initial": [
              {"valueBoolean": true, "extension": [\#(own)]}]},
            {"linkId": "c", "type": "choice", "text": "C?", "modifierExtension": [\#(own)], "answerOption": [
              {"valueCoding": {"code": "x", "extension": [\#(own)]}, "modifierExtension": [\#(own)]},
              {"valueCoding": {"code": "y"}, "extension": [\#(own)]},
              {"valueCoding": {"code": "z"}, "extension": [\#(own)]}],
             "enableWhen": [
              {"question": "b", "operator": "=", "answerBoolean": true, "modifierExtension": [\#(own)]}]}
            """#, #""modifierExtension": [\#(own)],"#
        ).remarks.map(\.text)
        let url = "https://example.org/x"
        let changes = "\(url) changes the meaning of the element that contains it, and is kept without effect"
        let wanted: Set<String> = [
            "/item/1: 3 options have no display text: participants see their codes, such as x",
            "/item/0/initial/0/extension: \(url) is kept without effect",
            "/item/1/modifierExtension: \(changes)", "/item/1/answerOption/0/modifierExtension: \(changes)",
            "/item/1/answerOption/0/valueCoding/extension: \(url) is kept without effect",
            "/item/1/answerOption/1/extension: \(url) is kept without effect (the first of 2 elements)",
            "/item/1/enableWhen/0/modifierExtension: \(changes)", "/modifierExtension: \(changes)",
        ]
        #expect(Set(remarks) == wanted && remarks.count == wanted.count, "\(remarks)")
    }

    @Test func `a title is imported in the languages of the items, and exported again`() throws {
        func translation(_ language: String, _ words: String) -> String {
            #"""
            {"url": "\#(Self.base)/translation", "extension": [
              {"url": "lang", "valueCode": "\#(language)"}, {"url": "content", "valueString": "\#(words)"}]}
            """#
        }
        let titles = [translation("de", "Wege"), translation("fr", "Chemins")].joined(separator: ", ")
        let instrument = try read(
            #"""
            {"linkId": "a", "type": "boolean", "text": "Alone?",
             "_text": {"extension": [\#(translation("de", "Allein?"))]}}
            """#, #""title": "Ways", "_title": {"extension": [\#(titles)]},"#)
        let questionnaire = instrument.questionnaire
        #expect(questionnaire.languages == ["en", "de"])
        #expect(questionnaire.text.mapValues(\.title) == ["en": "Ways", "de": "Wege"])
        #expect(instrument.remarks.map(\.location) == ["/_title/extension/1"])
        let written = FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers())
        #expect(FHIRQuestionnaireReader.translations(written["_title"]).map(\.1) == ["Wege"])
    }

    @Test func `codes that a value set excludes are not options`() throws {
        func instrument(_ exclude: String) throws -> ImportedInstrument {
            try read(
                ##"{"linkId": "a", "type": "choice", "text": "A?", "answerValueSet": "#s"}"##,
                #"""
                "contained": [{"resourceType": "ValueSet", "id": "s", "compose": {
                  "include": [{"system": "urn:s", "concept": [{"code": "one", "display": "1"}, {"code": "two", "display": "2"}]}],
                  "exclude": [{"system": "urn:s", \#(exclude)}]}}],
                """#)
        }
        let plain = try instrument(#""concept": [{"code": "two"}]"#)
        #expect(plain.questionnaire.item[0].answerOption.map(\.value.text) == ["one"])
        #expect(plain.remarks.isEmpty)
        let filtered = try instrument(#""filter": [{"property": "p", "op": "=", "value": "v"}]"#)
        #expect(filtered.questionnaire.item[0].answerOption.map(\.value.text) == ["one", "two"])
        #expect(filtered.remarks.map(\.location) == ["/contained/0/compose/exclude/0"])
    }

    @Test func `the remark about more than a thousand options states their number`() throws {
        let options = (0...1000).map { #"{"valueCoding": {"code": "c\#($0)"}}"# }.joined(separator: ", ")
        let instrument = try read(
            #"{"linkId": "a", "type": "choice", "text": "A?", "answerOption": [\#(options)]}"#)
        let remark =
            "/item/0: the item has 1001 options, and an item has at most 1000: it is imported as a text question"
        #expect(instrument.remarks.map(\.text).contains(remark))
    }

    @Test func `a rule with a severity below error is imported as a warning`() throws {
        func rule(_ severity: String) -> String {
            #"""
            {"url": "\#(Self.base)/targetConstraint", "extension": [{"url": "key", "valueId": "k-\#(severity)"},
              {"url": "severity", "valueCode": "\#(severity)"}, {"url": "human", "valueString": "H"},
              {"url": "expression", "valueExpression": {"language": "text/fhirpath",
                "expression": "%resource.item.where(linkId='a').answer.value > 1"}}]}
            """#
        }
        let rules = ["error", "warning", "information"].map(rule).joined(separator: ", ")
        let instrument = try read(
            #"{"linkId": "a", "type": "integer", "text": "A?"}"#, #""extension": [\#(rules)],"#)
        #expect(instrument.questionnaire.constraint.map(\.severity) == [.error, .warning, .warning])
        let remark = "/extension: a rule of the severity information is imported as a warning"
        #expect(instrument.remarks.map(\.text) == [remark])
    }

    @Test(arguments: [
        (#"{"linkId": "a", "type": "integer", "text": null}"#, "/item/0/text"),
        (
            #"{"linkId": "a", "type": "integer", "text": "A?", "enableWhen": {"question": "b"}}"#,
            "/item/0/enableWhen"
        ),
    ])
    func `a part that cannot be exported unchanged is rejected with its location`(
        item: String, location: String
    ) {
        let refusal = #expect(throws: ImportError.self) { _ = try read(item) }
        #expect(refusal?.location == location)
    }
}
