/// Shortens the text of a script or style sheet for the network.
enum AssetText {
    /// The text without indentation, blank lines, and comments that begin a line. A comment behind code stays, because
    /// only a parser could distinguish it from text. Scripts have no template literal of several lines, see
    /// `AssetTextTests`.
    static func compact(_ text: String) -> String {
        var lines: [Substring] = []
        var isComment = false
        for line in text.split(whereSeparator: \.isNewline) {
            var rest = line.drop(while: \.isWhitespace)
            if rest.hasPrefix("/*") { isComment = true }
            if isComment {
                guard let end = rest.firstRange(of: "*/") else { continue }
                isComment = false
                rest = rest[end.upperBound...].drop(while: \.isWhitespace)
            }
            if !rest.isEmpty, !rest.hasPrefix("//") { lines.append(rest) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A style sheet that is also without the spaces and ends of lines around its punctuation, and without the last
    /// semicolon of a block. No text in a style sheet has such a pair of characters, see `AssetTextTests`.
    static func compactStyles(_ text: String) -> String {
        let pairs = [
            (";\n", ";"), ("{\n", "{"), ("}\n", "}"), (",\n", ","), ("; ", ";"), (" {", "{"), ("{ ", "{"),
            (" }", "}"),
            (", ", ","), (": ", ":"), (";}", "}"),
        ]
        return pairs.reduce(compact(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
