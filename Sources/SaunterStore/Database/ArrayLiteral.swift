/// PostgreSQL's text form of an array. A parameter of many arrays of different lengths is a `text[]` of such literals.
enum ArrayLiteral {
    /// The literal of a `text[]`. Every element is quoted, so that PostgreSQL reads none as NULL or as syntax.
    static func texts(_ values: [String]) -> String {
        "{" + values.lazy.map(quoted).joined(separator: ",") + "}"
    }

    /// The literal of a `text[]` with NULL for nil; nil if all elements are nil.
    static func textsIfAny(_ values: [String?]) -> String? {
        guard values.contains(where: { $0 != nil }) else { return nil }
        return "{" + values.lazy.map { $0.map(quoted) ?? "NULL" }.joined(separator: ",") + "}"
    }

    private static func quoted(_ value: String) -> String {
        var text = "\""
        for character in value.unicodeScalars {
            if character == "\"" || character == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(character)
        }
        return text + "\""
    }

    /// The literal of a `smallint[]`.
    static func numbers(_ values: [Int16]) -> String {
        var text = "{"
        for (index, value) in values.enumerated() {
            if index > 0 { text += "," }
            text += String(value)
        }
        return text + "}"
    }

    /// The literal of a `double precision[]`. Nil becomes NULL. Swift and PostgreSQL write infinities and NaN the same
    /// way.
    static func numbers(_ values: [Double?]) -> String {
        guard !values.isEmpty else { return "{}" }
        return "{" + values.map { $0.map { "\($0)" } ?? "NULL" }.joined(separator: ",") + "}"
    }
}
