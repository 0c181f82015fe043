/// An action tag of a field's annotation: `@NAME`, `@NAME=word`, `@NAME='in quotes'` or `@NAME="in quotes"`.
struct REDCapTag: Hashable {
    /// With the sign before it. What clings to a name without being a value, such as brackets, is part of it.
    let name: String
    /// Empty where there is none, and where its quotes are not closed.
    let value: String

    /// The tags of an annotation, in order; other words stand between them.
    static func all(in annotation: String) -> [REDCapTag] {
        var tags: [REDCapTag] = []
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

    private static func next(_ rest: inout Substring) -> REDCapTag {
        let name = rest.prefix { $0 != "=" && $0 != "(" && !$0.isWhitespace }
        rest = rest.dropFirst(name.count)
        if rest.first == "(" {
            // Tags within the brackets of a condition are not for every participant.
            let brackets = bracketed(rest)
            rest = rest.dropFirst(brackets.count)
            return REDCapTag(name: String(name + brackets), value: "")
        }
        guard rest.first == "=" else { return REDCapTag(name: String(name), value: "") }
        rest = rest.dropFirst()
        if let quote = rest.first, quote == "'" || quote == "\"" {
            let inner = rest.dropFirst()
            if let end = inner.firstIndex(of: quote) {
                rest = inner[inner.index(after: end)...]
                return REDCapTag(name: String(name), value: String(inner[..<end]))
            }
            rest = rest.drop { !$0.isWhitespace }
            return REDCapTag(name: String(name), value: "")
        }
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(word.count)
        return REDCapTag(name: String(name), value: String(word))
    }

    /// From a bracket to the one that closes it, or to the end.
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
