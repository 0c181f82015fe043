/// A token of a condition of REDCap or XLSForm.
enum SourceToken: Hashable {
    /// A field by its name in the source. `box` is the code of one box of a REDCap checkbox.
    case field(String, box: String?)
    /// The content of a text in quotes.
    case text(String)
    /// The digits of a number without a sign.
    case number(String)
    /// A word, such as `and`, or the name of a function.
    case name(String)
    /// An operator, a bracket, a comma or a dot. `<>` is read as `!=`, and `==` as `=`.
    case symbol(String)

    /// Splits a condition into tokens.
    /// - Throws: for a quote, a `[` or a `${` that is not closed, for a `[` directly after a field (another event or
    ///   instance), and for a character that no token contains.
    static func read(_ source: String) throws(TranslationError) -> [SourceToken] {
        var reader = Reader(scalars: Array(source.unicodeScalars))
        while reader.index < reader.scalars.count { try reader.readNext() }
        return reader.tokens
    }

    private struct Reader {
        let scalars: [Unicode.Scalar]
        var index = 0
        var tokens: [SourceToken] = []

        mutating func readNext() throws(TranslationError) {
            let scalar = scalars[index]
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            switch scalar {
            case " ", "\t", "\n", "\r", "\u{A0}": index += 1
            case "[":
                index += 1
                guard let inner = takeText(until: ["]"]) else {
                    throw TranslationError(detail: "a ] is missing")
                }
                if case .field? = tokens.last {
                    throw TranslationError(detail: "the condition refers to another event or instance")
                }
                tokens.append(Self.field(inner))
            case "$" where next == "{":
                index += 2
                guard let inner = takeText(until: ["}"]) else {
                    throw TranslationError(detail: "a } is missing")
                }
                tokens.append(.field(inner.filter { $0 != " " }, box: nil))
            case "'", "\"", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}":
                index += 1
                let quotes: [Unicode.Scalar] =
                    scalar == "'" || scalar == "\"" ? [scalar] : ["\u{2019}", "\u{201D}"]
                guard let text = takeText(until: quotes) else {
                    throw TranslationError(detail: "a quote is missing")
                }
                tokens.append(.text(text))
            case _ where Self.isDigit(scalar) || scalar == "." && Self.isDigit(next):
                tokens.append(
                    .number(
                        takeText { scalars, index in Self.isDigit(scalars[index]) || scalars[index] == "." }))
            case _ where Self.isName(scalar): tokens.append(.name(takeWord()))
            default: try readSymbol(scalar, next)
            }
        }

        /// Takes the text before the next of these characters, and the character itself. Returns nil if none follows.
        private mutating func takeText(until ends: [Unicode.Scalar]) -> String? {
            guard let end = scalars[index...].firstIndex(where: ends.contains) else { return nil }
            defer { index = end + 1 }
            return Self.text(scalars[index..<end])
        }

        /// Takes the characters from here on for which the condition is true.
        private mutating func takeText(while isPart: ([Unicode.Scalar], Int) -> Bool) -> String {
            let start = index
            while index < scalars.count, isPart(scalars, index) { index += 1 }
            return Self.text(scalars[start..<index])
        }

        /// Takes a word. A hyphen before a letter is part of it: `count-selected`.
        private mutating func takeWord() -> String {
            takeText { scalars, index in
                Self.isName(scalars[index])
                    || scalars[index] == "-" && index + 1 < scalars.count
                        && ("a"..."z").contains(scalars[index + 1])
            }
        }

        private mutating func readSymbol(
            _ scalar: Unicode.Scalar, _ next: Unicode.Scalar
        ) throws(TranslationError) {
            let pair = String(scalar) + String(next)
            if ["!=", "<>", "<=", ">=", "=="].contains(pair) {
                tokens.append(.symbol(pair == "<>" ? "!=" : pair == "==" ? "=" : pair))
                index += 2
            } else if "()+-*/=<>,.".unicodeScalars.contains(scalar) {
                tokens.append(.symbol(String(scalar)))
                index += 1
            } else {
                throw TranslationError(detail: "the condition contains the character \(scalar)")
            }
        }

        /// `name`, or `name(code)`.
        private static func field(_ inner: String) -> SourceToken {
            guard inner.hasSuffix(")"), let open = inner.firstIndex(of: "(") else {
                return .field(inner, box: nil)
            }
            return .field(String(inner[..<open]), box: String(inner[inner.index(after: open)...].dropLast()))
        }

        private static func isName(_ scalar: Unicode.Scalar) -> Bool {
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || isDigit(scalar) || scalar == "_"
        }

        private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

        private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return String(view)
        }
    }
}
