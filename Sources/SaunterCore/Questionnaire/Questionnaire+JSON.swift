extension Questionnaire {
    /// The JSON for a participant's client: the structure under its FHIR R4 names, with the texts of one language. If
    /// the language is missing, the fallback language is used. Weights and scoring are not included.
    package func json(language: String) -> JSON {
        let shown = text[language] == nil ? languages.first ?? language : language
        let texts = text(in: shown)
        var object = head
        object.add("title", .string(texts.title))
        object.add("description", texts.description.map(JSON.string))
        object.add("language", .string(shown))
        object.add("languages", .array(languages.map(JSON.string)))
        object.add("minutes", .double(minutes))
        object.add("copyright", copyright.map(JSON.string))
        object.add("license", license.map(JSON.string))
        object.add("edit", edit.json)
        addConstraints(to: &object, texts: texts)
        object.add("item", .array(item.map { $0.json(text: texts) }))
        return .object(object)
    }

    /// The archive form: the complete version in all languages, with weights and scoring.
    package func json() -> JSON {
        var object = head
        object.add("languages", .array(languages.map(JSON.string)))
        object.add("minutes", .double(minutes))
        object.add("copyright", copyright.map(JSON.string))
        object.add("license", license.map(JSON.string))
        object.add("edit", edit.json)
        addConstraints(to: &object, texts: nil)
        object.add("item", .array(item.map { $0.json(text: nil) }))
        object.add("scoring", scoring?.json)
        object.add("text", .object(JSONObject(sorting: text) { $0.json }))
        return .object(object)
    }

    /// The SHA-256 of the archive form. The order of its members does not change the digest.
    package var digest: String { json().digest }

    /// Adds `constraint`. It is omitted if there are no constraints, so that the digests of older versions do not
    /// change.
    private func addConstraints(to object: inout JSONObject, texts: QuestionnaireText?) {
        guard !constraint.isEmpty else { return }
        object.add(
            "constraint",
            .array(
                constraint.map { constraint in
                    texts.map { constraint.json(texts: $0) } ?? constraint.json()
                }))
    }

    private var head: JSONObject { ["code": .string(code), "version": .string(version)] }
}

extension Constraint {
    /// The archive form.
    fileprivate func json() -> JSON { .object(members) }

    /// The form for a participant's client, with the message and the checked expression as a tree.
    fileprivate func json(texts: QuestionnaireText) -> JSON {
        var object = members
        object.add("human", texts.constraints[key].map(JSON.string))
        object.add("rule", Expression(ifValid: expression)?.tree)
        return .object(object)
    }

    private var members: JSONObject {
        var object: JSONObject = ["key": .string(key), "severity": .string(severity.rawValue)]
        object.add("expression", .string(expression))
        object.add("item", item.map(JSON.string))
        return object
    }
}

extension EditPolicy {
    /// The JSON form. A limit is `correct_within_s` or `correct_always`. If both are absent, the edit is not possible.
    /// The same applies to `delete_within_s` and `delete_always`. `deletion` is only included if it is `purge`.
    package var json: JSON {
        var object = JSONObject()
        for (name, limit) in [("correct", correctWithin), ("delete", deleteWithin)] {
            switch limit {
            case .never: break
            case .within(let seconds): object.add("\(name)_within_s", .int(seconds))
            case .always: object.add("\(name)_always", true)
            }
        }
        if deletion != .keep { object.add("deletion", .string(deletion.rawValue)) }
        return .object(object)
    }
}

extension QuestionnaireText {
    fileprivate var json: JSON {
        var object: JSONObject = ["title": .string(title)]
        object.add("description", description.map(JSON.string))
        object.add("items", .object(JSONObject(sorting: items, JSON.string)))
        object.add(
            "options", .object(JSONObject(sorting: options) { .object(JSONObject(sorting: $0, JSON.string)) })
        )
        object.add("scales", .object(JSONObject(sorting: scales, JSON.string)))
        object.add(
            "bands", .object(JSONObject(sorting: bands) { .object(JSONObject(sorting: $0, JSON.string)) }))
        if !constraints.isEmpty {
            object.add("constraints", .object(JSONObject(sorting: constraints, JSON.string)))
        }
        if !media.isEmpty { object.add("media", .object(JSONObject(sorting: media, JSON.string))) }
        if !help.isEmpty { object.add("help", .object(JSONObject(sorting: help, JSON.string))) }
        if !anchors.isEmpty {
            object.add(
                "anchors",
                .object(JSONObject(sorting: anchors) { .object(JSONObject(sorting: $0, JSON.string)) }))
        }
        if !optionMedia.isEmpty {
            object.add(
                "option_media",
                .object(JSONObject(sorting: optionMedia) { .object(JSONObject(sorting: $0, JSON.string)) }))
        }
        if !placeholders.isEmpty {
            object.add("placeholders", .object(JSONObject(sorting: placeholders, JSON.string)))
        }
        return .object(object)
    }
}

extension Item {
    /// The item under its FHIR R4 names, with its children.
    /// - Parameter text: the texts to include; nil for the archive form, which has weights and no texts.
    func json(text: QuestionnaireText?) -> JSON {
        var object: JSONObject = ["linkId": .string(linkId), "type": .string(type.rawValue)]
        if let text {
            object.add("text", text.items[linkId].map { .string($0) })
            object.add("help", text.help[linkId].map { .string($0) })
            object.add("placeholder", text.placeholders[linkId].map { .string($0) })
            object.add(
                "anchors", text.anchors[linkId].map { .object(JSONObject(sorting: $0, JSON.string)) })
        }
        object.add("required", .bool(required))
        if repeats { object.add("repeats", true) }
        if readOnly { object.add("readOnly", true) }
        if hidden { object.add("hidden", true) }
        if !answerOption.isEmpty {
            object.add(
                "answerOption",
                .array(answerOption.map { $0.json(of: linkId, text: text) }))
        }
        object.add("minValue", minValue.map(boundJSON))
        object.add("maxValue", maxValue.map(boundJSON))
        object.add("minLength", minLength.map(JSON.int))
        object.add("maxLength", maxLength.map(JSON.int))
        object.add("regex", regex.map(JSON.string))
        object.add("minOccurs", minOccurs.map(JSON.int))
        object.add("maxOccurs", maxOccurs.map(JSON.int))
        object.add("maxDecimalPlaces", maxDecimalPlaces.map(JSON.int))
        object.add("decimals", type.form == .location ? .int(storedDecimals) : decimals.map(JSON.int))
        object.add("data_kind", dataKind.map(JSON.string))
        object.add("step", step.map(JSON.double))
        object.add("unit", unit.map(JSON.string))
        if !unitOption.isEmpty { object.add("unitOption", .array(unitOption.map(JSON.string))) }
        if shuffle { object.add("shuffle", true) }
        object.add("media", media.map { $0.json(alt: text?.media[linkId]) })
        object.add("itemControl", itemControl.map { .string($0.rawValue) })
        object.add("initial", initial?.json)
        if !enableWhen.isEmpty {
            object.add("enableWhen", .array(enableWhen.map(\.json)))
            object.add("enableBehavior", .string(enableBehavior.rawValue))
        }
        object.add("enableWhenExpression", enableWhenExpression.map(JSON.string))
        if text != nil {
            object.add("enableWhenRule", enableWhenExpression.flatMap { Expression(ifValid: $0) }?.tree)
        }
        if !item.isEmpty { object.add("item", .array(item.map { $0.json(text: text) })) }
        return .object(object)
    }
}

extension ResponseOption {
    /// - Parameter text: the texts to include; nil for the archive form, which has weights and no texts.
    fileprivate func json(of linkId: String, text: QuestionnaireText?) -> JSON {
        var object: JSONObject = ["value": value.json]
        if let text {
            object.add("label", text.options[linkId]?[value.text].map { .string($0) })
        } else {
            object.add("weight", weight.map(JSON.double))
        }
        if exclusive { object.add("exclusive", true) }
        if !enableWhen.isEmpty {
            object.add("enableWhen", .array(enableWhen.map(\.json)))
            object.add("enableBehavior", .string(enableBehavior.rawValue))
        }
        object.add("media", media.map { $0.json(alt: text?.optionMedia[linkId]?[value.text]) })
        return .object(object)
    }
}

extension Media {
    fileprivate func json(alt: String?) -> JSON {
        var object: JSONObject = ["type": .string(kind.rawValue), "source": .string(source)]
        object.add("alt", alt.map(JSON.string))
        return .object(object)
    }
}

extension Condition {
    fileprivate var json: JSON {
        ["question": .string(question), "operator": .string(comparison.rawValue), "answer": answer.json]
    }
}

extension JSON {
    /// The type of an item in its published form. It is `display` for any other value.
    package var itemType: ItemType { self["type"]?.string.flatMap { ItemType(rawValue: $0) } ?? .display }
}
