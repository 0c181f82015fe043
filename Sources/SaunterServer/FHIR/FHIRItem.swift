import SaunterCore

/// Items of a questionnaire under FHIR R4. The one place that knows what each of our types and rules is called there.
struct FHIRItem {
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
        if item.repeats || item.type == .ranking { object["repeats"] = true }
        if item.readOnly { object["readOnly"] = true }
        if let most = item.maxLength { object["maxLength"] = .int(most) }
        if !item.answerOption.isEmpty {
            let chosen = item.initial?.chosenOptions ?? []
            object["answerOption"] = .array(
                item.answerOption.map { option($0, item, isInitial: chosen.contains($0.value)) })
        }
        let initial = item.initial?.values.compactMap { FHIRValue("value", $0, item) } ?? []
        if !initial.isEmpty, item.answerOption.isEmpty {
            object["initial"] = .array(initial.map { .object(JSONObject([$0.member])) })
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
    static func type(_ type: ItemType) -> String {
        type == .ranking ? ItemType.choice.rawValue : type.rawValue
    }

    private func option(_ option: ResponseOption, _ item: Item, isInitial: Bool) -> JSON {
        let label = words.options[item.linkId]?[option.value.text]
        var object = JSONObject()
        var extensions: [JSON] = []
        func add(_ url: String, _ member: String, _ value: JSON) {
            extensions.append(["url": .string(url), member: value])
        }
        if option.exclusive { add("\(FHIR.extensions)/questionnaire-optionExclusive", "valueBoolean", true) }
        if let weight = option.weight {
            add("\(FHIR.extensions)/ordinalValue", "valueDecimal", .double(weight))
        }
        // FHIR R4 has no options that depend on an answer.
        for condition in option.enableWhen.compactMap(condition) {
            add("urn:saunter:option-enable-when", "valueString", .string(condition.text))
        }
        if option.enableWhen.count > 1 {
            add("urn:saunter:option-enable-behavior", "valueCode", .string(option.enableBehavior.rawValue))
        }
        switch option.value {
        case .integer(let number):
            // A number has no words in FHIR.
            if let label { add("urn:saunter:option-label", "valueString", .string(label)) }
            object["valueInteger"] = .int(number)
        case .code(let code):
            var coding: JSONObject = ["code": .string(code)]
            if let label { coding["display"] = .string(label) }
            object["valueCoding"] = .object(coding)
        }
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        if isInitial { object["initialSelected"] = true }
        return .object(object)
    }

    private func condition(_ condition: Condition) -> JSON? {
        let asked =
            questionnaire.questions.first { $0.linkId == condition.question }
            ?? questionnaire.repeatedQuestions.first { $0.item.linkId == condition.question }?.item
        let value =
            condition.comparison == .exists
            ? FHIRValue(name: "answerBoolean", json: condition.answer.json)
            : asked.flatMap { FHIRValue("answer", condition.answer, $0) }
        guard let value else { return nil }
        return .object(
            JSONObject([
                .init(name: "question", value: .string(condition.question)),
                .init(name: "operator", value: .string(condition.comparison.rawValue)), value.member,
            ]))
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
        if !questionnaire.constraint.isEmpty {
            object["extension"] = .array(questionnaire.constraint.map { json($0, words) })
        }
        object["item"] = FHIRItem(questionnaire: questionnaire, words: words).json(questionnaire.item)
        return object
    }

    /// FHIR's own constraints are of FHIRPath, which ours are not.
    private static func json(_ constraint: Constraint, _ words: QuestionnaireText) -> JSON {
        var parts: [JSON] = [
            ["url": "key", "valueId": .string(constraint.key.replacing("_", with: "-"))],
            ["url": "severity", "valueCode": .string(constraint.severity.rawValue)],
            ["url": "expression", "valueString": .string(constraint.expression)],
        ]
        if let human = words.constraints[constraint.key] {
            parts.append(["url": "human", "valueString": .string(human)])
        }
        if let item = constraint.item { parts.append(["url": "item", "valueString": .string(item)]) }
        return ["url": "urn:saunter:constraint", "extension": .array(parts)]
    }
}
