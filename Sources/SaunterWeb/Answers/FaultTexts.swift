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
            guard let path = Self.path(fault) else { continue }
            texts[path] = [texts[path], text(fault)].compactMap(\.self).joined(separator: " ")
        }
        return texts
    }

    /// For the template `errors`.
    func summary(_ faults: [Fault]) -> [[String: Any]] {
        faults.map { fault in
            guard let path = Self.path(fault), let item = items[Self.linkId(path)] else {
                return ["text": text(fault)]
            }
            let name = path.dropFirst().replacing("/", with: "-")
            return ["text": "\(item["text"]?.string ?? ""): \(text(fault))", "field": "q-\(name)"]
        }
    }

    /// The part of the pointer that names the item: `/mood`, `/meals/0/what`.
    private static func path(_ fault: Fault) -> String? {
        let parts = fault.pointer.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[0] == "answers" || parts[0] == "reasons" else { return nil }
        if parts.count >= 4, Int(parts[2]) != nil, Int(parts[3]) == nil {
            return "/" + parts[1...3].joined(separator: "/")
        }
        return "/" + parts[1]
    }

    private static func linkId(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? ""
    }

    private func text(_ fault: Fault) -> String {
        let item = Self.path(fault).flatMap { items[Self.linkId($0)] }
        let values = [
            "least": QuestionModel.text(item?["minValue"]), "most": QuestionModel.text(item?["maxValue"]),
            "length": QuestionModel.text(item?["maxLength"]), "count": QuestionModel.text(item?["minOccurs"]),
            "maximum": QuestionModel.text(item?["maxOccurs"]),
        ]
        guard words["fault", fault.code] != nil else { return fault.detail }
        return words.text("fault", fault.code, values)
    }
}
