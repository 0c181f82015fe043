extension JSON {
    /// The value as an author writes it on one line of a pack, in YAML: `mean: {entry: log, item: mood}, least: 1`. The
    /// outer object has no braces.
    package var packText: String {
        guard let object else { return flow }
        return Self.members(object)
    }

    private var flow: String {
        switch self {
        case .string(let text): Self.isPlain(text) ? text : self.text
        case .array(let elements): "[\(elements.map(\.flow).joined(separator: ", "))]"
        case .object(let object): "{\(Self.members(object))}"
        case .null, .bool, .number: text
        }
    }

    private static func members(_ object: JSONObject) -> String {
        object.map { "\($0.name): \($0.value.flow)" }.joined(separator: ", ")
    }

    /// Whether the text needs no quotes: it begins with a letter and has no sign with a meaning in YAML, or it is a
    /// length of time, a date or a code of digits.
    private static func isPlain(_ text: String) -> Bool {
        guard !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        else {
            return false
        }
        return text.wholeMatch(of: /[A-Za-z][A-Za-z0-9_.-]*|([0-9]+[dhms])+|[0-9]+mo|[0-9]+(-[0-9]+)+/) != nil
    }

    /// The texts in the value, without the names of members.
    package var strings: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.strings)
        case .object(let object): object.flatMap(\.value.strings)
        case .null, .bool, .number: []
        }
    }
}
