extension Optional where Wrapped == String {
    /// The text, or nil if there is none, or if it is blank or contains U+0000.
    var nonBlank: String? { self?.nonBlank }
}

extension String {
    /// The text without white space at both ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }

    /// The text, or nil if it is blank or contains U+0000.
    var nonBlank: String? {
        unicodeScalars.contains { !$0.properties.isWhitespace } && !utf8.contains(0) ? self : nil
    }
}
