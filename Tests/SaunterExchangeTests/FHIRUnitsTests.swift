import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Bounds, conditions and initial values of quantities, in different spellings and units.
@Suite struct FHIRUnitsTests {
    private static let base = "http://hl7.org/fhir/StructureDefinition"
    private static let capture = "http://hl7.org/fhir/uv/sdc/StructureDefinition"

    /// Imports a question with units, a bound and an initial value, and a second question that depends on it. Checks
    /// that the export is unchanged.
    private func read(_ units: [String], _ quantity: String) throws -> ImportedInstrument {
        let most = "\(Self.capture)/sdc-questionnaire-maxQuantity"
        let bound = #"{"url": "\#(most)", "valueQuantity": \#(quantity)}"#
        let option = "\(Self.base)/questionnaire-unitOption"
        let options = units.map { #"{"url": "\#(option)", "valueCoding": \#($0)}"# }
        let extensions = ([bound] + options).joined(separator: ", ")
        let condition = #"{"question": "a", "operator": ">", "answerQuantity": \#(quantity)}"#
        let text = #"""
            {"resourceType": "Questionnaire", "name": "units", "status": "draft", "item": [
             {"linkId": "a", "type": "quantity", "text": "A?", "extension": [\#(extensions)],
              "initial": [{"valueQuantity": \#(quantity)}]},
             {"linkId": "b", "type": "string", "text": "B?", "enableWhen": [\#(condition)]}]}
            """#
        let instrument = try #require(FHIRImport.read(Array(text.utf8), name: "units").first).get()
        let kept = PreservedMembers(PackFiles(files: instrument.files), code: "units", version: "1.0.0")
        let back = JSON.object(FHIRQuestionnaire.json(instrument.questionnaire, preserved: kept))
        #expect(FHIRPatch.equal(back, try #require(FHIRFixtures.json(text))))
        return instrument
    }

    @Test(
        arguments: [
            ([#"{"code": "/min"}"#], #"{"value": 5, "code": "1/min"}"#, 5, "/min"),
            ([#"{"code": "{beats}/min"}"#], #"{"value": 5, "code": "/min"}"#, 5, "{beats}/min"),
            ([#"{"code": "mm[Hg]"}"#], #"{"value": 5, "code": "mm[Hg]{sitting}"}"#, 5, "mm[Hg]"),
            ([#"{"code": "{score}"}"#], #"{"value": 5, "code": "1"}"#, 5, "{score}"),
            ([#"{"code": "mmol/l"}"#], #"{"value": 5.5, "code": "mmol/L"}"#, 5.5, "mmol/l"),
            ([#"{"code": "Cel", "display": "degC"}"#], #"{"value": 38.5, "unit": "degC"}"#, 38.5, "Cel"),
            ([#"{"code": "kg"}"#], #"{"value": 500, "code": "g"}"#, 0.5, "kg"),
            ([#"{"code": "Cel"}"#], #"{"value": 98.6, "code": "[degF]"}"#, 37, "Cel"),
            ([#"{"code": "kg"}"#], #"{"value": 7}"#, 7, "kg"),
            ([#"{"code": "kg"}"#], #"{"value": 7, "system": "urn:units", "code": "kg"}"#, 7, "kg"),
        ] as [([String], String, Double, String)])
    func `an amount in an equivalent unit is accepted`(
        units: [String], quantity: String, value: Double, unit: String
    ) throws {
        let instrument = try read(units, quantity)

        let (asked, after) = (instrument.questionnaire.item[0], instrument.questionnaire.item[1])
        let wanted = Answer.quantity(Measure(value: value, unit: unit))
        #expect(asked.maxValue == value && asked.unitOption == [unit])
        #expect(asked.initial == wanted)
        #expect(
            after.enableWhen == [Condition(question: asked.linkId, comparison: .greater, answer: wanted)])
        #expect(instrument.remarks.isEmpty)
    }

    @Test(arguments: [
        // A third of an hour has no finite decimal number, and moles of an unknown substance cannot be converted to
        // grams.
        ([#"{"code": "h"}"#], #"{"value": 20, "code": "min"}"#),
        ([#"{"code": "mmol/L"}"#], #"{"value": 100, "code": "mg/dL"}"#),
        ([#"{"code": "{cups}/d"}"#], #"{"value": 2, "code": "{glasses}/d"}"#),
        // A code of another code system is not a UCUM unit, and a quantity with a comparator is not a number.
        ([#"{"code": "kg"}"#], #"{"value": 2, "system": "urn:units", "code": "g"}"#),
        ([#"{"code": "kg"}"#], #"{"value": 2, "comparator": "<", "code": "kg"}"#),
        // It is not clear which of the two units is meant.
        ([#"{"code": "kg"}"#, #"{"code": "g"}"#], #"{"value": 2}"#),
    ])
    func `an amount without an exact value in a unit of the item is left out with a remark`(
        units: [String], quantity: String
    ) throws {
        let instrument = try read(units, quantity)

        let items = instrument.questionnaire.item
        #expect(items[0].maxValue == nil && items[0].initial == nil && items[1].enableWhen.isEmpty)
        #expect(
            Set(instrument.remarks.map(\.location)) == [
                "/item/0/extension/0", "/item/0/initial", "/item/1/enableWhen/0",
            ])
    }

    @Test func `with several units an answer keeps its unit, and a bound uses the first one`() throws {
        let instrument = try read(
            [#"{"code": "kg"}"#, #"{"code": "g"}"#], #"{"value": 500, "code": "g"}"#)

        let (asked, after) = (instrument.questionnaire.item[0], instrument.questionnaire.item[1])
        #expect(asked.maxValue == 0.5)
        #expect(after.enableWhen.map(\.answer) == [.quantity(Measure(value: 500, unit: "g"))])
    }

    @Test func `a bound of a number with one unit uses this unit`() throws {
        let text = #"""
            {"resourceType": "Questionnaire", "name": "units", "status": "draft", "item": [
             {"linkId": "a", "type": "decimal", "text": "A?", "extension": [
              {"url": "\#(Self.base)/questionnaire-unit", "valueCoding": {"code": "kg", "display": "kilograms"}},
              {"url": "\#(Self.capture)/sdc-questionnaire-minQuantity", "valueQuantity": {"value": 500, "code": "g"}},
              {"url": "\#(Self.capture)/sdc-questionnaire-maxQuantity", "valueQuantity": {"value": 2, "unit": "kilograms"}}]}]}
            """#
        let instrument = try #require(FHIRImport.read(Array(text.utf8), name: "units").first).get()

        let item = instrument.questionnaire.item[0]
        #expect((item.minValue, item.maxValue) == (0.5, 2))
        #expect(instrument.remarks.isEmpty)
    }
}
