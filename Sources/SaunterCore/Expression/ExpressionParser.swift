/// A recursive descent parser. Operators from the weakest to the strongest binding: `or`, `and`, `not`, comparisons and
/// `in`, `+ -`, `* /`, unary minus. The operands are values, names, calls and brackets.
struct ExpressionParser {
    private static let reservedWords: Set<String> = ["and", "or", "not", "in", "true", "false"]

    private let dialect: Expression.Dialect
    private let tokens: [ExpressionToken]
    private let end: Int
    private var index = 0
    private var depth = 0
    private var terms = 0
    /// The names in order of appearance, with duplicates.
    private(set) var items: [String] = []

    init(_ source: String, dialect: Expression.Dialect) throws(ExpressionFault) {
        self.dialect = dialect
        tokens = try ExpressionToken.read(source, dialect: dialect)
        end = source.unicodeScalars.count + 1
    }

    /// Parses the complete expression.
    mutating func expression() throws(ExpressionFault) -> Expression.Term {
        let term = try disjunction()
        guard index == tokens.count else { throw fault("an operator is missing before this") }
        return term
    }

    private mutating func disjunction() throws(ExpressionFault) -> Expression.Term {
        depth += 1
        defer { depth -= 1 }
        // Level 1 is the expression outside of all brackets.
        if depth > Expression.maximumDepth + 1 {
            throw fault("brackets have more than \(Expression.maximumDepth) levels")
        }
        var left = try conjunction()
        while skip(word: "or") { left = try binary(.or, left, try conjunction()) }
        return left
    }

    private mutating func conjunction() throws(ExpressionFault) -> Expression.Term {
        var left = try negation()
        while skip(word: "and") { left = try binary(.and, left, try negation()) }
        return left
    }

    private mutating func negation() throws(ExpressionFault) -> Expression.Term {
        let position = sourcePosition
        var count = 0
        while skip(word: "not") { count += 1 }
        let term = try comparison()
        guard count > 0 else { return term }
        let once = try makeTerm(.not(term), position)
        return count % 2 == 1 ? once : try makeTerm(.not(once), position)
    }

    private mutating func comparison() throws(ExpressionFault) -> Expression.Term {
        let left = try sum()
        if skip(word: "in") { return try makeTerm(.among(left, try values()), left.position) }
        let operators: [Expression.Operator] = [.equal, .notEqual, .less, .atMost, .greater, .atLeast]
        guard let operation = operators.first(where: { isNext($0.rawValue) }) else { return left }
        index += 1
        let both = try binary(operation, left, try sum())
        if operators.contains(where: { isNext($0.rawValue) }) {
            throw fault("comparisons cannot be chained; join them with `and`")
        }
        return both
    }

    /// Parses the right side of `in`: values in brackets, or a repeating question.
    private mutating func values() throws(ExpressionFault) -> [Expression.Term] {
        guard skip("(") else { return [try sum()] }
        var values = [try sum()]
        while skip(",") { values.append(try sum()) }
        guard skip(")") else { throw fault("a ) is missing") }
        return values
    }

    private mutating func sum() throws(ExpressionFault) -> Expression.Term {
        var left = try product()
        while true {
            if skip("+") {
                left = try binary(.add, left, try product())
            } else if skip("-") {
                left = try binary(.subtract, left, try product())
            } else {
                return left
            }
        }
    }

    private mutating func product() throws(ExpressionFault) -> Expression.Term {
        var left = try signed()
        while true {
            if skip("*") {
                left = try binary(.multiply, left, try signed())
            } else if skip("/") {
                left = try binary(.divide, left, try signed())
            } else {
                return left
            }
        }
    }

    private mutating func signed() throws(ExpressionFault) -> Expression.Term {
        let position = sourcePosition
        guard skip("-") else { return try primary() }
        return try makeTerm(.negative(try primary()), position)
    }

    private mutating func primary() throws(ExpressionFault) -> Expression.Term {
        guard index < tokens.count else { throw fault("a value is missing at the end") }
        let token = tokens[index]
        index += 1
        switch token.kind {
        case .number(let value): return try makeTerm(.literal(.exact(Quantity(value))), token.position)
        case .text(let text): return try makeTerm(.literal(.text(text)), token.position)
        case .date(let date): return try makeTerm(.literal(.date(date)), token.position)
        case .time(let time): return try makeTerm(.literal(.time(time)), token.position)
        case .name(let name): return try named(name, token.position)
        case .symbol("("):
            let inner = try disjunction()
            guard skip(")") else { throw fault("a ) is missing") }
            return inner
        case .symbol:
            index -= 1
            throw fault("a value is missing before this")
        }
    }

    private mutating func named(_ name: String, _ position: Int) throws(ExpressionFault) -> Expression.Term {
        if name == "true" || name == "false" {
            return try makeTerm(.literal(.boolean(name == "true")), position)
        }
        guard !Self.reservedWords.contains(name) else {
            index -= 1
            throw fault("a value is missing before \(name)")
        }
        guard skip("(") else {
            items.append(name)
            return try makeTerm(.item(name), position)
        }
        let functions = Expression.Function.all(in: dialect)
        guard let function = functions.first(where: { $0.rawValue == name }) else {
            let known = functions.map(\.rawValue).joined(separator: ", ")
            throw ExpressionFault(
                position: position, detail: "there is no function \(name.prefix(40)); there are \(known)")
        }
        var arguments: [Expression.Term] = []
        if !skip(")") {
            arguments.append(try disjunction())
            while skip(",") { arguments.append(try disjunction()) }
            guard skip(")") else { throw fault("a ) is missing") }
        }
        return try makeTerm(.call(function, arguments), position)
    }

    private mutating func binary(
        _ operation: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term
    ) throws(ExpressionFault) -> Expression.Term {
        try makeTerm(.binary(operation, left, right), left.position)
    }

    private mutating func makeTerm(
        _ form: Expression.Term.Form, _ position: Int
    ) throws(ExpressionFault) -> Expression.Term {
        terms += 1
        if terms > Expression.maximumTerms {
            throw ExpressionFault(
                position: position,
                detail: "an expression has at most \(Expression.maximumTerms) values and operations")
        }
        return Expression.Term(form: form, position: position)
    }

    private var sourcePosition: Int { index < tokens.count ? tokens[index].position : end }

    private func isNext(_ symbol: String) -> Bool {
        index < tokens.count && tokens[index].kind == .symbol(symbol)
    }

    private mutating func skip(_ symbol: String) -> Bool {
        guard isNext(symbol) else { return false }
        index += 1
        return true
    }

    private mutating func skip(word: String) -> Bool {
        guard index < tokens.count, tokens[index].kind == .name(word) else { return false }
        index += 1
        return true
    }

    private func fault(_ detail: String) -> ExpressionFault {
        ExpressionFault(position: sourcePosition, detail: detail)
    }
}
