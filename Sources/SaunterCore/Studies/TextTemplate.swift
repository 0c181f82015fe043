/// A text of a study with placeholders.
package enum TextTemplate {
    /// Replaces each `{{name}}` by its value, which is inserted as plain text: a placeholder inside a value is not
    /// replaced. Spaces around the name are ignored. An unknown placeholder stays as it is.
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
            result += values[name.filter { $0 != " " }] ?? "{{\(name)}}"
            remainder = remainder[close.upperBound...]
        }
        return result + Substring(remainder)
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
