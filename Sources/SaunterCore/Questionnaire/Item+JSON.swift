extension Item {
    /// The item under its FHIR R4 names, children included.
    /// - Parameters:
    ///   - text: the words to show; nil writes the archive form, which holds weights and no words.
    func json(text: QuestionnaireText?) -> JSON {
        var object: JSONObject = ["linkId": .string(linkId), "type": .string(type.rawValue)]
        if let text { object.add("text", text.items[linkId].map { .string($0) }) }
        object.add("required", .bool(required))
        if repeats { object.add("repeats", true) }
        if readOnly { object.add("readOnly", true) }
        if hidden { object.add("hidden", true) }
        if !answerOption.isEmpty {
            object.add(
                "answerOption",
                .array(answerOption.map { $0.json(labels: text.map { $0.options[linkId] ?? [:] }) }))
        }
        object.add("minValue", minValue.map(boundJSON))
        object.add("maxValue", maxValue.map(boundJSON))
        object.add("minLength", minLength.map(JSON.int))
        object.add("maxLength", maxLength.map(JSON.int))
        object.add("regex", regex.map(JSON.string))
        object.add("minOccurs", minOccurs.map(JSON.int))
        object.add("maxOccurs", maxOccurs.map(JSON.int))
        object.add("maxDecimalPlaces", maxDecimalPlaces.map(JSON.int))
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
        if !item.isEmpty { object.add("item", .array(item.map { $0.json(text: text) })) }
        return .object(object)
    }
}

extension ResponseOption {
    /// - Parameter labels: option value as text -> label; nil writes the archive form, with the weight and no
    ///   label.
    fileprivate func json(labels: [String: String]?) -> JSON {
        var object: JSONObject = ["value": value.json]
        if let labels {
            object.add("label", labels[value.text].map { .string($0) })
        } else {
            object.add("weight", weight.map(JSON.double))
        }
        if exclusive { object.add("exclusive", true) }
        if !enableWhen.isEmpty {
            object.add("enableWhen", .array(enableWhen.map(\.json)))
            object.add("enableBehavior", .string(enableBehavior.rawValue))
        }
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
