/// Reads an expression by descent, the weakest binding first: `or`, `and`, `not`, comparisons and `in`, `+ -`, `* /`,
/// sign, then values, names, calls and brackets.
struct ExpressionParser {
    private static let words: Set<String> = ["and", "or", "not", "in", "true", "false"]

    private let tokens: [ExpressionToken]
    private let end: Int
    private var place = 0
    private var depth = 0
    private var terms = 0
    /// linkIds as they are named.
    private(set) var items: [String] = []

    init(_ source: String) throws(ExpressionFault) {
        tokens = try ExpressionToken.read(source)
        end = source.unicodeScalars.count + 1
    }

    mutating func expression() throws(ExpressionFault) -> Expression.Term {
        let term = try disjunction()
        guard place == tokens.count else { throw fault("an operator is missing before this") }
        return term
    }

    private mutating func disjunction() throws(ExpressionFault) -> Expression.Term {
        depth += 1
        defer { depth -= 1 }
        if depth > Expression.maximumDepth {
            throw fault("brackets nest deeper than \(Expression.maximumDepth)")
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
        let position = here
        var count = 0
        while skip(word: "not") { count += 1 }
        let term = try comparison()
        guard count > 0 else { return term }
        let once = try made(.not(term), position)
        return count % 2 == 1 ? once : try made(.not(once), position)
    }

    private mutating func comparison() throws(ExpressionFault) -> Expression.Term {
        let left = try sum()
        if skip(word: "in") { return try made(.among(left, try values()), left.position) }
        let signs: [Expression.Operator] = [.equal, .notEqual, .less, .atMost, .greater, .atLeast]
        guard let sign = signs.first(where: { isNext($0.rawValue) }) else { return left }
        place += 1
        let both = try binary(sign, left, try sum())
        if signs.contains(where: { isNext($0.rawValue) }) {
            throw fault("comparisons do not follow one another; join them by and")
        }
        return both
    }

    /// What stands after `in`: values in brackets, or a question of several answers.
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
        let position = here
        guard skip("-") else { return try primary() }
        return try made(.negative(try primary()), position)
    }

    private mutating func primary() throws(ExpressionFault) -> Expression.Term {
        guard place < tokens.count else { throw fault("something is missing at the end") }
        let token = tokens[place]
        place += 1
        switch token.kind {
        case .number(let value): return try made(.literal(.exact(Quantity(value))), token.position)
        case .text(let text): return try made(.literal(.text(text)), token.position)
        case .date(let date): return try made(.literal(.date(date)), token.position)
        case .time(let time): return try made(.literal(.time(time)), token.position)
        case .name(let name): return try named(name, token.position)
        case .sign("("):
            let inner = try disjunction()
            guard skip(")") else { throw fault("a ) is missing") }
            return inner
        case .sign:
            place -= 1
            throw fault("a value is missing before this")
        }
    }

    private mutating func named(_ name: String, _ position: Int) throws(ExpressionFault) -> Expression.Term {
        if name == "true" || name == "false" { return try made(.literal(.boolean(name == "true")), position) }
        guard !Self.words.contains(name) else {
            place -= 1
            throw fault("a value is missing before \(name)")
        }
        guard skip("(") else {
            items.append(name)
            return try made(.item(name), position)
        }
        guard let function = Expression.Function(rawValue: name) else {
            let known = Expression.Function.allCases.map(\.rawValue).joined(separator: ", ")
            throw ExpressionFault(
                position: position, detail: "there is no function \(name.prefix(40)); there are \(known)")
        }
        var arguments: [Expression.Term] = []
        if !skip(")") {
            arguments.append(try disjunction())
            while skip(",") { arguments.append(try disjunction()) }
            guard skip(")") else { throw fault("a ) is missing") }
        }
        return try made(.call(function, arguments), position)
    }

    private mutating func binary(
        _ sign: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term
    ) throws(ExpressionFault) -> Expression.Term {
        try made(.binary(sign, left, right), left.position)
    }

    private mutating func made(
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

    private var here: Int { place < tokens.count ? tokens[place].position : end }

    private func isNext(_ sign: String) -> Bool { place < tokens.count && tokens[place].kind == .sign(sign) }

    private mutating func skip(_ sign: String) -> Bool {
        guard isNext(sign) else { return false }
        place += 1
        return true
    }

    private mutating func skip(word: String) -> Bool {
        guard place < tokens.count, tokens[place].kind == .name(word) else { return false }
        place += 1
        return true
    }

    private func fault(_ detail: String) -> ExpressionFault {
        ExpressionFault(position: here, detail: detail)
    }
}
