/// Arrays as PostgreSQL writes them as text, for lists within a list: a parameter of many arrays of different lengths is a `text[]` of these.
enum ArrayLiteral {
    /// Every element in quotes, so that none is taken for NULL or for syntax.
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

    static func numbers(_ values: [Int16]) -> String {
        var text = "{"
        for (place, value) in values.enumerated() {
            if place > 0 { text += "," }
            text += String(value)
        }
        return text + "}"
    }

    /// Nil is NULL; infinities and NaN are written as PostgreSQL reads them.
    static func numbers(_ values: [Double?]) -> String {
        guard !values.isEmpty else { return "{}" }
        return "{" + values.map { $0.map { "\($0)" } ?? "NULL" }.joined(separator: ",") + "}"
    }
}
