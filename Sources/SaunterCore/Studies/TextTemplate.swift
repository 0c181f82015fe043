/// A text of a study with placeholders.
package enum TextTemplate {
    /// Replaces each `{{name}}` by its value, which is inserted as plain text: a placeholder inside a value is not
    /// replaced. Spaces around the name are ignored. An unknown placeholder stays as it is. The name of a participant
    /// who has stated none is left out with the comma before it, so `Hello, {{name}}!` becomes `Hello!`.
    package static func fill(_ template: String, _ values: [String: String]) -> String {
        var result = ""
        var remainder = template.utf8[...]
        while let open = firstPair(of: UInt8(ascii: "{"), in: remainder) {
            result += Substring(remainder[..<open.lowerBound])
            remainder = remainder[open.upperBound...]
            guard let close = firstPair(of: UInt8(ascii: "}"), in: remainder) else {
                result += "{{"
                break
            }
            let name = Substring(remainder[..<close.lowerBound])
            let key = name.filter { $0 != " " }
            let value = values[key]
            result += value ?? "{{\(name)}}"
            remainder = remainder[close.upperBound...]
            if key == "name", value == "" { dropComma(before: &result, after: &remainder) }
        }
        return result + Substring(remainder)
    }

    /// Removes a comma and spaces before the position of an empty name, or after it at the beginning of a text.
    private static func dropComma(before text: inout String, after remainder: inout Substring.UTF8View) {
        let separators = [UInt8(ascii: ","), UInt8(ascii: " ")]
        if text.isEmpty {
            remainder = remainder.drop { separators.contains($0) }
        } else {
            while text.utf8.last.map(separators.contains) == true { text.removeLast() }
        }
    }

    /// The range of the first two adjacent bytes that are equal to `byte`. Bytes are compared because templates are
    /// filled for each request, and `firstRange(of:)` compares characters, which is slower.
    private static func firstPair(of byte: UInt8, in text: Substring.UTF8View) -> Range<String.Index>? {
        var search = text
        while let first = search.firstIndex(of: byte) {
            let second = text.index(after: first)
            guard second < text.endIndex else { return nil }
            if text[second] == byte { return first..<text.index(after: second) }
            search = text[second...]
        }
        return nil
    }
}
