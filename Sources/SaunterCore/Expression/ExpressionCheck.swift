/// The type of a part of an expression.
package indirect enum ExpressionType: Sendable, Hashable {
    case boolean, number, text, date, time, instant
    /// The answers to a repeating question, or to a question in all instances of a repeating group.
    case several(ExpressionType)
    /// A repeating group. An expression can count its instances with `count`, and test with `exists` whether there
    /// are any.
    case group

    var name: String {
        switch self {
        case .boolean: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .date: "a date"
        case .time: "a time of day"
        case .instant: "an instant"
        case .several: "several answers"
        case .group: "a group"
        }
    }

    /// The type of one answer, if this is the type of several answers.
    var one: ExpressionType { if case .several(let type) = self { type } else { self } }
}

/// Checks the names and types of an expression before it is evaluated. It stops at the first fault.
struct ExpressionCheck {
    /// Returns the type of an item or a tailoring variable, or why the expression cannot use it. An item of a repeating
    /// group has the type `several` if the expression is outside this group.
    let type: (String) -> Result<ExpressionType, ExpressionNameFault>
    /// Returns the codes of an item or a tailoring variable; nil if it has no codes.
    let codes: (String) -> Set<String>?

    /// Checks the complete expression, and that it has the expected type.
    func check(_ expression: Expression, expects expected: ExpressionType) throws(ExpressionFault) {
        let found = try type(of: expression.root)
        if found != expected { throw expression.root.fault("this is \(found.name), not \(expected.name)") }
    }

    /// Checks the complete expression, and returns its type.
    func type(of expression: Expression) throws(ExpressionFault) -> ExpressionType {
        try type(of: expression.root)
    }

    private func type(of term: Expression.Term) throws(ExpressionFault) -> ExpressionType {
        switch term.form {
        case .literal(let value): return value.type
        case .item(let name):
            switch type(name) {
            case .success(let type): return type
            case .failure(let fault): throw term.fault(fault.detail)
            }
        case .call(let function, let arguments): return try type(of: function, arguments, term)
        case .not(let inner):
            try require(.boolean, inner)
            return .boolean
        case .negative(let inner):
            try require(.number, inner)
            return .number
        case .binary(let operation, let left, let right): return try type(of: operation, left, right)
        case .among(let one, let values):
            let expected = try type(of: one)
            guard expected == expected.one, expected != .group else {
                throw one.fault("`in` expects one value on its left side")
            }
            for value in values {
                let found = try type(of: value)
                guard found.one == expected, values.count == 1 || found == found.one else {
                    throw value.fault("this is \(found.name), but `in` expects \(expected.name)")
                }
                try checkCodes(one, value)
            }
            return .boolean
        }
    }

    private func require(_ expected: ExpressionType, _ term: Expression.Term) throws(ExpressionFault) {
        let found = try type(of: term)
        if found != expected { throw term.fault("this is \(found.name), not \(expected.name)") }
    }

    private func type(
        of operation: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term
    ) throws(ExpressionFault) -> ExpressionType {
        if operation == .and || operation == .or {
            try require(.boolean, left)
            try require(.boolean, right)
            return .boolean
        }
        let (one, other) = (try type(of: left), try type(of: right))
        if operation.isComparison {
            guard one == one.one, one != .group else {
                let advice = one == .group ? "use `count` or `exists`" : "use `in`"
                throw left.fault("\(one.name) cannot be compared; \(advice)")
            }
            guard one == other else { throw right.fault("\(other.name) cannot be compared with \(one.name)") }
            if operation != .equal, operation != .notEqual, one == .text || one == .boolean {
                throw left.fault("\(one.name) has no order")
            }
            try checkCodes(left, right)
            try checkCodes(right, left)
            return .boolean
        }
        switch (operation, one, other) {
        case (.subtract, .date, .date): return .number
        case (.add, .date, .number), (.subtract, .date, .number): return .date
        case (_, .number, .number): return .number
        case (_, .number, _), (.add, .date, _):
            throw right.fault("this is \(other.name), not a number")
        case (.subtract, .date, _): throw right.fault("this is \(other.name), not a number or a date")
        default: throw left.fault("this is \(one.name), not a number")
        }
    }

    private func type(
        of function: Expression.Function, _ arguments: [Expression.Term], _ term: Expression.Term
    ) throws(ExpressionFault) -> ExpressionType {
        let arity: ClosedRange<Int> =
            switch function {
            case .today: 0...0
            case .if: 3...3
            case .abs, .length, .exists, .daysSince: 1...1
            case .count, .sum, .min, .max, .mean: 1...Expression.maximumTerms
            }
        guard arity.contains(arguments.count) else {
            let number = arity.count == 1 ? "\(arity.lowerBound)" : "at least 1"
            let noun = arity.lowerBound == 1 ? "argument" : "arguments"
            throw term.fault("\(function.rawValue) needs \(number) \(noun), not \(arguments.count)")
        }
        var types: [ExpressionType] = []
        for argument in arguments { types.append(try type(of: argument)) }
        func all(_ type: ExpressionType) throws(ExpressionFault) {
            for (argument, found) in zip(arguments, types) where found.one != type {
                throw argument.fault("this is \(found.name), not \(type.name)")
            }
        }
        switch function {
        case .today: return .date
        case .count: return .number
        case .exists: return .boolean
        case .sum, .mean:
            try all(.number)
            return .number
        case .abs:
            try require(.number, arguments[0])
            return .number
        case .length:
            try require(.text, arguments[0])
            return .number
        case .daysSince:
            guard case .item = arguments[0].form, types[0] == .date || types[0] == .instant else {
                throw arguments[0].fault("days_since needs a variable that is a date or an instant")
            }
            return .number
        case .min, .max:
            try all(types[0].one)
            guard ![.text, .boolean, .group].contains(types[0].one) else {
                throw arguments[0].fault("\(types[0].one.name) has no order")
            }
            return types[0].one
        case .if:
            try require(.boolean, arguments[0])
            guard types[1] == types[2] else {
                throw arguments[2].fault(
                    "this is \(types[2].name), but the argument before it is \(types[1].name)")
            }
            return types[1]
        }
    }

    /// Rejects a comparison with a text that is not one of the item's codes, because no answer equals it.
    private func checkCodes(_ item: Expression.Term, _ value: Expression.Term) throws(ExpressionFault) {
        guard case .item(let name) = item.form, let known = codes(name),
            case .literal(.text(let code)) = value.form, !known.contains(code)
        else { return }
        throw value.fault("\(name) has no option with this code")
    }
}

/// Why an expression cannot name an item or a tailoring variable.
package struct ExpressionNameFault: Error {
    let detail: String
}

extension Expression.Term {
    fileprivate func fault(_ detail: String) -> ExpressionFault {
        ExpressionFault(position: position, detail: detail)
    }
}

extension ExpressionValue {
    fileprivate var type: ExpressionType {
        switch self {
        case .boolean: .boolean
        case .number: .number
        case .text, .blank: .text
        case .date: .date
        case .time: .time
        case .instant: .instant
        case .several(let values): .several(values.first?.type ?? .text)
        }
    }
}
