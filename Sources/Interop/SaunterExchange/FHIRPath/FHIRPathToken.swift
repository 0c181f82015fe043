/// A token of FHIRPath.
enum FHIRPathToken: Sendable, Hashable {
    /// A name, also with a percent or dollar sign before it: `%resource`, `$this`.
    case name(String)
    case text(String)
    case number(String)
    /// A date or a time, with the leading `@`.
    case moment(String)
    case symbol(String)

    private static let symbols = [
        "!=", "<=", ">=", "=", "<", ">", "(", ")", "{", "}", ".", ",", "+", "-", "*", "/",
    ]
    private static let maximumCount = 1000

    /// Splits an expression into tokens. Throws if it has more than 1000 tokens, or contains an unknown character, a
    /// date with a time, or a text with a backslash or without its closing quote.
    static func tokens(of source: String) throws(TranslationError) -> [FHIRPathToken] {
        var rest = Array(source)[...]
        var tokens: [FHIRPathToken] = []
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            guard tokens.count < maximumCount else { throw TranslationError(detail: "it is too long") }
            if first == "'" {
                tokens.append(.text(try string(&rest)))
            } else if first == "@" {
                let word = rest.dropFirst().prefix { isDigit($0) || "-:T".contains($0) }
                rest = rest.dropFirst(word.count + 1)
                tokens.append(.moment("@" + String(word).replacing("T", with: "")))
                if word.contains("T"), word.first != "T" {
                    throw TranslationError(detail: "it contains a date with a time")
                }
            } else if isDigit(first) {
                var word = rest.prefix(while: isDigit)
                let decimals = rest.dropFirst(word.count + 1).prefix(while: isDigit)
                if rest.dropFirst(word.count).first == ".", !decimals.isEmpty {
                    word = rest.prefix(word.count + 1 + decimals.count)
                }
                rest = rest.dropFirst(word.count)
                tokens.append(.number(String(word)))
            } else if first.isASCII, first.isLetter || "_%$".contains(first) {
                let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_%$".contains($0)) }
                rest = rest.dropFirst(word.count)
                tokens.append(.name(String(word)))
            } else if let symbol = symbols.first(where: { rest.starts(with: $0) }) {
                rest = rest.dropFirst(symbol.count)
                tokens.append(.symbol(symbol))
            } else {
                throw TranslationError(detail: "it contains an unknown character")
            }
        }
        return tokens
    }

    /// Whether it is one of the ASCII digits. `isNumber` alone also accepts characters such as `²`.
    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    private static func string(_ rest: inout ArraySlice<Character>) throws(TranslationError) -> String {
        rest.removeFirst()
        let inner = rest.prefix { $0 != "'" && $0 != "\\" }
        rest = rest.dropFirst(inner.count)
        guard rest.first == "'" else {
            throw TranslationError(detail: "it contains a text that cannot be parsed")
        }
        rest.removeFirst()
        return String(inner)
    }
}
