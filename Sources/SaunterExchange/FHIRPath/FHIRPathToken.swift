/// A word of FHIRPath.
enum FHIRPathToken: Sendable, Hashable {
    /// Also with a percent or dollar sign before it: `%resource`, `$this`.
    case name(String)
    case text(String)
    case number(String)
    /// A date or a time, with its `@`.
    case moment(String)
    case sign(String)

    private static let signs = ["!=", "<=", ">=", "=", "<", ">", "(", ")", ".", ",", "+", "-", "*", "/"]
    private static let maximumCount = 1000

    /// The words of a text.
    static func read(_ source: String) throws(LogicFault) -> [FHIRPathToken] {
        var rest = Array(source)[...]
        var tokens: [FHIRPathToken] = []
        while let first = rest.first {
            guard tokens.count < maximumCount else { throw LogicFault(detail: "it is too long") }
            if first.isWhitespace {
                rest.removeFirst()
            } else if first == "'" {
                tokens.append(.text(try string(&rest)))
            } else if first == "@" {
                let word = rest.dropFirst().prefix { $0.isNumber || "-:T".contains($0) }
                rest = rest.dropFirst(word.count + 1)
                tokens.append(.moment("@" + String(word).replacing("T", with: "")))
                if word.contains("T"), word.first != "T" {
                    throw LogicFault(detail: "it names a date with a time")
                }
            } else if first.isASCII, first.isNumber {
                var word = rest.prefix { $0.isASCII && $0.isNumber }
                if rest.dropFirst(word.count).first == ".",
                    rest.dropFirst(word.count + 1).first?.isNumber == true
                {
                    word = rest.prefix(
                        word.count + 1 + rest.dropFirst(word.count + 1).prefix { $0.isNumber }.count)
                }
                rest = rest.dropFirst(word.count)
                tokens.append(.number(String(word)))
            } else if first.isASCII, first.isLetter || "_%$".contains(first) {
                let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_%$".contains($0)) }
                rest = rest.dropFirst(word.count)
                tokens.append(.name(String(word)))
            } else if let sign = signs.first(where: { rest.starts(with: $0) }) {
                rest = rest.dropFirst(sign.count)
                tokens.append(.sign(sign))
            } else {
                throw LogicFault(detail: "it holds a sign that is not understood")
            }
        }
        return tokens
    }

    private static func string(_ rest: inout ArraySlice<Character>) throws(LogicFault) -> String {
        rest.removeFirst()
        let inner = rest.prefix { $0 != "'" && $0 != "\\" }
        rest = rest.dropFirst(inner.count)
        guard rest.first == "'" else { throw LogicFault(detail: "it holds a text that is not understood") }
        rest.removeFirst()
        return String(inner)
    }
}
