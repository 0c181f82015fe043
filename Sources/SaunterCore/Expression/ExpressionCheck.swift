/// The type of a part of an expression.
indirect enum ExpressionType: Hashable {
    case boolean, number, text, date, time, moment
    /// Of a question with several answers.
    case several(ExpressionType)
    /// A repeating group, which can be counted.
    case group

    var name: String {
        switch self {
        case .boolean: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .date: "a date"
        case .time: "a time of day"
        case .moment: "a moment"
        case .several: "several answers"
        case .group: "a group"
        }
    }

    /// Of several answers that of one.
    var one: ExpressionType { if case .several(let type) = self { type } else { self } }
}

/// Checks names and types of an expression before it is ever worked out; stops at the first fault.
struct ExpressionCheck {
    /// The type of an item as it is seen from where the expression stands, or why it cannot be named.
    let type: (String) -> Result<ExpressionType, ExpressionNameFault>
    /// The codes of an item's options; nil for items without.
    let codes: (String) -> Set<String>?

    /// The type of the whole.
    func check(_ expression: Expression, wants wanted: ExpressionType) throws(ExpressionFault) {
        let found = try type(of: expression.root)
        if found != wanted { throw expression.root.fault("this is \(found.name), not \(wanted.name)") }
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
            try want(.boolean, inner)
            return .boolean
        case .negative(let inner):
            try want(.number, inner)
            return .number
        case .binary(let sign, let left, let right): return try type(of: sign, left, right)
        case .among(let one, let values):
            let wanted = try type(of: one)
            guard wanted == wanted.one, wanted != .group else { throw one.fault("in looks for one value") }
            for value in values {
                let found = try type(of: value)
                guard found.one == wanted, values.count == 1 || found == found.one else {
                    throw value.fault("this is \(found.name), and looked for is \(wanted.name)")
                }
                try checkCodes(one, value)
            }
            return .boolean
        }
    }

    private func want(_ wanted: ExpressionType, _ term: Expression.Term) throws(ExpressionFault) {
        let found = try type(of: term)
        if found != wanted { throw term.fault("this is \(found.name), not \(wanted.name)") }
    }

    private func type(
        of sign: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term
    ) throws(ExpressionFault) -> ExpressionType {
        if sign == .and || sign == .or {
            try want(.boolean, left)
            try want(.boolean, right)
            return .boolean
        }
        let (one, other) = (try type(of: left), try type(of: right))
        if sign.isComparison {
            guard one == one.one, one != .group else {
                throw left.fault("\(one.name) cannot be compared; use in")
            }
            guard one == other else { throw right.fault("\(other.name) cannot be compared with \(one.name)") }
            if sign != .equal, sign != .notEqual, one == .text || one == .boolean {
                throw left.fault("\(one.name) has no order")
            }
            try checkCodes(left, right)
            try checkCodes(right, left)
            return .boolean
        }
        switch (sign, one, other) {
        case (.subtract, .date, .date): return .number
        case (.add, .date, .number), (.subtract, .date, .number): return .date
        case (_, .number, .number): return .number
        case (_, .number, _): throw right.fault("this is \(other.name), not a number")
        default: throw left.fault("this is \(one.name), not a number")
        }
    }

    private func type(
        of function: Expression.Function, _ arguments: [Expression.Term], _ term: Expression.Term
    ) throws(ExpressionFault) -> ExpressionType {
        let wanted: ClosedRange<Int> =
            switch function {
            case .today: 0...0
            case .if: 3...3
            case .abs, .length, .exists: 1...1
            case .count, .sum, .min, .max, .mean: 1...Expression.maximumTerms
            }
        guard wanted.contains(arguments.count) else {
            let number = wanted.count == 1 ? "\(wanted.lowerBound)" : "at least 1"
            throw term.fault("\(function.rawValue) takes \(number) in its brackets, not \(arguments.count)")
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
            try want(.number, arguments[0])
            return .number
        case .length:
            try want(.text, arguments[0])
            return .number
        case .min, .max:
            try all(types[0].one)
            guard ![.text, .boolean, .group].contains(types[0].one) else {
                throw arguments[0].fault("\(types[0].one.name) has no order")
            }
            return types[0].one
        case .if:
            try want(.boolean, arguments[0])
            guard types[1] == types[2] else {
                throw arguments[2].fault("this is \(types[2].name), and before it stands \(types[1].name)")
            }
            return types[1]
        }
    }

    /// A text that is none of the item's codes could never be met.
    private func checkCodes(_ item: Expression.Term, _ value: Expression.Term) throws(ExpressionFault) {
        guard case .item(let name) = item.form, let known = codes(name),
            case .literal(.text(let code)) = value.form, !known.contains(code)
        else { return }
        throw value.fault("\(name) has no option of this code")
    }
}

/// Why an item cannot be named in an expression.
struct ExpressionNameFault: Error {
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
        case .moment: .moment
        case .several(let values): .several(values.first?.type ?? .text)
        }
    }
}
