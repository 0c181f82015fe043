import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// What stands within options, bounds and rules of a FHIR questionnaire: taken, or told of.
@Suite struct FHIRPartsTests {
    private static let base = "http://hl7.org/fhir/StructureDefinition"

    /// Imported, and given back unchanged.
    private func read(_ items: String, _ more: String = "") throws -> ImportedInstrument {
        let text = #"{"resourceType": "Questionnaire", "name": "parts", \#(more) "item": [\#(items)]}"#
        let instrument = try #require(FHIRImport.read(Array(text.utf8), name: "parts").first).get()
        let wanted = try #require(FHIRFixtures.json(text))
        #expect(FHIRPatch.equal(back(instrument), wanted))
        return instrument
    }

    private func back(_ instrument: ImportedInstrument) -> JSON {
        let questionnaire = instrument.questionnaire
        let kept = KeptMembers(
            PackFiles(files: instrument.files), code: questionnaire.code, version: questionnaire.version)
        return .object(FHIRQuestionnaire.json(questionnaire, kept: kept))
    }

    @Test func `negative numbers stay what they are, and where options name columns they are named`() throws {
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
        #expect(several.remarks.map(\.place) == ["/item/0"])
    }

    @Test func `an option called other stays so where there are no own words`() throws {
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

    @Test func `conditions of options that our own export wrote are read again`() throws {
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
        let written = JSON.object(FHIRQuestionnaire.json(questionnaire, kept: KeptMembers()))

        let instrument = try #require(FHIRImport.read(written.bytes, name: "where").first).get()

        #expect(instrument.questionnaire.item[2].answerOption == place.answerOption)
        #expect(instrument.remarks.isEmpty, "\(instrument.remarks)")
        #expect(FHIRPatch.equal(back(instrument), written))
    }

    @Test(arguments: [
        #"{"url": "urn:saunter:option-enable-when", "valueString": "no JSON"}"#,
        #"{"url": "urn:saunter:option-enable-when", "valueString": "{\"question\": \"b\", \"operator\": \"=\"}"}"#,
        #"{"url": "urn:saunter:option-enable-behavior", "valueCode": "some"}"#,
    ])
    func `conditions of an option are taken when all are understood`(unread: String) throws {
        let sound = #"{\"question\": \"a\", \"operator\": \"exists\", \"answerBoolean\": true}"#
        let instrument = try read(
            #"""
            {"linkId": "a", "type": "boolean", "text": "A?"},
            {"linkId": "c", "type": "choice", "text": "C?", "answerOption": [{"valueCoding": {"code": "x"}},
              {"valueCoding": {"code": "y"}, "extension": [
                {"url": "urn:saunter:option-enable-when", "valueString": "\#(sound)"}, \#(unread)]}]}
            """#)
        #expect(instrument.questionnaire.item[1].answerOption.allSatisfy { $0.enableWhen.isEmpty })
        #expect(instrument.remarks.map(\.place) == ["/item/1/answerOption/1/extension/1"])
    }

    @Test func `bounds of a quantity are taken in its first unit`() throws {
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

    @Test func `what is not known within options, conditions and initial values is told`() throws {
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
        let changes = "\(url) changes the meaning of what it stands in, and is kept without effect"
        let wanted: Set<String> = [
            "/item/0/initial/0/extension: \(url) is kept without effect",
            "/item/1/modifierExtension: \(changes)", "/item/1/answerOption/0/modifierExtension: \(changes)",
            "/item/1/answerOption/0/valueCoding/extension: \(url) is kept without effect",
            "/item/1/answerOption/1/extension: \(url) is kept without effect, and so in 1 more",
            "/item/1/enableWhen/0/modifierExtension: \(changes)", "/modifierExtension: \(changes)",
        ]
        #expect(Set(remarks) == wanted && remarks.count == wanted.count, "\(remarks)")
    }

    @Test func `a title is read in the languages of the items, and written again`() throws {
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
        #expect(instrument.remarks.map(\.place) == ["/_title/extension/1"])
        let written = FHIRQuestionnaire.json(questionnaire, kept: KeptMembers())
        #expect(FHIRReading.translations(written["_title"]).map(\.1) == ["Wege"])
    }

    @Test func `codes that a value set excludes are no options`() throws {
        func instrument(_ exclude: String) throws -> ImportedInstrument {
            try read(
                ##"{"linkId": "a", "type": "choice", "text": "A?", "answerValueSet": "#s"}"##,
                #"""
                "contained": [{"resourceType": "ValueSet", "id": "s", "compose": {
                  "include": [{"system": "urn:s", "concept": [{"code": "one"}, {"code": "two"}]}],
                  "exclude": [{"system": "urn:s", \#(exclude)}]}}],
                """#)
        }
        let plain = try instrument(#""concept": [{"code": "two"}]"#)
        #expect(plain.questionnaire.item[0].answerOption.map(\.value.text) == ["one"])
        #expect(plain.remarks.isEmpty)
        let ruled = try instrument(#""filter": [{"property": "p", "op": "=", "value": "v"}]"#)
        #expect(ruled.questionnaire.item[0].answerOption.map(\.value.text) == ["one", "two"])
        #expect(ruled.remarks.map(\.place) == ["/contained/0/compose/exclude/0"])
    }

    @Test func `more than a thousand options are said to be so many`() throws {
        let options = (0...1000).map { #"{"valueCoding": {"code": "c\#($0)"}}"# }.joined(separator: ", ")
        let instrument = try read(
            #"{"linkId": "a", "type": "choice", "text": "A?", "answerOption": [\#(options)]}"#)
        let told = "/item/0: it has 1001 options, and an item has at most 1000: it is asked as a text"
        #expect(instrument.remarks.map(\.text).contains(told))
    }

    @Test func `a rule that is less than an error is taken as a warning`() throws {
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
        let told = "/extension: a rule of the severity information is taken as a warning"
        #expect(instrument.remarks.map(\.text) == [told])
    }

    @Test(arguments: [
        (#"{"linkId": "a", "type": "integer", "text": null}"#, "/item/0/text"),
        (
            #"{"linkId": "a", "type": "integer", "text": "A?", "enableWhen": {"question": "b"}}"#,
            "/item/0/enableWhen"
        ),
    ])
    func `what cannot be given back is named with its place`(item: String, place: String) {
        let refusal = #expect(throws: ImportRefusal.self) { _ = try read(item) }
        #expect(refusal?.place == place)
    }
}
