import HTTPTypes

/// The faults of a form, in words, with the fields that they concern.
struct FormFaults {
    private let words: Words.Language
    private var list: [(text: String, field: String?)] = []

    init(_ words: Words.Language) {
        self.words = words
    }

    var isEmpty: Bool { list.isEmpty }

    /// The first fault of a field; nil if it has none.
    func text(at field: String) -> String? { list.first { $0.field == field }?.text }

    /// 200 without faults, otherwise 422.
    var status: HTTPResponse.Status { isEmpty ? .ok : .unprocessableContent }

    /// Adds a fault.
    /// - Parameter field: the id of the field; nil for the whole form.
    mutating func add(_ text: String, field: String?) { list.append((text, field)) }

    /// Adds a fault for each field that is empty.
    mutating func require(_ fields: [String], in request: PageRequest) {
        for field in fields where request.field(field).allSatisfy(\.isWhitespace) {
            add("\(label(field)): \(words.text("errors", "required"))", field: field)
        }
    }

    private func label(_ field: String) -> String {
        let names = [
            "display_name": "name", "known_email": "email", "known_password": "password",
        ]
        return words["account", names[field] ?? field] ?? words["consent", field] ?? field
    }

    /// For the template `errors`, and for the title of the document.
    var model: [String: Any] {
        [
            "has_errors": !isEmpty,
            // Field -> text, for the words at the field.
            "fault": Dictionary(
                list.compactMap { fault in fault.field.map { ($0, fault.text) } },
                uniquingKeysWith: { first, _ in first }),
            "errors": list.map { fault in
                var entry: [String: Any] = ["text": fault.text]
                entry["field"] = fault.field
                return entry
            },
        ]
    }
}
