/// An action tag in the annotation of a field: `@NAME`, `@NAME=word`, `@NAME='quoted'` or `@NAME="quoted"`.
struct REDCapActionTag: Hashable {
    /// The name with the leading `@`. Brackets after the name are part of it.
    let name: String
    /// The value; empty if there is none or its quotes are not closed.
    let value: String

    /// The tags of an annotation, in order. Other words are ignored.
    static func all(in annotation: String) -> [REDCapActionTag] {
        var tags: [REDCapActionTag] = []
        var rest = annotation[...]
        while !rest.isEmpty {
            rest = rest.drop { $0.isWhitespace }
            if rest.first == "@" {
                tags.append(next(&rest))
            } else {
                rest = rest.drop { !$0.isWhitespace }
            }
        }
        return tags
    }

    private static func next(_ rest: inout Substring) -> REDCapActionTag {
        let name = rest.prefix { $0 != "=" && $0 != "(" && !$0.isWhitespace }
        rest = rest.dropFirst(name.count)
        if rest.first == "(" {
            // Tags inside the brackets of a condition do not apply to every participant, so they are not returned.
            let brackets = bracketed(rest)
            rest = rest.dropFirst(brackets.count)
            return REDCapActionTag(name: String(name + brackets), value: "")
        }
        guard rest.first == "=" else { return REDCapActionTag(name: String(name), value: "") }
        rest = rest.dropFirst()
        if let quote = rest.first, quote == "'" || quote == "\"" {
            let inner = rest.dropFirst()
            if let end = inner.firstIndex(of: quote) {
                rest = inner[inner.index(after: end)...]
                return REDCapActionTag(name: String(name), value: String(inner[..<end]))
            }
            rest = rest.drop { !$0.isWhitespace }
            return REDCapActionTag(name: String(name), value: "")
        }
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(word.count)
        return REDCapActionTag(name: String(name), value: String(word))
    }

    /// The text from an opening bracket to the matching closing one, or to the end.
    private static func bracketed(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[...index] }
        }
        return text
    }
}
