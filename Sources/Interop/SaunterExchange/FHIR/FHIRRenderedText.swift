import SaunterCore

/// The plain text of an element whose text is only in a rendering extension.
enum FHIRRenderedText {
    /// The text of `rendering-markdown` or `rendering-xhtml`; nil if there is none.
    /// - Parameter extensions: the extensions of the text, such as those in `_text`.
    static func find(_ extensions: JSON?) -> String? {
        for element in extensions?.array ?? [] {
            let url = element["url"]?.string ?? ""
            if url.hasSuffix("/rendering-markdown") {
                let markdown = element["valueMarkdown"] ?? element["valueString"]
                if let text = markdown?.string?.nonBlank { return text.trimmed }
            } else if url.hasSuffix("/rendering-xhtml") {
                if let text = element["valueString"]?.string.flatMap(plainText) { return text }
            }
        }
        return nil
    }

    private static let blocks: Set<String> = [
        "br", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "table", "tr", "ul",
    ]
    private static let entities = ["amp": "&", "apos": "'", "gt": ">", "lt": "<", "nbsp": " ", "quot": "\""]

    /// The text without tags. Block elements start a new line, and white space is collapsed as in a browser.
    static func plainText(_ xhtml: String) -> String? {
        var text = ""
        var rest = xhtml[...]
        while let first = rest.first {
            if first == "<", let end = tagEnd(rest) {
                let name = rest.dropFirst().drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
                    .lowercased()
                text += blocks.contains(name) ? "\n" : ""
                rest = rest[rest.index(after: end)...]
            } else if first == "&", let end = rest.prefix(12).firstIndex(of: ";"),
                let character = character(rest[rest.index(after: rest.startIndex)..<end])
            {
                text += character
                rest = rest[rest.index(after: end)...]
            } else {
                text.append(first.isWhitespace ? " " : first)
                rest.removeFirst()
            }
        }
        let lines = text.split(separator: "\n").map { line in
            line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n").nonBlank
    }

    /// The end of the tag or comment at the beginning of the text; nil if it is a plain `<`.
    private static func tagEnd(_ text: Substring) -> Substring.Index? {
        let inner = text.dropFirst()
        guard let next = inner.first, next.isLetter || "/!?".contains(next) else { return nil }
        guard inner.hasPrefix("!--") else { return inner.firstIndex(of: ">") }
        return inner.indices.first { inner[$0...].hasPrefix("-->") }.map { inner.index($0, offsetBy: 2) }
    }

    private static func character(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return entities[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).flatMap { $0.value == 0 ? nil : String(Character($0)) }
    }
}
