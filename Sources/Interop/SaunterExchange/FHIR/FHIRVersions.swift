import SaunterCore

/// Converts parts of FHIR STU3 and R5 to R4.
enum FHIRVersions {
    /// The resource in R4:
    /// 1. The item types of R5 with options, such as `coding` with its `answerConstraint`, become `choice` or
    ///    `open-choice`.
    /// 2. `option`, `options`, `hasAnswer` and `initialBoolean` (and so on) of STU3 become `answerOption`,
    ///    `answerValueSet`, the operator `exists` and `initial`.
    static func asR4(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): return .array(elements.map(asR4))
        case .object(let object):
            var converted = JSONObject(object.map { .init(name: $0.name, value: asR4($0.value)) })
            guard object["linkId"] != nil, object["type"] != nil else { return .object(converted) }
            convertOptions(&converted)
            convertInitial(&converted)
            convertConditions(&converted)
            if let type = choiceType(converted) {
                converted["type"] = .string(type)
                converted["answerConstraint"] = nil
            }
            return .object(converted)
        default: return value
        }
    }

    /// The R4 type of an R5 item with options. Nil if the type stays the same: it is already a type of R4, or R4 has no
    /// equivalent. R4 has no item that allows options and other numbers, dates or times.
    private static func choiceType(_ item: JSONObject) -> String? {
        let constraint = item["answerConstraint"]?.string
        let isOpen = constraint == "optionsOrString" || constraint == "optionsOrType"
        switch item["type"]?.string {
        case "coding": break
        case "string" where item["answerOption"]?.array?.isEmpty == false: break
        case "integer", "date", "time":
            guard item["answerOption"]?.array?.isEmpty == false, constraint != "optionsOrType" else {
                return nil
            }
        default: return nil
        }
        return isOpen ? "open-choice" : "choice"
    }

    private static func convertOptions(_ item: inout JSONObject) {
        if item["answerOption"] == nil, let options = item["option"], options.array != nil {
            item["answerOption"] = options
            item["option"] = nil
        }
        if item["answerValueSet"] == nil, let reference = item["options"]?["reference"],
            reference.string != nil
        {
            item["answerValueSet"] = reference
            item["options"] = nil
        }
    }

    private static func convertInitial(_ item: inout JSONObject) {
        let prefix = "initial"
        guard item[prefix] == nil,
            let member = item.first(where: { $0.name.hasPrefix(prefix) && $0.name.count > prefix.count })
        else { return }
        let value = JSONObject([
            .init(name: "value" + member.name.dropFirst(prefix.count), value: member.value)
        ])
        item[member.name] = nil
        item[prefix] = [.object(value)]
    }

    /// In STU3 a condition has no operator, and one true condition is enough.
    private static func convertConditions(_ item: inout JSONObject) {
        let conditions = item["enableWhen"]?.array ?? []
        guard !conditions.isEmpty, conditions.allSatisfy({ $0.object != nil && $0["operator"] == nil }) else {
            return
        }
        item["enableWhen"] = .array(
            conditions.map { condition in
                var object = condition.object ?? JSONObject()
                if let hasAnswer = object["hasAnswer"] {
                    object["hasAnswer"] = nil
                    object["operator"] = "exists"
                    object["answerBoolean"] = hasAnswer
                } else {
                    object["operator"] = "="
                }
                return .object(object)
            })
        if conditions.count > 1, item["enableBehavior"] == nil { item["enableBehavior"] = "any" }
    }
}
