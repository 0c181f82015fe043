import SaunterCore
import SaunterPacks

/// Writes items in the format of FHIR R4. The types of items map to FHIR by their definition.
struct FHIRItemWriter {
    let questionnaire: Questionnaire
    let language: String
    let texts: QuestionnaireText
    /// How the items map to the source, and the preserved parts of the source.
    var mapping = FHIRSourceMapping()
    /// The texts in further languages, which are written as translations.
    var translations: [(language: String, texts: QuestionnaireText)] = []

    /// The items of a level. Items that a question contains in the source are placed under this question.
    func json(_ items: [Item]) -> JSON { json(items, under: nil) }

    private func json(_ items: [Item], under parent: Item?) -> JSON {
        let known = Set(items.map(\.linkId))
        func parentId(_ item: Item) -> String? {
            mapping.parentQuestions[item.linkId].flatMap {
                known.contains($0) && $0 != item.linkId ? $0 : nil
            }
        }
        return .array(
            items.filter { parentId($0) == parent?.linkId }.map { item -> JSON in
                var object = patched(item, under: parent)
                let children =
                    (json(item.item).array ?? [])
                    + (items.contains { parentId($0) == item.linkId }
                        ? json(items, under: item).array ?? [] : []) + supplements(of: item)
                if !children.isEmpty { object["item"] = .array(children) }
                return .object(object)
            })
    }

    /// An item without its children, as in the source.
    private func patched(_ item: Item, under parent: Item?) -> JSONObject {
        let object = resource(for: item, under: parent)
        let patched = FHIRPatch.apply(
            mapping.patches[item.linkId], to: .object(object), optionKeys: item.answerOption.map(\.value.text)
        )
        return patched.object ?? object
    }

    /// An item without its children, as Saunter writes it.
    /// - Parameter parent: the question that contains the item; nil if there is none. The conditions that the
    ///   item shares with this question are omitted, because FHIR implies them.
    func resource(for whole: Item, under parent: Item?) -> JSONObject {
        let item =
            parent.map {
                whole.removingConditions(of: $0, ConditionExpressionWriter(items: questionnaire.item))
            } ?? whole
        var object: JSONObject = [
            "linkId": .string(mapping.linkId(item.linkId)), "type": .string(item.type.fhir.rawValue),
        ]
        if let text = texts.items[item.linkId] { object["text"] = .string(text) }
        object["_text"] = translated(texts.items[item.linkId]) { $0.items[item.linkId] }
        let extensions = extensions(of: item)
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        if item.required { object["required"] = true }
        if item.repeats || item.type.form == .ranking { object["repeats"] = true }
        if item.readOnly { object["readOnly"] = true }
        if let maximum = item.maxLength { object["maxLength"] = .int(maximum) }
        if !item.answerOption.isEmpty {
            let chosen = item.initial?.chosenOptions ?? []
            object["answerOption"] = .array(
                item.answerOption.map { option($0, item, isInitial: chosen.contains($0.value)) })
        }
        let initial = item.initial?.values.compactMap { FHIRValue("value", $0) } ?? []
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

    /// The translations of a text that differ from it.
    func translated(_ text: String?, _ find: (QuestionnaireText) -> String?) -> JSON? {
        guard let text else { return nil }
        return Self.translations(
            translations.compactMap { language, other in
                find(other).flatMap { $0 == text ? nil : (language, $0) }
            })
    }

    /// Translations of a text as FHIR extensions; nil if there are none.
    static func translations(_ translations: [(language: String, text: String)]) -> JSON? {
        let list: [JSON] = translations.map { language, translation in
            [
                "extension": [
                    ["url": "lang", "valueCode": .string(language)],
                    ["url": "content", "valueString": .string(translation)],
                ],
                "url": .string("\(extensionBaseURL)/translation"),
            ]
        }
        return list.isEmpty ? nil : ["extension": .array(list)]
    }

    private func option(_ option: ResponseOption, _ item: Item, isInitial: Bool) -> JSON {
        let label = texts.options[item.linkId]?[option.value.text]
        var object = JSONObject()
        var extensions: [JSON] = []
        func add(_ url: String, _ member: String, _ value: JSON) {
            extensions.append(["url": .string(url), member: value])
        }
        if option.exclusive {
            add("\(Self.extensionBaseURL)/questionnaire-optionExclusive", "valueBoolean", true)
        }
        if let weight = option.weight {
            add("\(Self.extensionBaseURL)/ordinalValue", "valueDecimal", .double(weight))
        }
        // FHIR R4 has no conditions for options.
        for condition in option.enableWhen.compactMap(condition) {
            add(FHIRQuestionnaireReader.conditionURL, "valueString", .string(condition.text))
        }
        if let media = option.media {
            let text = texts.optionMedia[item.linkId]?[option.value.text]
            let attachment = attachment(media, alt: text) {
                $0.optionMedia[item.linkId]?[option.value.text]
            }
            add("\(Self.dataCaptureBaseURL)/sdc-questionnaire-itemAnswerMedia", "valueAttachment", attachment)
            add(FHIRQuestionnaireReader.mediaKindURL, "valueCode", .string(media.kind.rawValue))
        }
        if option.enableWhen.count > 1 {
            add(FHIRQuestionnaireReader.behaviorURL, "valueCode", .string(option.enableBehavior.rawValue))
        }
        let value = mapping.value(of: option.value, item.linkId, in: questionnaire)
        if value.name == "valueCoding", var coding = value.value.object {
            if case .integer(let number) = option.value, option.weight == nil {
                add("\(Self.extensionBaseURL)/ordinalValue", "valueDecimal", .int(number))
            }
            if let label { coding["display"] = .string(label) }
            coding["_display"] = translated(label) { $0.options[item.linkId]?[option.value.text] }
            object["valueCoding"] = .object(coding)
        } else {
            // A number has no display text in FHIR.
            if value.name == "valueInteger", let label, label != value.value.text {
                add(FHIRQuestionnaireReader.labelURL, "valueString", .string(label))
            }
            object[value.name] = value.value
        }
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        if isInitial { object["initialSelected"] = true }
        return .object(object)
    }

    private func condition(_ condition: Condition) -> JSON? {
        var value =
            condition.comparison == .exists
            ? FHIRValue(name: "answerBoolean", json: condition.answer.json)
            : FHIRValue("answer", condition.answer)
        if case .option(let option) = condition.answer {
            let original = mapping.value(of: option, condition.question, in: questionnaire)
            value = FHIRValue(name: "answer\(original.name.dropFirst(5))", json: original.value)
        }
        guard let value else { return nil }
        return .object(
            JSONObject([
                .init(name: "question", value: .string(mapping.linkId(condition.question))),
                .init(name: "operator", value: .string(condition.comparison.rawValue)), value.member,
            ]))
    }
}

extension FHIRItemWriter {
    /// The base URL of the extensions of FHIR.
    static let extensionBaseURL = "http://hl7.org/fhir/StructureDefinition"
    /// The code system of UCUM units.
    static let unitSystemURL = "http://unitsofmeasure.org"
    /// The base URL of the extensions of Structured Data Capture (SDC).
    static let dataCaptureBaseURL = "http://hl7.org/fhir/uv/sdc/StructureDefinition"
    /// The controls that are codes of `questionnaire-item-control`; others are codes of Saunter.
    private static let knownControls: Set<ItemControl> = [
        .radio, .dropDown, .slider, .table, .checkBox, .textBox, .spinner, .autocomplete,
    ]

    /// The properties of an item that are extensions in FHIR. Those without an equivalent in FHIR have URLs of Saunter.
    private func extensions(of item: Item) -> [JSON] {
        var list: [JSON] = []
        func add(_ name: String, _ member: String, _ value: JSON, base: String = Self.extensionBaseURL) {
            list.append(["url": .string("\(base)/\(name)"), member: value])
        }
        func addSaunterExtension(_ name: String, _ member: String, _ value: JSON) {
            list.append(["url": .string("urn:saunter:\(name)"), member: value])
        }
        if item.hidden { add("questionnaire-hidden", "valueBoolean", true) }
        if let control = item.itemControl {
            let system =
                Self.knownControls.contains(control)
                ? "http://hl7.org/fhir/questionnaire-item-control" : "urn:saunter:item-control"
            let coding: JSON = ["system": .string(system), "code": .string(control.rawValue)]
            add("questionnaire-itemControl", "valueCodeableConcept", ["coding": [coding]])
        }
        for (name, bound) in [("minValue", item.minValue), ("maxValue", item.maxValue)] {
            guard let bound, let value = Self.bound(bound, item) else { continue }
            if item.type.hasUnits {
                let quantity = name == "minValue" ? "minQuantity" : "maxQuantity"
                add(
                    "sdc-questionnaire-\(quantity)", value.member.name, value.member.value,
                    base: Self.dataCaptureBaseURL)
            } else {
                add(name, value.member.name, value.member.value)
            }
        }
        if let minimum = item.minLength { add("minLength", "valueInteger", .int(minimum)) }
        if let regex = item.regex { add("regex", "valueString", .string(regex)) }
        if let digits = item.maxDecimalPlaces { add("maxDecimalPlaces", "valueInteger", .int(digits)) }
        if let minimum = item.minOccurs { add("questionnaire-minOccurs", "valueInteger", .int(minimum)) }
        if let maximum = item.maxOccurs { add("questionnaire-maxOccurs", "valueInteger", .int(maximum)) }
        if let step = item.step {
            if Int32(exactly: step) != nil {
                add("questionnaire-sliderStepValue", "valueInteger", .double(step))
            } else {
                addSaunterExtension("step", "valueDecimal", .double(step))
            }
        }
        for unit in item.unitOption { add("questionnaire-unitOption", "valueCoding", Self.unit(unit)) }
        if let unit = item.unit { add("questionnaire-unit", "valueCoding", Self.unit(unit)) }
        if let media = item.media {
            let attachment = attachment(media, alt: texts.media[item.linkId]) { $0.media[item.linkId] }
            add("sdc-questionnaire-itemMedia", "valueAttachment", attachment, base: Self.dataCaptureBaseURL)
            addSaunterExtension("media-kind", "valueCode", .string(media.kind.rawValue))
        }
        if let placeholder = texts.placeholders[item.linkId] {
            var format: JSONObject = [
                "url": .string("\(Self.extensionBaseURL)/entryFormat"), "valueString": .string(placeholder),
            ]
            format["_valueString"] = translated(placeholder) { $0.placeholders[item.linkId] }
            list.append(.object(format))
        }
        if item.type.form == .location {
            addSaunterExtension("location-decimals", "valueInteger", .int(item.storedDecimals))
        }
        if let kind = item.dataKind { addSaunterExtension("data-kind", "valueCode", .string(kind)) }
        if item.shuffle { addSaunterExtension("shuffle", "valueBoolean", true) }
        if item.type.form == .ranking { addSaunterExtension("ranking", "valueBoolean", true) }
        if let expression = item.enableWhenExpression {
            addSaunterExtension("enable-when-expression", "valueString", .string(expression))
        }
        return list
    }

    /// The file of an item or an option, with its alternative text as title.
    private func attachment(
        _ media: Media, alt: String?, _ find: (QuestionnaireText) -> String?
    ) -> JSON {
        var attachment: JSONObject = ["url": .string(media.source)]
        if let alt { attachment["title"] = .string(alt) }
        attachment["_title"] = translated(alt, find)
        return .object(attachment)
    }

    private static func unit(_ code: String) -> JSON {
        ["system": .string(unitSystemURL), "code": .string(code)]
    }

    /// A bound as the value of an extension. FHIR integers have 32 bits.
    private static func bound(_ bound: Double, _ item: Item) -> FHIRValue? {
        if item.type.form == .moment {
            return item.type.answer(storedNumber: bound).flatMap { FHIRValue("value", $0) }
        }
        if item.type.hasUnits {
            return FHIRValue("value", .quantity(Measure(value: bound, unit: item.unitOption.first ?? "")))
        }
        let isInteger = item.type.definition.isWhole && Int32(exactly: bound) != nil
        return FHIRValue(name: isInteger ? "valueInteger" : "valueDecimal", json: .double(bound))
    }
}
