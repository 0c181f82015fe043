import SaunterCore

/// The answers of one sheet with the words of its questionnaire.
struct EntryAnswers {
    /// The words of the version, in the language in which the participant read them.
    let text: QuestionnaireText

    /// The answered questions in their order. The questions of a repeating group appear once for each instance.
    /// - Parameters:
    ///   - answers: linkId -> value, as in an answer sheet.
    ///   - instance: the number of the instance that contains the items; nil outside of repeating groups.
    func list(_ answers: JSONObject, of items: [Item], instance: Int?) -> [JSON] {
        items.filter { !$0.hidden }.flatMap { item -> [JSON] in
            if item.isRepeatingGroup {
                return (answers[item.linkId]?.array ?? []).enumerated().flatMap { index, inner in
                    list(inner.object ?? [:], of: item.item, instance: index + 1)
                }
            }
            var found: [JSON] = []
            if item.type.isQuestion, let value = answers[item.linkId] {
                found.append([
                    "link_id": .string(item.linkId), "instance": .optional(instance, JSON.int),
                    "text": .string(text.items[item.linkId] ?? item.linkId),
                    "type": .string(item.type.rawValue), "value": value,
                    "display": .optional(display(value, of: item), JSON.string),
                ])
            }
            return found + list(answers, of: item.item, instance: instance)
        }
    }

    /// An answer in words; nil if its form depends on the language of the reader.
    func display(_ value: JSON, of item: Item) -> String? {
        let elements = value["values"]?.array ?? value.array
        guard let elements else { return single(value, of: item) }
        let words = elements.map { single($0["value"] ?? $0, of: item) }
        return words.contains(nil) ? nil : words.compactMap { $0 }.joined(separator: ", ")
    }

    private func single(_ value: JSON, of item: Item) -> String? {
        if let other = value["other"]?.string { return other }
        if item.type.hasOptions {
            guard let code = scalar(value) else { return nil }
            return text.options[item.linkId]?[code] ?? code
        }
        if let unit = value["unit"]?.string, let number = value["value"].flatMap(scalar) {
            return "\(number) \(unit)"
        }
        guard let number = scalar(value) else { return nil }
        guard let unit = item.unit, item.type == .integer || item.type == .decimal else { return number }
        return "\(number) \(unit)"
    }

    /// The text of a string or number; nil for anything else.
    private func scalar(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .number: value.text
        case .null, .bool, .array, .object: nil
        }
    }
}
