import SaunterCore

/// The faults of a sheet in words, at the questions that they concern.
struct FaultTexts {
    private let words: Words.Language
    private let items: [String: JSON]

    init(_ items: [JSON], words: Words.Language) {
        self.words = words
        var byName: [String: JSON] = [:]
        func collect(_ items: [JSON]) {
            for item in items {
                if let linkId = item["linkId"]?.string { byName[linkId] = item }
                collect(item["item"]?.array ?? [])
            }
        }
        collect(items)
        self.items = byName
    }

    /// Pointer below `/answers` -> sentence.
    func byPointer(_ faults: [Fault]) -> [String: String] {
        var texts: [String: String] = [:]
        for fault in faults {
            guard let path = path(fault) else { continue }
            texts[path] = [texts[path], text(fault)].compactMap(\.self).joined(separator: " ")
        }
        return texts
    }

    /// For the template `errors`.
    func summary(_ faults: [Fault]) -> [[String: Any]] {
        faults.map { fault in
            guard let path = path(fault), let item = items[Self.linkId(path)] else {
                return ["text": text(fault)]
            }
            let name = path.dropFirst().replacing("/", with: "-")
            return ["text": "\(item["text"]?.string ?? ""): \(text(fault))", "field": "q-\(name)"]
        }
    }

    /// The part of the pointer that names the item: `/mood`, `/meals/0/what`.
    private func path(_ fault: Fault) -> String? {
        let parts = fault.pointer.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[0] == "answers" || parts[0] == "reasons" else { return nil }
        if parts.count >= 4, items[parts[1]]?.itemType == .group {
            return "/" + parts[1...3].joined(separator: "/")
        }
        return "/" + parts[1]
    }

    private static func linkId(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? ""
    }

    private func text(_ fault: Fault) -> String {
        // The pack has words for a constraint that the answers violate.
        if fault.code.hasPrefix("constraint_") { return fault.detail }
        let item = path(fault).flatMap { items[Self.linkId($0)] }
        return words.text("fault", Self.name(of: fault.code, item, words), Self.values(item, words))
    }

    /// The name of the sentence for a fault. Codes whose meaning depends on the type have a sentence for the type.
    private static func name(of code: String, _ item: JSON?, _ words: Words.Language) -> String {
        let type = item?["type"]?.string ?? ""
        let isList = item?["answerOption"] == nil && code.hasSuffix("_answers")
        let special = isList ? "\(code)_list" : "\(code)_\(type)"
        if words["fault", special] != nil { return special }
        return words["fault", code] == nil ? "other" : code
    }

    /// The limits of an item for its sentences.
    private static func values(_ item: JSON?, _ words: Words.Language) -> [String: String] {
        let isDate = item?.itemType == .date
        func limit(_ name: String) -> String {
            let text = QuestionModel.text(item?[name])
            return isDate
                ? LocalTimeText(language: words.code, zone: "UTC").day(text)
                : text.replacing(".", with: words.text("format", "decimal_mark"))
        }
        let unit = item?["unit"]?.string ?? item?["unitOption"]?.array?.first?.string
        let suffix = unit.map { " \(QuestionModel.unitName($0))" } ?? ""
        let longest = String((item?.itemType ?? .string).definition.maximumLength)
        return [
            "least": limit("minValue") + suffix, "most": limit("maxValue") + suffix,
            "length": item?["maxLength"] == nil ? longest : limit("maxLength"),
            "shortest": limit("minLength"),
            "count": limit("minOccurs"),
            "maximum": item?["maxOccurs"] == nil ? "100" : limit("maxOccurs"),
            "places": limit("maxDecimalPlaces"),
        ]
    }
}
