import SaunterCore

/// FHIR Questionnaires with the features of published ones.
enum FHIRFixtures {
    /// All primitive types, options with weights and code systems, conditions, bounds, translations, an item under a
    /// question, an attachment, and parts that Saunter does not support.
    static let everything = #"""
        {"resourceType": "Questionnaire", "id": "walk-check", "url": "https://example.org/walk-check", "version": "2.1",
         "name": "WalkCheck", "title": "Walking, briefly", "status": "draft", "language": "en", "copyright": "Nobody's",
         "code": [{"system": "http://loinc.org", "code": "00000-0"}],
         "extension": [{"url": "https://example.org/owner", "valueString": "the walkers"}],
         "contained": [{"resourceType": "ValueSet", "id": "shoes", "compose": {"include": [
            {"system": "urn:shoes", "concept": [{"code": "BOOT", "display": "Boots"}, {"code": "BARE", "display": "None"}]}]}}],
         "item": [
          {"linkId": "/about", "type": "group", "text": "About you", "item": [
           {"linkId": "/about/1", "prefix": "1.", "type": "choice", "text": "How far?", "required": true,
            "_text": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [
              {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Wie weit?"}]}]},
            "extension": [
             {"url": "https://example.org/colour", "valueCode": "red"},
             {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl", "valueCodeableConcept":
               {"coding": [{"system": "http://hl7.org/fhir/questionnaire-item-control", "code": "radio-button",
                 "display": "Radio"}]}}],
            "answerOption": [
             {"valueCoding": {"system": "urn:far", "code": "LA-1", "display": "Near", "extension": [
               {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 1}]}},
             {"valueCoding": {"system": "urn:far", "code": "LA-2", "display": "Far", "extension": [
               {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 2.50}]},
              "initialSelected": true}]},
           {"linkId": "/about/2", "type": "decimal", "text": "How many?", "enableWhen": [
             {"question": "/about/1", "operator": "=", "answerCoding": {"system": "urn:far", "code": "LA-2"}}],
            "extension": [
             {"url": "http://hl7.org/fhir/StructureDefinition/minValue", "valueDecimal": 0.5},
             {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
              "valueCoding": {"system": "http://unitsofmeasure.org", "code": "km", "display": "kilometres"}}],
            "item": [{"linkId": "/about/2/help", "type": "display", "text": "A guess will do."}]},
           {"linkId": "/about/3", "type": "choice", "repeats": true, "text": "Which shoes?", "answerValueSet": "#shoes"}]},
          {"linkId": "9", "type": "boolean", "text": "Alone?", "initial": [{"valueBoolean": false}]},
          {"linkId": "10", "type": "attachment", "text": "A picture", "required": true},
          {"linkId": "11", "type": "choice", "text": "Where?", "answerValueSet": "https://example.org/places"},
          {"linkId": "12", "type": "string", "text": "Why?", "maxLength": 40, "enableWhen": [
            {"question": "99", "operator": "exists", "answerBoolean": true}]},
          {"linkId": "13", "type": "quantity", "text": "Weight of the bag", "required": false},
          {"linkId": "14", "type": "open-choice", "text": "Weather", "answerOption": [
            {"valueString": "Sun & wind"}, {"valueString": "Rain: \"much\""}]}]}
        """#

    static func json(_ text: String) -> JSON? { try? JSONReader.read(text) }
}

/// Generates random questionnaires, valid and invalid; the same seed produces the same ones.
struct FHIRMaker {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    private mutating func below(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % limit
    }

    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func questionnaire() -> JSON {
        var object: JSONObject = [
            "resourceType": "Questionnaire", "status": .string(pick(["draft", "active"])),
        ]
        if chance(70) {
            object["title"] = .string(pick(["A & B", "Über uns: 1", "true", "# no comment", "x\ny"]))
        }
        if chance(50) { object["version"] = .string(pick(["1", "2.0", "1.2.3", "next", "20240101"])) }
        if chance(30) { object["language"] = .string(pick(["de", "en-US", "pt-BR", "English"])) }
        if chance(30) { object["extension"] = extensions() }
        var linkIds: [String] = []
        object["item"] = .array((0...below(6)).map { _ in item(depth: 1, &linkIds) })
        return .object(object)
    }

    private mutating func extensions() -> JSON {
        let base = "http://hl7.org/fhir/StructureDefinition"
        let known: [JSON] = [
            ["url": .string("\(base)/minValue"), "valueInteger": .int(below(9))],
            ["url": .string("\(base)/maxValue"), "valueDecimal": 12.5],
            ["url": .string("\(base)/regex"), "valueString": .string(pick(["[a-z]+", "(?=x)", "\\d{2}"]))],
            ["url": .string("\(base)/questionnaire-hidden"), "valueBoolean": .bool(chance(50))],
            ["url": "https://example.org/x", "valueString": "&anchor *alias !tag"],
            ["url": .string("\(base)/maxDecimalPlaces"), "valueInteger": .int(below(30))],
            [
                "url": .string("\(base)/questionnaire-unit"),
                "valueCoding": [
                    "system": "http://unitsofmeasure.org", "code": .string(pick(["kg", "/min"])),
                ],
            ],
        ]
        return .array((0...below(3)).map { _ in pick(known) })
    }

    private mutating func item(depth: Int, _ linkIds: inout [String]) -> JSON {
        let types = [
            "group", "display", "boolean", "integer", "decimal", "string", "text", "date", "dateTime", "time",
            "choice",
            "open-choice", "quantity", "url", "attachment", "reference",
        ]
        let type = pick(types)
        let linkId = pick([
            "1.\(linkIds.count)", "/\(linkIds.count)-x", "q\(linkIds.count)",
            "A very long linkId of many words \(linkIds.count)",
        ])
        var object: JSONObject = ["linkId": .string(linkId), "type": .string(type)]
        if chance(85) {
            object["text"] = .string(pick(["How?", "\u{2028}odd\u{7}", "Wie geht's: \"gut\"?", "- 1", "{}"]))
        }
        if chance(20) { object["required"] = .bool(chance(50)) }
        if chance(20) { object["repeats"] = true }
        if chance(20) { object["maxLength"] = .int(below(300)) }
        if chance(40) { object["extension"] = extensions() }
        if type.hasSuffix("choice"), chance(85) {
            object["answerOption"] = .array(
                (0...below(5)).map { index in
                    var coding: JSONObject = [
                        "code": .string(pick(["LA\(index)-3", "c\(index)", "same", "\(index)"]))
                    ]
                    if chance(60) { coding["display"] = .string(pick(["Yes", "No", "Maybe"])) }
                    if chance(40) { coding["system"] = "urn:s" }
                    if chance(15) { return ["valueInteger": .int(index)] }
                    return ["valueCoding": .object(coding)]
                })
        }
        if !linkIds.isEmpty, chance(35) {
            object["enableWhen"] = .array(
                (0...below(2)).map { _ in
                    let value: (String, JSON) = pick([
                        ("answerBoolean", true), ("answerInteger", 1), ("answerCoding", ["code": "c1"]),
                        ("answerString", "Yes"), ("answerDecimal", 0.5),
                    ])
                    var condition: JSONObject = [
                        "question": .string(pick(linkIds)),
                        "operator": .string(pick(["=", "exists", ">", "!="])),
                    ]
                    condition[value.0] = value.1
                    return .object(condition)
                })
            if chance(50) { object["enableBehavior"] = .string(pick(["any", "all"])) }
        }
        linkIds.append(linkId)
        if type == "group" && chance(85) || chance(10), depth < 4 {
            object["item"] = .array((0...below(3)).map { _ in item(depth: depth + 1, &linkIds) })
        }
        return .object(object)
    }
}
