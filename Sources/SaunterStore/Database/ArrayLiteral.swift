/// PostgreSQL's text form of an array. A parameter of many arrays of different lengths is a `text[]` of such literals.
enum ArrayLiteral {
    /// Quotes every element, so that PostgreSQL reads none of them as NULL or as syntax.
    static func texts(_ values: [String]) -> String {
        guard !values.isEmpty else { return "{}" }
        let quoted = values.map { value in
            var text = "\""
            for character in value.unicodeScalars {
                if character == "\"" || character == "\\" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(character)
            }
            return text + "\""
        }
        return "{" + quoted.joined(separator: ",") + "}"
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
