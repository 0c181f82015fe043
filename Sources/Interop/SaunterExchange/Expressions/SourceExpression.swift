/// A parsed condition of REDCap or XLSForm, not yet translated.
indirect enum SourceExpression: Hashable {
    /// A field by its name in the source. `box` is the code of one box of a REDCap checkbox.
    case field(String, box: String?)
    /// The item that has the constraint, `.` in XLSForm.
    case currentItem
    case text(String)
    case number(String)
    case call(String, [SourceExpression])
    case binary(String, SourceExpression, SourceExpression)
    case negative(SourceExpression)

    /// The operands that `and` or `or` combines at the top level.
    func parts(joinedBy word: String) -> [SourceExpression] {
        guard case .binary(word, let left, let right) = self else { return [self] }
        return left.parts(joinedBy: word) + right.parts(joinedBy: word)
    }
}

/// Why a condition could not be translated. `detail` is the end of a sentence about the condition.
struct TranslationError: Error {
    let detail: String
}

/// Parses a subset of REDCap's branching logic and of XLSForm's expressions. Throws if the source cannot be parsed, is
/// longer than 4000 bytes, or is nested more than 40 levels deep.
struct SourceExpressionParser {
    private enum Token: Hashable {
        case field(String, box: String?)
        case text(String)
        case number(String)
        case name(String)
        case symbol(String)
    }

    private static let maximumLength = 4000
    private static let maximumDepth = 40

    private var tokens: [Token] = []
    private var position = 0
    private var depth = 0

    static func parse(_ source: String) throws(TranslationError) -> SourceExpression {
        guard source.utf8.count <= maximumLength else {
            throw TranslationError(detail: "it is longer than \(maximumLength) bytes")
        }
        var parser = SourceExpressionParser()
        parser.tokens = try SourceExpressionParser.tokens(source)
        let expression = try parser.disjunction()
        guard parser.position == parser.tokens.count else {
            throw TranslationError(detail: "it cannot be parsed")
        }
        return expression
    }

    // MARK: Tokens

    private static func tokens(_ source: String) throws(TranslationError) -> [Token] {
        let scalars = Array(source.unicodeScalars)
        var tokens: [Token] = []
        var index = 0
        func isName(_ scalar: Unicode.Scalar) -> Bool {
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_"
        }
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        func text(until ends: Unicode.Scalar) -> String? {
            guard let end = scalars[index...].firstIndex(of: ends) else { return nil }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[index..<end])
            index = end + 1
            return String(text)
        }
        while index < scalars.count {
            let scalar = scalars[index]
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            switch scalar {
            case " ", "\t", "\n", "\r", "\u{A0}": index += 1
            case "[":
                index += 1
                guard let inner = text(until: "]") else { throw TranslationError(detail: "a ] is missing") }
                if case .field? = tokens.last {
                    throw TranslationError(detail: "it refers to another event or instance")
                }
                tokens.append(field(inner))
            case "$" where next == "{":
                index += 2
                guard let inner = text(until: "}") else { throw TranslationError(detail: "a } is missing") }
                tokens.append(.field(inner.filter { $0 != " " }, box: nil))
            case "'", "\"", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}":
                index += 1
                let quotes: [Unicode.Scalar] =
                    scalar == "'" || scalar == "\"" ? [scalar] : ["\u{2019}", "\u{201D}"]
                guard let end = scalars[index...].firstIndex(where: quotes.contains) else {
                    throw TranslationError(detail: "a quote is missing")
                }
                var words = String.UnicodeScalarView()
                words.append(contentsOf: scalars[index..<end])
                tokens.append(.text(String(words)))
                index = end + 1
            case _ where isDigit(scalar) || scalar == "." && isDigit(next):
                let start = index
                while index < scalars.count, isDigit(scalars[index]) || scalars[index] == "." { index += 1 }
                var digits = String.UnicodeScalarView()
                digits.append(contentsOf: scalars[start..<index])
                tokens.append(.number(String(digits)))
            case _ where isName(scalar):
                let start = index
                // A hyphen before a letter is part of a name: count-selected.
                while index < scalars.count,
                    isName(scalars[index])
                        || scalars[index] == "-" && index + 1 < scalars.count
                            && ("a"..."z").contains(scalars[index + 1])
                { index += 1 }
                var word = String.UnicodeScalarView()
                word.append(contentsOf: scalars[start..<index])
                tokens.append(.name(String(word)))
            default:
                let pair = String(scalar) + String(next)
                if ["!=", "<>", "<=", ">=", "=="].contains(pair) {
                    tokens.append(.symbol(pair == "<>" ? "!=" : pair == "==" ? "=" : pair))
                    index += 2
                } else if "()+-*/=<>,.".unicodeScalars.contains(scalar) {
                    tokens.append(.symbol(String(scalar)))
                    index += 1
                } else {
                    throw TranslationError(detail: "it contains the character \(scalar)")
                }
            }
        }
        return tokens
    }

    /// `name`, or `name(code)`.
    private static func field(_ inner: String) -> Token {
        guard inner.hasSuffix(")"), let open = inner.firstIndex(of: "(") else {
            return .field(inner, box: nil)
        }
        return .field(String(inner[..<open]), box: String(inner[inner.index(after: open)...].dropLast()))
    }

    // MARK: Recursive descent

    private mutating func disjunction() throws(TranslationError) -> SourceExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw TranslationError(detail: "it is nested too deeply") }
        var left = try conjunction()
        while skip(word: "or") { left = .binary("or", left, try conjunction()) }
        return left
    }

    private mutating func conjunction() throws(TranslationError) -> SourceExpression {
        var left = try comparison()
        while skip(word: "and") { left = .binary("and", left, try comparison()) }
        return left
    }

    private mutating func comparison() throws(TranslationError) -> SourceExpression {
        var left = try sum()
        while position < tokens.count, case .symbol(let symbol) = tokens[position],
            ["=", "!=", "<", "<=", ">", ">="].contains(symbol)
        {
            position += 1
            left = .binary(symbol, left, try sum())
        }
        return left
    }

    private mutating func sum() throws(TranslationError) -> SourceExpression {
        var left = try product()
        while position < tokens.count, case .symbol(let symbol) = tokens[position],
            symbol == "+" || symbol == "-"
        {
            position += 1
            left = .binary(symbol, left, try product())
        }
        return left
    }

    private mutating func product() throws(TranslationError) -> SourceExpression {
        var left = try primary()
        while true {
            if skip("*") {
                left = .binary("*", left, try primary())
            } else if skip("/") || skip(word: "div") {
                left = .binary("/", left, try primary())
            } else {
                return left
            }
        }
    }

    private mutating func primary() throws(TranslationError) -> SourceExpression {
        guard position < tokens.count else { throw TranslationError(detail: "it ends too early") }
        let token = tokens[position]
        position += 1
        switch token {
        case .field(let name, let box): return .field(name, box: box)
        case .text(let text): return .text(text)
        case .number(let digits): return .number(digits)
        case .symbol("."): return .currentItem
        case .symbol("-"):
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maximumDepth else {
                throw TranslationError(detail: "it is nested too deeply")
            }
            return .negative(try primary())
        case .symbol("("):
            let inner = try disjunction()
            guard skip(")") else { throw TranslationError(detail: "a ) is missing") }
            return inner
        case .symbol(let symbol): throw TranslationError(detail: "a value is missing before \(symbol)")
        case .name(let name):
            guard skip("(") else {
                if ["true", "false"].contains(name.lowercased()) { return .call(name.lowercased(), []) }
                throw TranslationError(detail: "it names \(name.prefix(40)), which is not a field")
            }
            var arguments: [SourceExpression] = []
            if !skip(")") {
                arguments.append(try disjunction())
                while skip(",") { arguments.append(try disjunction()) }
                guard skip(")") else { throw TranslationError(detail: "a ) is missing") }
            }
            return .call(name.lowercased(), arguments)
        }
    }

    private mutating func skip(_ symbol: String) -> Bool {
        guard position < tokens.count, tokens[position] == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func skip(word: String) -> Bool {
        guard position < tokens.count, case .name(let name) = tokens[position], name.lowercased() == word
        else {
            return false
        }
        position += 1
        return true
    }
}
