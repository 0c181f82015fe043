/// Texts of routes and schemas as HTML: an empty line separates paragraphs, and back-ticks mark code.
enum ReferenceText {
    /// The paragraphs, each as a `p` element. Lines with an indent of four spaces become one `pre` element.
    static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n").map { part in
            guard part.hasPrefix("    ") else { return "<p>\(inline(part))</p>" }
            let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
            return
                "<pre tabindex=\"0\">\(escaped(lines.map { $0.dropFirst(4) }.joined(separator: "\n")))</pre>"
        }.joined(separator: "\n")
    }

    /// One paragraph without its element. A back-tick without a second one stays as it is.
    static func inline(_ text: some StringProtocol) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        let isBalanced = !parts.count.isMultiple(of: 2)
        guard isBalanced else { return escaped(text) }
        return parts.enumerated().map { index, part in
            index.isMultiple(of: 2) ? escaped(part) : "<code>\(escaped(part))</code>"
        }.joined()
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        String(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
