import SaunterCore
import SaunterPacks

/// Items of a questionnaire under FHIR R4. The one place that knows what each of our types and rules is called there.
struct FHIRItem {
    let questionnaire: Questionnaire
    let words: QuestionnaireText
    /// What it is called where it came from.
    var names = FHIRNames()
    /// The words of further languages, which are added as translations.
    var translations: [(language: String, words: QuestionnaireText)] = []

    /// The items of a level, with those that stand under a question at their place.
    func json(_ items: [Item]) -> JSON { json(items, under: nil) }

    private func json(_ items: [Item], under parent: Item?) -> JSON {
        let known = Set(items.map(\.linkId))
        func asked(_ item: Item) -> String? {
            names.under[item.linkId].flatMap { known.contains($0) && $0 != item.linkId ? $0 : nil }
        }
        return .array(
            items.filter { asked($0) == parent?.linkId }.map { item -> JSON in
                var object = patched(item, under: parent)
                let children =
                    (json(item.item).array ?? [])
                    + (items.contains { asked($0) == item.linkId }
                        ? json(items, under: item).array ?? [] : [])
                if !children.isEmpty { object["item"] = .array(children) }
                return .object(object)
            })
    }

    /// An item without its children, as it was where it came from.
    private func patched(_ item: Item, under parent: Item?) -> JSONObject {
        let object = own(item, under: parent)
        let patched = FHIRPatch.apply(
            names.patches[item.linkId], to: .object(object), optionKeys: item.answerOption.map(\.value.text))
        return patched.object ?? object
    }

    /// An item without its children, as we write it.
    /// - Parameter parent: the question that it stands under, whose conditions go without saying.
    func own(_ whole: Item, under parent: Item?) -> JSONObject {
        let item = parent.map { whole.without($0, ConditionWords(items: questionnaire.item)) } ?? whole
        var object: JSONObject = [
            "linkId": .string(names.linkId(item.linkId)), "type": .string(Self.type(item.type)),
        ]
        if let text = words.items[item.linkId] { object["text"] = .string(text) }
        object["_text"] = translated(words.items[item.linkId]) { $0.items[item.linkId] }
        let extensions = rules(item)
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        if item.required { object["required"] = true }
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
        return object
    }

    /// Translations of a text, where they differ from it.
    func translated(_ text: String?, _ words: (QuestionnaireText) -> String?) -> JSON? {
        guard let text else { return nil }
        let list: [JSON] = translations.compactMap { language, other -> JSON? in
            guard let there = words(other), there != text else { return nil }
            return [
                "extension": [
                    ["url": "lang", "valueCode": .string(language)],
                    ["url": "content", "valueString": .string(there)],
                ],
                "url": .string("\(Self.extensions)/translation"),
            ]
        }
        return list.isEmpty ? nil : ["extension": .array(list)]
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
        if option.exclusive { add("\(Self.extensions)/questionnaire-optionExclusive", "valueBoolean", true) }
        if let weight = option.weight {
            add("\(Self.extensions)/ordinalValue", "valueDecimal", .double(weight))
        }
        // FHIR R4 has no options that depend on an answer.
        for condition in option.enableWhen.compactMap(condition) {
            add(FHIRReading.conditionAddress, "valueString", .string(condition.text))
        }
        if option.enableWhen.count > 1 {
            add(FHIRReading.behaviorAddress, "valueCode", .string(option.enableBehavior.rawValue))
        }
        let there = names.codings[item.linkId]?[option.value.text]?.members.first
        switch option.value {
        case _ where there != nil && there?.name != "valueCoding":
            if let there {
                if there.name == "valueInteger", let label, label != there.value.text {
                    add(FHIRReading.labelAddress, "valueString", .string(label))
                }
                object[there.name] = there.value
            }
        case .integer(let number):
            // A number has no words in FHIR.
            if let label, label != String(number) {
                add(FHIRReading.labelAddress, "valueString", .string(label))
            }
            object["valueInteger"] = .int(number)
        case .code(let code):
            var coding = there?.value.object ?? ["code": .string(code)]
            if let label { coding["display"] = .string(label) }
            coding["_display"] = translated(label) { $0.options[item.linkId]?[code] }
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
        var value =
            condition.comparison == .exists
            ? FHIRValue(name: "answerBoolean", json: condition.answer.json)
            : asked.flatMap { FHIRValue("answer", condition.answer, $0) }
        if case .option(let option) = condition.answer,
            let there = names.codings[condition.question]?[option.text]?.members.first
        {
            value = FHIRValue(name: "answer\(there.name.dropFirst(5))", json: there.value)
        }
        guard let value else { return nil }
        return .object(
            JSONObject([
                .init(name: "question", value: .string(names.linkId(condition.question))),
                .init(name: "operator", value: .string(condition.comparison.rawValue)), value.member,
            ]))
    }
}

/// A published version of an instrument as a Questionnaire.
package enum FHIRQuestionnaire {
    /// Underscores, which FHIR's ids cannot have, become hyphens, which codes cannot have.
    package static func id(_ questionnaire: Questionnaire) -> String {
        "\(questionnaire.code.replacing("_", with: "-"))-\(questionnaire.version)"
    }

    /// The canonical address without its version; QuestionnaireResponses name it, too.
    package static func url(_ code: String) -> String { "urn:saunter:questionnaire:\(code)" }

    /// A published version, in English where there is any.
    package static func json(_ questionnaire: Questionnaire) -> JSONObject {
        let language = questionnaire.text["en"] == nil ? questionnaire.languages.first ?? "en" : "en"
        var object = head(questionnaire, language)
        object["item"] = FHIRItem(questionnaire: questionnaire, words: questionnaire.text(in: language))
            .json(questionnaire.item)
        return object
    }

    /// With its words in all languages, and what an import kept: the questionnaire as it was, but for what was changed
    /// since.
    package static func json(_ questionnaire: Questionnaire, kept: KeptMembers) -> JSONObject {
        let names = FHIRNames(kept)
        let head = JSON.object(wholeHead(questionnaire, names))
        var object = FHIRPatch.apply(names.root, to: head).object ?? JSONObject()
        object["item"] = items(questionnaire, names).json(questionnaire.item)
        return object
    }

    /// The first language's words, with the others as translations.
    static func items(_ questionnaire: Questionnaire, _ names: FHIRNames) -> FHIRItem {
        let language = questionnaire.languages.first ?? "en"
        return FHIRItem(
            questionnaire: questionnaire, words: questionnaire.text(in: language), names: names,
            translations: questionnaire.languages.dropFirst().map { ($0, questionnaire.text(in: $0)) })
    }

    /// Everything but the items, with the title in all languages.
    static func wholeHead(_ questionnaire: Questionnaire, _ names: FHIRNames = FHIRNames()) -> JSONObject {
        var object = head(questionnaire, questionnaire.languages.first ?? "en", names)
        object["_title"] = items(questionnaire, names).translated(object["title"]?.string) { $0.title }
        return object
    }

    /// Everything but the items.
    static func head(
        _ questionnaire: Questionnaire, _ language: String, _ names: FHIRNames = FHIRNames()
    ) -> JSONObject {
        let words = questionnaire.text(in: language)
        var object: JSONObject = [
            "resourceType": "Questionnaire", "id": .string(id(questionnaire)), "language": .string(language),
            "url": .string(url(questionnaire.code)), "version": .string(questionnaire.version),
            "name": .string(questionnaire.code), "title": .string(words.title), "status": "active",
            "subjectType": ["Patient"],
        ]
        if let description = words.description { object["description"] = .string(description) }
        if let copyright = questionnaire.copyright { object["copyright"] = .string(copyright) }
        let extensions =
            questionnaire.constraint.map { json($0, words) }
            + FHIRScores(questionnaire: questionnaire, names: names).variables
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        return object
    }

    /// FHIR's own constraints are of FHIRPath, which ours are not; those that came so are kept beside.
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
