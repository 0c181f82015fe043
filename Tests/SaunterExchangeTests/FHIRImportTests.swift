import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

@Suite struct FHIRImportTests {
    private func imported(_ text: String) throws -> ImportedInstrument {
        let results = try FHIRImport.read(Array(text.utf8), name: "file", allowsFreeText: true)
        #expect(results.count == 1)
        return try results[0].get()
    }

    private func exported(_ instrument: ImportedInstrument) -> JSON {
        let questionnaire = instrument.questionnaire
        let kept = PreservedMembers(
            PackFiles(files: instrument.files), code: questionnaire.code, version: questionnaire.version)
        return .object(FHIRQuestionnaire.json(questionnaire, preserved: kept))
    }

    private func item(_ linkId: String, _ questionnaire: Questionnaire) -> Item? {
        func find(_ items: [Item]) -> Item? {
            items.lazy.compactMap { $0.linkId == linkId ? $0 : find($0.item) }.first
        }
        return find(questionnaire.item)
    }

    @Test func `a questionnaire with all features is imported and exported unchanged`() throws {
        let instrument = try imported(FHIRFixtures.everything)
        let wanted = try #require(FHIRFixtures.json(FHIRFixtures.everything))
        #expect(FHIRPatch.equal(exported(instrument), wanted))
        let questionnaire = instrument.questionnaire
        #expect(questionnaire.code == "walkcheck")
        #expect(questionnaire.version == "2.1.0")
        #expect(questionnaire.languages == ["en", "de"])
        #expect(questionnaire.text["de"]?.items["about_1"] == "Wie weit?")
        let far = try #require(item("about_1", questionnaire))
        #expect(far.answerOption.map(\.weight) == [1, 2.5])
        #expect(far.initial == .option(.code("la_2")))
        #expect(far.itemControl == .radio)
        let many = try #require(item("about_2", questionnaire))
        #expect(
            many.enableWhen == [
                Condition(question: "about_1", comparison: .equal, answer: .option(.code("la_2")))
            ])
        #expect((many.minValue, many.unit) == (0.5, "km"))
        #expect(item("about_3", questionnaire)?.answerOption.map(\.value.text) == ["boot", "bare"])
        #expect(item("q14", questionnaire)?.type == .openChoice)
    }

    /// The message names the form and the first item above the limit. Items in groups count too.
    @Test(arguments: [(999, false), (1000, true)]) func `a questionnaire has at most 1000 items`(
        questions: Int, isTooMany: Bool
    ) throws {
        let items = (1...questions).map { #"{"linkId": "q\#($0)", "type": "string", "text": "Text"}"# }
        let text = #"""
            {"resourceType": "Questionnaire", "name": "Long form", "status": "draft", "item": [
             {"linkId": "g", "type": "group", "text": "All", "item": [\#(items.joined(separator: ","))]}]}
            """#

        let result = try #require(try FHIRImport.read(Array(text.utf8), name: "file").first)

        if isTooMany {
            #expect(
                throws: ImportError(
                    location: "/item/0/item/999", detail: "long_form has more than 1000 items")
            ) { try result.get() }
        } else {
            #expect(try result.get().questionnaire.item[0].item.count == 999)
        }
    }

    @Test func `a part without effect gets a remark with its location`() throws {
        let remarks = try imported(FHIRFixtures.everything).remarks.map(\.text)
        for wanted in [
            "/item/0/item/0/extension: https://example.org/colour", "/item/2: an item of type attachment",
            "/item/3: the options of the item are not in the file (https://example.org/places)",
            "/item/4/enableWhen/0: q12 is always shown: the condition refers to 99, which is not in the questionnaire",
            "/extension: https://example.org/owner",
        ] { #expect(remarks.contains { $0.hasPrefix(wanted) }, "\(wanted) in \(remarks)") }
    }

    @Test func `a text that is changed in the pack changes in the export`() throws {
        let instrument = try imported(FHIRFixtures.everything)
        var files = instrument.files
        let path = "instruments/walkcheck/2.1.0/text.en.yaml"
        files[path] = files[path]?.replacing("How far?", with: "How far today?").replacing(
            "\"Near\"", with: "\"Close\"")
        let pack = PackFiles(files: files)
        let read = try InstrumentPack.read(pack, code: "walkcheck", version: "2.1.0").questionnaire
        let json = FHIRQuestionnaire.json(
            read, preserved: PreservedMembers(pack, code: "walkcheck", version: "2.1.0"))
        let item = json["item"]?.array?[0]["item"]?.array?[0]
        #expect(item?["text"] == "How far today?")
        #expect(item?["answerOption"]?.array?[0]["valueCoding"]?["display"] == "Close")
        #expect(item?["answerOption"]?.array?[0]["valueCoding"]?["code"] == "LA-1")
    }

    @Test func `an exported instrument is imported again`() throws {
        let instrument = try imported(
            #"""
            {"resourceType": "Questionnaire", "name": "own", "status": "active", "extension": [
              {"url": "urn:saunter:constraint", "extension": [{"url": "key", "valueId": "b-after-a"},
               {"url": "severity", "valueCode": "warning"}, {"url": "expression", "valueString": "a < b"},
               {"url": "human", "valueString": "B is more."}, {"url": "item", "valueString": "b"}]}],
             "item": [
              {"linkId": "a", "type": "integer", "text": "A?"},
              {"linkId": "b", "type": "integer", "text": "B?", "extension": [
                {"url": "urn:saunter:enable-when-expression", "valueString": "a > 2"}]},
              {"linkId": "c", "type": "choice", "repeats": true, "text": "C?", "extension": [
                {"url": "urn:saunter:ranking", "valueBoolean": true}],
               "answerOption": [{"valueCoding": {"code": "x", "display": "X"}}, {"valueCoding": {"code": "y", "display": "Y"}}]}]}
            """#)
        #expect(instrument.remarks.isEmpty)
        let questionnaire = instrument.questionnaire
        #expect(
            questionnaire.constraint == [
                Constraint(key: "b_after_a", severity: .warning, expression: "a < b", item: "b")
            ])
        #expect(questionnaire.text["en"]?.constraints == ["b_after_a": "B is more."])
        #expect(item("b", questionnaire)?.enableWhenExpression == "a > 2")
        #expect(item("c", questionnaire)?.type == .ranking)
    }

    @Test func `every rule with an equivalent is imported`() throws {
        let questionnaire = try imported(
            #"""
            {"resourceType": "Questionnaire", "name": "rules", "status": "draft", "item": [
             {"linkId": "far", "type": "decimal", "text": "Far?", "required": true, "extension": [
               {"url": "http://hl7.org/fhir/StructureDefinition/minValue", "valueDecimal": 1},
               {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueDecimal": 40}]},
             {"linkId": "plate", "type": "string", "text": "Plate?", "extension": [
               {"url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "[a-z]+"}]},
             {"linkId": "shoes", "type": "choice", "repeats": true, "text": "Shoes?", "answerOption": [
               {"valueCoding": {"code": "boot"}, "extension": [
                 {"url": "http://hl7.org/fhir/StructureDefinition/itemWeight", "valueDecimal": 3}]},
               {"valueCoding": {"code": "bare"}, "extension": [
                 {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive",
                  "valueBoolean": true}]}]},
             {"linkId": "why", "type": "string", "text": "Why?", "enableBehavior": "any", "enableWhen": [
               {"question": "far", "operator": ">", "answerDecimal": 5},
               {"question": "plate", "operator": "exists", "answerBoolean": true}]}]}
            """#
        ).questionnaire
        let items = questionnaire.item
        #expect(items.map(\.required) == [true, false, false, false])
        #expect((items[0].minValue, items[0].maxValue) == (1, 40))
        #expect(items[1].regex == "[a-z]+")
        #expect(items[2].answerOption.map(\.weight) == [3, nil])
        #expect(items[2].answerOption.map(\.exclusive) == [false, true])
        #expect(items[3].enableWhen.count == 2 && items[3].enableBehavior == .any)

        // The export without preserved parts contains it, too.
        let written =
            FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers())["item"]?.array ?? []
        #expect(written.count == 4 && written[3]["enableBehavior"] == "any")
        let bare = written[2]["answerOption"]?.array?[1]
        let exclusive = bare?["extension"]?.array?.first {
            $0["url"]?.string?.hasSuffix("/questionnaire-optionExclusive") == true
        }
        #expect(exclusive?["valueBoolean"] == true)
    }

    @Test func `a part that is not completely understood is not imported`() throws {
        let items = try imported(
            #"""
            {"resourceType": "Questionnaire", "name": "parts", "status": "draft", "item": [
             {"linkId": "same", "type": "choice", "text": "Same?", "answerOption": [
               {"valueInteger": 1}, {"valueInteger": 1}]},
             {"linkId": "some", "type": "decimal", "repeats": true, "text": "Some?", "initial": [
               {"valueDecimal": 1}, {"valueString": "x"}]},
             {"linkId": "place", "type": "choice", "text": "Where?", "answerOption": [
               {"valueCoding": {"system": "urn:a", "code": "x"}}, {"valueCoding": {"system": "urn:a", "code": "y"}}]},
             {"linkId": "why", "type": "string", "text": "Why?", "enableWhen": [
               {"question": "place", "operator": "=", "answerCoding": {"system": "urn:b", "code": "x"}}]}]}
            """#
        ).questionnaire.item
        #expect(items[0].answerOption.map(\.value) == [.code("1"), .code("1_2")])
        #expect(items[1].initial == nil)
        #expect(items[3].enableWhen.isEmpty)
    }

    @Test func `items may be nested twelve levels deep`() throws {
        func nested(_ depth: Int) -> String {
            let group = (1...depth).map { #"{"linkId": "g\#($0)", "type": "group", "text": "G", "item": ["# }
            let item = #"{"linkId": "a", "type": "integer", "text": "A?"}"#
            let inner = group.joined() + item + String(repeating: "]}", count: depth)
            return #"{"resourceType": "Questionnaire", "name": "deep", "item": [\#(inner)]}"#
        }
        let results = try [11, 12].flatMap { try FHIRImport.read(Array(nested($0).utf8), name: "deep") }
        #expect(throws: Never.self) { try results[0].get() }
        #expect(throws: ImportError.self) { try results[1].get() }
    }

    @Test func `codings of R5 are imported as choices`() throws {
        let instrument = try imported(
            #"""
            {"resourceType": "Questionnaire", "status": "draft", "item": [
             {"linkId": "a", "type": "coding", "text": "A?", "answerConstraint": "optionsOrString",
              "answerOption": [{"valueCoding": {"code": "x", "display": "X"}}]},
             {"linkId": "b", "type": "coding", "text": "B?", "answerOption": [{"valueCoding": {"code": "y"}}]}]}
            """#)
        #expect(instrument.questionnaire.item.map(\.type) == [.openChoice, .choice])
        #expect(exported(instrument)["item"]?.array?[0]["type"] == "open-choice")
    }

    @Test(arguments: [
        ("[]", "the file has no resourceType"), ("{", "the file is not JSON: at byte 1, "),
        (#"{"a": {"b": 1, "b": 2}}"#, "/a/b: This member is named twice"),
        (#"{"resourceType": "Patient"}"#, "Patient is not a Questionnaire"),
        (#"{"resourceType": "Bundle"}"#, "there is no Questionnaire"),
    ])
    func `a file that is not a questionnaire is rejected`(text: String, reason: String) {
        let refusal = #expect(throws: ImportError.self) {
            _ = try FHIRImport.read(Array(text.utf8), name: "file")
        }
        #expect(refusal?.text.contains(reason) == true)
    }

    @Test func `a bundle may contain several questionnaires`() throws {
        let results = try FHIRImport.read(
            Array(
                #"""
                {"resourceType": "Bundle", "entry": [
                 {"resource": {"resourceType": "Questionnaire", "name": "a", "item": [{"linkId": "1", "type": "integer", "text": "N"}]}},
                 {"resource": {"resourceType": "Questionnaire", "name": "a", "item": []}}]}
                """#.utf8), name: "file")
        #expect(results.map { (try? $0.get())?.questionnaire.code } == ["a", nil])
    }

    @Test func `random questionnaires are exported unchanged or rejected with a reason`()
        throws
    {
        var imported = 0
        for seed in 1...600 as ClosedRange<UInt64> {
            var nameGenerator = FHIRMaker(seed: seed)
            let wanted = nameGenerator.questionnaire()
            for result in try FHIRImport.read(wanted.bytes, name: "made", allowsFreeText: true) {
                switch result {
                case .failure(let refusal): #expect(!refusal.detail.isEmpty)
                case .success(let instrument):
                    imported += 1
                    #expect(FHIRPatch.equal(exported(instrument), wanted), "seed \(seed)")
                }
            }
        }
        #expect(imported > 450)
    }

    @Test func `a damaged file never crashes the process`() {
        let bytes = Array(FHIRFixtures.everything.utf8)
        for cut in stride(from: 0, to: bytes.count, by: 37) {
            _ = try? FHIRImport.read(Array(bytes[..<cut]), name: "cut")
        }
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var flipped = bytes
            flipped[index] ^= UInt8(1 << (index % 7))
            _ = try? FHIRImport.read(flipped, name: "flipped")
        }
    }
}
