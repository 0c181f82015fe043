/// What an expression looks at.
package struct ExpressionScope {
    /// The answers to an item, as a value.
    let value: (String) -> ExpressionValue
    /// The day on which the sheet was completed; nil where nobody knows.
    let today: LocalDate?

    package init(value: @escaping (String) -> ExpressionValue, today: LocalDate?) {
        self.value = value
        self.today = today
    }
}

extension Expression {
    /// Works the expression out. A division by zero, and a number that no double holds, are blank.
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
        case .binary(let sign, let left, let right): return sign.value(left, right, in: scope)
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

    /// Numbers; a date and a number of days; the days between two dates.
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
        case .if, .today: return .blank
        }
    }
}
