/// An expression over the answers of a sheet or over tailoring variables: a small language that is parsed, typed and
/// bounded. It has no loops and calls no code of the host, so its work is proportional to its size.
///
/// Numbers are exact, as in scoring. A blank answer propagates: arithmetic and comparisons with a blank are blank.
/// `and` and `or` are decided by the known operand if possible. `sum`, `min`, `max` and `mean` ignore blanks.
package struct Expression: Sendable, Hashable {
    /// The maximum number of characters.
    package static let maximumLength = 2000
    /// The maximum number of values and operations.
    package static let maximumTerms = 200
    /// The maximum number of levels of brackets.
    package static let maximumDepth = 32

    /// What the names in an expression refer to.
    package enum Dialect: Sendable, Hashable {
        /// Names are linkIds of one questionnaire.
        case answers
        /// Names are ids of tailoring variables. A name can have a member, such as `area.stress`, and `days_since` is
        /// available.
        case variables
    }

    /// The functions, under their names in the language.
    package enum Function: String, Sendable, Hashable, CaseIterable {
        case count, sum, min, max, mean, abs, length, exists, `if`, today
        /// The number of local dates from the date of a variable until today.
        case daysSince = "days_since"

        /// The functions of a dialect.
        static func all(in dialect: Dialect) -> [Function] {
            allCases.filter { $0 != .daysSince || dialect == .variables }
        }
    }

    /// The binary operators. The raw value is the symbol in the language.
    package enum Operator: String, Sendable, Hashable {
        case or, and, equal = "=", notEqual = "!=", less = "<", atMost = "<=", greater = ">", atLeast = ">=",
            add = "+", subtract = "-", multiply = "*", divide = "/"
    }

    /// A part of the expression, with the position of its first character, from 1.
    package struct Term: Sendable, Hashable {
        /// What the term is.
        package indirect enum Form: Sendable, Hashable {
            case literal(ExpressionValue)
            /// A linkId, or the id of a variable with its member: `area`, `area.stress`.
            case item(String)
            case call(Function, [Term])
            case not(Term)
            case negative(Term)
            case binary(Operator, Term, Term)
            /// Whether the first value is one of the others, or one of the answers to a repeating question (`in`).
            case among(Term, [Term])
        }

        /// What the term is.
        package let form: Form
        /// The position of the first character, from 1.
        package let position: Int
    }

    /// The expression as its author wrote it.
    package let source: String
    /// The root of the syntax tree.
    package let root: Term
    /// The names in the expression, with their members, each once, in order of appearance.
    package let items: [String]

    /// Parses an expression. `ExpressionCheck` checks names and types.
    /// - Throws: the first syntax fault and its position.
    package init(_ source: String, dialect: Dialect = .answers) throws(ExpressionFault) {
        var parser = try ExpressionParser(source, dialect: dialect)
        root = try parser.expression()
        self.source = source
        var items: [String] = []
        for name in parser.items where !items.contains(name) { items.append(name) }
        self.items = items
    }
}

/// A fault of an expression, and its position.
package struct ExpressionFault: Error, Sendable, Hashable {
    /// The position of the fault in characters, from 1.
    package let position: Int
    /// The explanation for people, without a full stop.
    package let detail: String

    /// The sentence for people.
    package var text: String { "At character \(position): \(detail)." }
}

/// The values that an expression can read.
package struct ExpressionScope {
    /// Returns the answer or answers to an item, by linkId; or the value of a variable, by name.
    let value: (String) -> ExpressionValue
    /// The date on which the participant completed the sheet, or the participant's date now for variables; nil if it is
    /// unknown.
    let today: LocalDate?
    /// Returns the participant's local date of a variable, by name; nil if there is none.
    let localDate: (String) -> LocalDate?

    /// Creates a scope; by default without local dates of variables.
    package init(
        value: @escaping (String) -> ExpressionValue, today: LocalDate?,
        localDate: @escaping (String) -> LocalDate? = { _ in nil }
    ) {
        self.value = value
        self.today = today
        self.localDate = localDate
    }
}

extension Expression {
    /// Evaluates the expression. A division by zero, and a number outside the range of `Double`, are blank.
    package func value(in scope: ExpressionScope) -> ExpressionValue { root.value(in: scope) }
}

extension Expression.Term {
    fileprivate func value(in scope: ExpressionScope) -> ExpressionValue {
        switch form {
        case .literal(let value): return value
        case .item(let name): return scope.value(name)
        case .call(let function, let arguments): return function.value(of: arguments, in: scope)
        case .not(let term): return term.value(in: scope).truth.map { .boolean(!$0) } ?? .blank
        case .negative(let term):
            return term.value(in: scope).number.map { .exact($0 * Quantity(-1)) } ?? .blank
        case .binary(let operation, let left, let right): return operation.value(left, right, in: scope)
        case .among(let term, let values):
            let one = term.value(in: scope)
            guard one != .blank else { return .blank }
            return .boolean(values.flatMap { $0.value(in: scope).known }.contains { one.equals($0) == true })
        }
    }
}

extension Expression.Operator {
    fileprivate func value(
        _ left: Expression.Term, _ right: Expression.Term, in scope: ExpressionScope
    ) -> ExpressionValue {
        let one = left.value(in: scope)
        switch self {
        case .and, .or:
            let deciding = self == .or
            if one.truth == deciding { return .boolean(deciding) }
            let other = right.value(in: scope)
            if other.truth == deciding { return .boolean(deciding) }
            return one.truth == nil || other.truth == nil ? .blank : .boolean(!deciding)
        default:
            let other = right.value(in: scope)
            return isComparison ? compared(one, other).map { .boolean($0) } ?? .blank : combined(one, other)
        }
    }

    var isComparison: Bool {
        switch self {
        case .equal, .notEqual, .less, .atMost, .greater, .atLeast: true
        case .or, .and, .add, .subtract, .multiply, .divide: false
        }
    }

    private func compared(_ one: ExpressionValue, _ other: ExpressionValue) -> Bool? {
        switch self {
        case .equal: one.equals(other)
        case .notEqual: one.equals(other).map { !$0 }
        case .less: one.isLess(than: other)
        case .greater: other.isLess(than: one)
        case .atMost: other.isLess(than: one).map { !$0 }
        case .atLeast: one.isLess(than: other).map { !$0 }
        case .or, .and, .add, .subtract, .multiply, .divide: nil
        }
    }

    /// Calculates with two numbers, with a date and a number of days, or with two dates, whose difference is in days.
    private func combined(_ one: ExpressionValue, _ other: ExpressionValue) -> ExpressionValue {
        switch (one, other) {
        case (.date(let left), .date(let right)): return .exact(Quantity(left.days - right.days))
        case (.date(let date), .number(let days)):
            guard let whole = Int(exactly: days.double), (-4_000_000...4_000_000).contains(whole) else {
                return .blank
            }
            return .date(date.adding(days: self == .subtract ? -whole : whole))
        case (.number(let left), .number(let right)):
            switch self {
            case .add: return .exact(left.quantity + right.quantity)
            case .subtract: return .exact(left.quantity - right.quantity)
            case .multiply: return .exact(left.quantity * right.quantity)
            default: return left.quantity.divided(by: right.quantity).map { .exact($0) } ?? .blank
            }
        default: return .blank
        }
    }
}

extension Expression.Function {
    fileprivate func value(of arguments: [Expression.Term], in scope: ExpressionScope) -> ExpressionValue {
        switch self {
        case .today: return scope.today.map { .date($0) } ?? .blank
        case .if:
            guard arguments.count == 3, let holds = arguments[0].value(in: scope).truth else { return .blank }
            return arguments[holds ? 1 : 2].value(in: scope)
        case .daysSince:
            guard case .item(let name)? = arguments.first?.form, let date = scope.localDate(name),
                let today = scope.today
            else { return .blank }
            return .exact(Quantity(today.days - date.days))
        default: break
        }
        let known = arguments.flatMap { $0.value(in: scope).known }
        let numbers = known.compactMap(\.number)
        switch self {
        case .count: return .exact(Quantity(known.count))
        case .exists: return .boolean(!known.isEmpty)
        case .length:
            guard case .text(let text)? = known.first else { return .blank }
            return .exact(Quantity(text.unicodeScalars.count))
        case .abs: return numbers.first.map { .exact($0 < .zero ? $0 * Quantity(-1) : $0) } ?? .blank
        case .sum: return numbers.isEmpty ? .blank : .exact(numbers.reduce(.zero, +))
        case .mean:
            return numbers.isEmpty ? .blank : .exact(numbers.reduce(.zero, +).divided(by: numbers.count))
        case .min: return known.reduce(.blank) { $1.isLess(than: $0) ?? true ? $1 : $0 }
        case .max: return known.reduce(.blank) { $0.isLess(than: $1) ?? true ? $1 : $0 }
        case .if, .today, .daysSince: return .blank
        }
    }
}
