import SaunterCore

/// Items of a questionnaire under FHIR R4. The one place that knows what each of our types and rules is called there.
struct FHIRItem {
    private static let extensions = "http://hl7.org/fhir/StructureDefinition"

    let questionnaire: Questionnaire
    let words: QuestionnaireText

    /// The items of a level.
    func json(_ items: [Item]) -> JSON { .array(items.map(json)) }

    private func json(_ item: Item) -> JSON {
        var object: JSONObject = ["linkId": .string(item.linkId), "type": .string(Self.type(item.type))]
        if let text = words.items[item.linkId] { object["text"] = .string(text) }
        let extensions = rules(item)
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        if item.type != .display { object["required"] = .bool(item.required) }
        if item.repeats { object["repeats"] = true }
        if item.readOnly { object["readOnly"] = true }
        if let most = item.maxLength { object["maxLength"] = .int(most) }
        if !item.answerOption.isEmpty {
            object["answerOption"] = .array(item.answerOption.map { option($0, item) })
        }
        if let initial = item.initial, item.answerOption.isEmpty,
            let value = Self.value("value", initial, item)
        {
            object["initial"] = .array([.object(JSONObject([.init(name: value.name, value: value.value)]))])
        }
        let conditions = item.enableWhen.compactMap(condition)
        if !conditions.isEmpty {
            object["enableWhen"] = .array(conditions)
            if conditions.count > 1 { object["enableBehavior"] = .string(item.enableBehavior.rawValue) }
        }
        if !item.item.isEmpty { object["item"] = json(item.item) }
        return .object(object)
    }

    /// FHIR's word; where it has none, the nearest that takes the same answers.
    static func type(_ type: ItemType) -> String { type.rawValue }

    private func rules(_ item: Item) -> [JSON] {
        var list: [JSON] = []
        func add(_ name: String, _ member: String, _ value: JSON) {
            list.append(["url": .string("\(Self.extensions)/\(name)"), member: value])
        }
        if item.hidden { add("questionnaire-hidden", "valueBoolean", true) }
        if let control = item.itemControl {
            add(
                "questionnaire-itemControl", "valueCodeableConcept",
                [
                    "coding": [
                        [
                            "system": "http://hl7.org/fhir/questionnaire-item-control",
                            "code": .string(control.rawValue),
                        ]
                    ]
                ])
        }
        let isInteger = item.type == .integer
        for (name, bound) in [("minValue", item.minValue), ("maxValue", item.maxValue)] {
            guard let bound else { continue }
            let fits = isInteger && Int32(exactly: bound) != nil
            add(name, fits ? "valueInteger" : "valueDecimal", .double(bound))
        }
        if let least = item.minLength { add("minLength", "valueInteger", .int(least)) }
        if let places = item.maxDecimalPlaces { add("maxDecimalPlaces", "valueInteger", .int(places)) }
        if let unit = item.unit {
            add(
                "questionnaire-unit", "valueCoding",
                ["system": "http://unitsofmeasure.org", "code": .string(unit)])
        }
        return list
    }

    private func option(_ option: ResponseOption, _ item: Item) -> JSON {
        let label = words.options[item.linkId]?[option.value.text]
        var object = JSONObject()
        var extensions: [JSON] = []
        if option.exclusive {
            extensions.append([
                "url": .string("\(Self.extensions)/questionnaire-optionExclusive"), "valueBoolean": true,
            ])
        }
        switch option.value {
        case .integer(let number):
            // A number has no words in FHIR.
            if let label {
                extensions.append(["url": "urn:saunter:option-label", "valueString": .string(label)])
            }
            object["valueInteger"] = .int(number)
        case .code(let code):
            var coding: JSONObject = ["code": .string(code)]
            if let label { coding["display"] = .string(label) }
            object["valueCoding"] = .object(coding)
        }
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        return .object(object)
    }

    private func condition(_ condition: Condition) -> JSON? {
        let asked = questionnaire.questions.first { $0.linkId == condition.question }
        let isExists = condition.comparison == .exists
        guard
            let value = isExists
                ? ("answerBoolean", condition.answer.json) : Self.value("answer", condition.answer, asked)
        else { return nil }
        return .object(
            JSONObject([
                .init(name: "question", value: .string(condition.question)),
                .init(name: "operator", value: .string(condition.comparison.rawValue)),
                .init(name: value.name, value: value.value),
            ]))
    }

    /// An answer under the name that its type has, such as `answerInteger`.
    private static func value(_ prefix: String, _ answer: Answer, _ item: Item?) -> (
        name: String, value: JSON
    )? {
        let json = answer.json
        switch item?.type {
        case .boolean: return ("\(prefix)Boolean", json)
        case .integer: return ("\(prefix)Integer", json)
        case .decimal: return ("\(prefix)Decimal", json)
        case .date: return ("\(prefix)Date", json)
        case .dateTime: return ("\(prefix)DateTime", json)
        case .time: return ("\(prefix)Time", json)
        case .string, .text: return ("\(prefix)String", json)
        case .choice:
            if let code = json.string { return ("\(prefix)Coding", ["code": .string(code)]) }
            return json.int == nil ? nil : ("\(prefix)Integer", json)
        case .group, .display, nil: return nil
        }
    }
}

/// A published version of an instrument as a Questionnaire.
enum FHIRQuestionnaire {
    /// Underscores, which FHIR's ids cannot have, become hyphens, which codes cannot have.
    static func id(_ questionnaire: Questionnaire) -> String {
        "\(questionnaire.code.replacing("_", with: "-"))-\(questionnaire.version)"
    }

    /// The canonical address without its version; QuestionnaireResponses name it, too.
    static func url(_ code: String) -> String { "urn:saunter:questionnaire:\(code)" }

    static func json(_ questionnaire: Questionnaire) -> JSONObject {
        let language = questionnaire.text["en"] == nil ? questionnaire.languages.first ?? "en" : "en"
        let words = questionnaire.text(in: language)
        var object: JSONObject = [
            "resourceType": "Questionnaire", "id": .string(id(questionnaire)), "language": .string(language),
            "url": .string(url(questionnaire.code)), "version": .string(questionnaire.version),
            "name": .string(questionnaire.code), "title": .string(words.title), "status": "active",
            "subjectType": ["Patient"],
        ]
        if let description = words.description { object["description"] = .string(description) }
        if let copyright = questionnaire.copyright { object["copyright"] = .string(copyright) }
        object["item"] = FHIRItem(questionnaire: questionnaire, words: words).json(questionnaire.item)
        return object
    }
}
