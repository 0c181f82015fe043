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

/// Why a condition or a FHIRPath expression could not be translated. `detail` is a clause without a full stop.
struct TranslationError: Error {
    let detail: String
}

/// Parses a subset of REDCap's branching logic and of XLSForm's expressions. Throws if the source cannot be parsed, is
/// longer than 4000 bytes, or is nested more than 40 levels deep.
struct SourceExpressionParser {
    private static let maximumLength = 4000
    private static let maximumDepth = 40

    private var tokens: [SourceToken] = []
    private var position = 0
    private var depth = 0

    static func parse(_ source: String) throws(TranslationError) -> SourceExpression {
        guard source.utf8.count <= maximumLength else {
            throw TranslationError(detail: "the condition is longer than \(maximumLength) bytes")
        }
        var parser = SourceExpressionParser()
        parser.tokens = try SourceToken.read(source)
        let expression = try parser.disjunction()
        guard parser.position == parser.tokens.count else {
            throw TranslationError(detail: "the condition cannot be parsed")
        }
        return expression
    }

    // MARK: Recursive descent

    private mutating func disjunction() throws(TranslationError) -> SourceExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw TranslationError(detail: "the condition is nested too deeply")
        }
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
        guard position < tokens.count else { throw TranslationError(detail: "the condition ends too early") }
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
                throw TranslationError(detail: "the condition is nested too deeply")
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
                throw TranslationError(detail: "the condition names \(name.prefix(40)), which is not a field")
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
