/// An expression over the answers of a sheet: a small closed language that is parsed, typed and bounded. It has no
/// loops and calls nothing of the host, so that its work is its size.
///
/// Numbers are exact as in scoring. A blank is carried on: arithmetic and comparisons with it are blank; `and` and
/// `or` are decided by what is known; `sum`, `min`, `max` and `mean` pass over it.
package struct Expression: Sendable, Hashable {
    /// Characters, values and operations, and levels of brackets.
    package static let maximumLength = 2000
    package static let maximumTerms = 200
    package static let maximumDepth = 32

    package enum Function: String, Sendable, Hashable, CaseIterable {
        case count, sum, min, max, mean, abs, length, exists, `if`, today
    }

    package enum Operator: String, Sendable, Hashable {
        case or, and, equal = "=", notEqual = "!=", less = "<", atMost = "<=", greater = ">", atLeast = ">=",
            add = "+", subtract = "-", multiply = "*", divide = "/"
    }

    /// A part, with the character at which it begins, from 1.
    package struct Term: Sendable, Hashable {
        package indirect enum Form: Sendable, Hashable {
            case literal(ExpressionValue)
            case item(String)
            case call(Function, [Term])
            case not(Term)
            case negative(Term)
            case binary(Operator, Term, Term)
            /// Whether the first is among the values, or among those of a question of several answers.
            case among(Term, [Term])
        }

        package let form: Form
        package let position: Int
    }

    /// As it was written.
    package let source: String
    package let root: Term
    /// linkIds that it names, each once, in order.
    package let items: [String]

    /// Reads an expression, or says where it cannot be read. Names and types are checked by `ExpressionCheck`.
    package init(_ source: String) throws(ExpressionFault) {
        var parser = try ExpressionParser(source)
        root = try parser.expression()
        self.source = source
        var items: [String] = []
        for name in parser.items where !items.contains(name) { items.append(name) }
        self.items = items
    }
}

/// What is wrong with an expression, and where.
package struct ExpressionFault: Error, Sendable, Hashable {
    /// The character at which it was found, from 1.
    package let position: Int
    package let detail: String

    /// For people.
    package var text: String { "At character \(position): \(detail)." }
}
