import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Options from value sets, and of types that have no options in FHIR R4: imported, or with a remark.
@Suite struct FHIRValueSetsTests {
    /// Imports a questionnaire with these items and contained resources.
    private func read(_ items: String, _ contained: String = "") throws -> ImportedInstrument {
        let text = #"""
            {"resourceType": "Questionnaire", "name": "sets", "status": "draft", "language": "en",
             "contained": [\#(contained)], "item": [\#(items)]}
            """#
        return try #require(FHIRImport.read(Array(text.utf8), name: "sets", allowsFreeText: true).first).get()
    }

    private func choice(_ linkId: String, _ set: String) -> String {
        #"{"linkId": "\#(linkId)", "type": "choice", "text": "Q?", "answerValueSet": "\#(set)"}"#
    }

    private func codes(_ item: Item) -> [String] { item.answerOption.map(\.value.text) }

    @Test func `nested codes are options, abstract codes are not`() throws {
        let set = #"""
            {"resourceType": "ValueSet", "id": "tree", "expansion": {"total": 9, "contains": [
              {"system": "urn:s", "code": "head", "abstract": true, "contains": [
                {"system": "urn:s", "code": "one", "contains": [{"system": "urn:s", "code": "two"}]}]},
              {"system": "urn:s", "code": "three"}]}}
            """#
        let instrument = try read(choice("a", "#tree"), set)

        #expect(codes(instrument.questionnaire.item[0]) == ["one", "two", "three"])
        #expect(
            instrument.remarks.map(\.text) == [
                "/contained/0/expansion: only the listed codes are offered: the file does not list all 9",
                "/item/0: 3 options have no display text: participants see their codes, such as one",
            ])
    }

    @Test func `a value set is found by URL and version, and a code system of the file is read completely`()
        throws
    {
        let sets = #"""
            {"resourceType": "ValueSet", "url": "urn:set", "version": "2", "compose": {"include": [{"system": "urn:s"}]}},
            {"resourceType": "ValueSet", "url": "urn:part", "compose": {"include": [{"system": "urn:t"}]}},
            {"resourceType": "CodeSystem", "url": "urn:s", "content": "complete", "concept": [
              {"code": "x", "concept": [{"code": "y"}]}]},
            {"resourceType": "CodeSystem", "url": "urn:t", "content": "fragment", "concept": [{"code": "z"}]}
            """#
        let items = [choice("a", "urn:set|2"), choice("b", "urn:set"), choice("c", "urn:set|1")]
        let instrument = try read((items + [choice("d", "urn:part")]).joined(separator: ", "), sets)

        #expect(instrument.questionnaire.item.map(codes) == [["x", "y"], ["x", "y"], [], []])
        #expect(instrument.questionnaire.item.map(\.type) == [.choice, .choice, .string, .string])
        #expect(
            instrument.remarks.filter { $0.detail.contains("not in the file") }.map(\.location) == [
                "/item/2", "/item/3",
            ])
    }

    @Test func `a value set of the Bundle is found by its URL without a version`() throws {
        let set = #"""
            {"resourceType": "ValueSet", "id": "near", "url": "urn:near", "compose": {"include": [
              {"system": "urn:s", "concept": [{"code": "x"}]}, {"system": "urn:other"}]}}
            """#
        let items = [choice("a", "urn:near"), choice("b", "#near")].joined(separator: ", ")
        let text = #"""
            {"resourceType": "Bundle", "entry": [{"resource": \#(set)}, {"fullUrl": "urn:nothing"}, {"resource":
              {"resourceType": "Questionnaire", "name": "sets", "status": "draft", "item": [\#(items)]}}]}
            """#
        let instrument = try #require(
            FHIRImport.read(Array(text.utf8), name: "sets", allowsFreeText: true).first
        ).get()

        #expect(instrument.questionnaire.item.map(codes) == [["x"], []])
        #expect(
            instrument.remarks.map(\.location) == [
                "/entry/0/resource/compose/include/1", "/entry/2/resource/item/0", "/entry/2/resource/item/1",
                "/entry/2/resource/item/1/answerValueSet",
            ])
    }

    @Test func `designations are read in the languages of the items, other languages get a remark`() throws {
        func designation(_ language: String, _ words: String, _ use: String = "") -> String {
            #"{"language": "\#(language)", "value": "\#(words)"\#(use)}"#
        }
        let synonym = designation("de", "Latschen", #", "use": {"code": "synonym"}"#)
        let words = [synonym, designation("de", "Schuh"), designation("fr", "chaussure")]
        let set = #"""
            {"resourceType": "ValueSet", "id": "shoes", "compose": {"include": [{"system": "urn:s", "concept": [
              {"code": "shoe", "display": "Shoe", "designation": [\#(words.joined(separator: ", "))]}]}]}}
            """#
        let translated = #"""
            , {"linkId": "b", "type": "string", "text": "Why?", "_text": {"extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [
                {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Warum?"}]}]}}
            """#
        let instrument = try read(choice("a", "#shoes") + translated, set)

        let text = instrument.questionnaire.text
        #expect(Set(text.keys) == ["en", "de"])
        #expect(text["en"]?.options["a"] == ["shoe": "Shoe"])
        #expect(text["de"]?.options["a"] == ["shoe": "Schuh"])
        #expect(instrument.remarks.map(\.location) == ["/contained"])
        #expect(instrument.remarks.first?.detail.hasSuffix("no item has a text in fr") == true)
    }

    @Test func `texts and numbers of R5 with options are choices`() throws {
        func item(_ linkId: String, _ type: String, _ constraint: String, _ options: String) -> String {
            #"""
            {"linkId": "\#(linkId)", "type": "\#(type)", "text": "Q?", "answerConstraint": "\#(constraint)",
             "answerOption": [\#(options)]}
            """#
        }
        let texts = #"{"valueString": "one"}, {"valueString": "two"}"#
        let numbers = #"{"valueInteger": 1}, {"valueInteger": 2}"#
        let condition = #"""
            {"linkId": "z", "type": "string", "text": "Z?", "enableWhen": [
              {"question": "a", "operator": "=", "answerString": "two"},
              {"question": "c", "operator": ">", "answerInteger": 1}]}
            """#
        let instrument = try read(
            [
                item("a", "string", "optionsOnly", texts), item("b", "string", "optionsOrType", texts),
                item("c", "integer", "optionsOnly", numbers), item("d", "integer", "optionsOrType", numbers),
                condition,
            ].joined(separator: ", "))

        let items = instrument.questionnaire.item
        #expect(items.map(\.type) == [.choice, .openChoice, .choice, .integer, .string])
        #expect(items[2].answerOption.map(\.value) == [.integer(1), .integer(2)])
        #expect(items[4].enableWhen.map(\.answer) == [.option(.code("two")), .option(.integer(1))])
        #expect(instrument.remarks.map(\.location) == ["/item/3/answerConstraint", "/item/3/answerOption"])
    }

    @Test func `duplicate ids and two initial options get remarks`() throws {
        let options = #"""
            {"valueCoding": {"code": "x"}, "initialSelected": true}, {"valueCoding": {"code": "y"}, "initialSelected": true}
            """#
        let instrument = try read(
            #"""
            {"linkId": "a", "type": "choice", "text": "A?", "answerOption": [\#(options)]},
            {"linkId": "b", "type": "decimal", "text": "B?"}, {"linkId": "b", "type": "decimal", "text": "B2?"},
            {"linkId": "c", "type": "string", "text": "C?", "enableWhen": [
              {"question": "b", "operator": ">", "answerDecimal": 1.5, "answerInteger": 3}]}
            """#)

        let items = instrument.questionnaire.item
        #expect(items[0].initial == .option(.code("x")))
        #expect(items.map(\.linkId) == ["a", "b", "b_2", "c"])
        #expect(items[3].enableWhen.isEmpty)
        #expect(
            Set(instrument.remarks.map(\.location)) == [
                "/item/0", "/item/0/answerOption", "/item/2", "/item/3/enableWhen/0",
            ])
    }
}
