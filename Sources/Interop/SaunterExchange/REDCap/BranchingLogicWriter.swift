import SaunterCore

/// Writes expressions as branching logic that holds for the same answers. In REDCap an unanswered field is an empty
/// text: it is unequal to every value and equal to another unanswered field. In Saunter a comparison with an
/// unanswered item is blank, so the condition does not hold.
struct BranchingLogicWriter {
    let questionnaire: Questionnaire
    /// linkId -> name of the field in REDCap.
    let field: (String) -> String

    /// The branching logic; nil if it cannot express the expression.
    func branchingLogic(_ source: String) -> String? {
        guard let expression = try? Expression(source) else { return nil }
        return truth(expression.root, true)
    }

    // MARK: Truth

    /// The branching logic that holds if the term is true, or that holds if the term is false. A blank term is neither.
    /// - Parameter holds: true if the term must be true; false if the term must be false.
    private func truth(_ term: Expression.Term, _ holds: Bool) -> String? {
        switch term.form {
        case .literal(.boolean(let value)): return value == holds ? "1 = 1" : "1 = 0"
        case .item(let name):
            guard singleQuestion(name)?.type.form == .truth else { return nil }
            return "[\(field(name))] = '\(holds ? "1" : "0")'"
        case .not(let inner): return truth(inner, !holds)
        case .binary(.and, let left, let right):
            return joined([truth(left, holds), truth(right, holds)], isAnd: holds)
        case .binary(.or, let left, let right):
            return joined([truth(left, holds), truth(right, holds)], isAnd: !holds)
        case .binary(let operation, let left, let right): return compared(operation, left, right, holds)
        case .among(let value, let list): return among(value, list, holds)
        case .call(.exists, let arguments):
            guard case .item(let name)? = arguments.first?.form, let questionItem = question(name) else {
                return nil
            }
            let boxes = REDCapVocabulary.boxes(
                questionItem, codes: questionItem.answerOption.map(\.value.text))
            return REDCapVocabulary.answeredLogic(holds, field: field(name), boxes: boxes)
        case .literal, .negative, .call: return nil
        }
    }

    private func joined(_ parts: [String?], isAnd: Bool) -> String? {
        let texts = parts.compactMap(\.self)
        guard texts.count == parts.count else { return nil }
        return texts.count == 1 ? texts[0] : "(\(texts.joined(separator: isAnd ? " and " : " or ")))"
    }

    private func compared(
        _ operation: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term, _ holds: Bool
    ) -> String? {
        if isBoolean(left) || isBoolean(right) {
            guard operation == .equal || operation == .notEqual else { return nil }
            let isSame = (operation == .equal) == holds
            return joined(
                [
                    joined([truth(left, true), truth(right, isSame)], isAnd: true),
                    joined([truth(left, false), truth(right, !isSame)], isAnd: true),
                ], isAnd: false)
        }
        guard let one = value(left), let other = value(right) else { return nil }
        let actual = holds ? operation : Self.opposite(operation)
        let word = actual == .notEqual ? "<>" : actual.rawValue
        var parts: [String?] = []
        let names = one.fields + other.fields
        // In REDCap two unanswered fields are equal, and datediff with an unanswered date is less than 1. So both sides
        // must be answered.
        if actual == .notEqual || one.countsDays || other.countsDays
            || !one.fields.isEmpty && !other.fields.isEmpty
        {
            for name in names where !parts.contains("[\(name)] <> ''") { parts.append("[\(name)] <> ''") }
        }
        for divisor in one.divisors + other.divisors { parts.append("\(divisor) <> 0") }
        return joined(parts + ["\(one.text) \(word) \(other.text)"], isAnd: true)
    }

    private static func opposite(_ operation: Expression.Operator) -> Expression.Operator {
        switch operation {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .atLeast
        case .atLeast: .less
        case .greater: .atMost
        case .atMost: .greater
        case .or, .and, .add, .subtract, .multiply, .divide: operation
        }
    }

    /// Whether a term is a Boolean.
    private func isBoolean(_ term: Expression.Term) -> Bool {
        switch term.form {
        case .literal(.boolean(_)), .not, .among, .call(.exists, _): true
        case .item(let name): question(name)?.type.form == .truth
        case .binary(let operation, _, _): ![.add, .subtract, .multiply, .divide].contains(operation)
        case .call(.if, let arguments): arguments.count == 3 && isBoolean(arguments[1])
        case .literal, .negative, .call: false
        }
    }

    /// The branching logic of `value in list`. If the list is one item with several answers, its answers are the list.
    private func among(_ value: Expression.Term, _ list: [Expression.Term], _ holds: Bool) -> String? {
        if list.count == 1, case .item(let name) = list[0].form {
            guard case .literal(let literal) = value.form, let questionItem = question(name),
                let code = Self.code(literal)
            else { return nil }
            if questionItem.type.form == .options, questionItem.repeats {
                return "[\(field(name))(\(code))] = '\(holds ? "1" : "0")'"
            }
            guard !questionItem.repeats, questionItem.type.form != .ranking, let word = Self.literal(literal)
            else { return nil }
            return "[\(field(name))] \(holds ? "=" : "<>") \(word)"
        }
        guard case .item(let name) = value.form, singleQuestion(name) != nil else { return nil }
        var parts: [String?] = holds ? [] : ["[\(field(name))] <> ''"]
        for other in list {
            guard case .literal(let literal) = other.form, let word = Self.literal(literal) else {
                return nil
            }
            parts.append("[\(field(name))] \(holds ? "=" : "<>") \(word)")
        }
        return joined(parts, isAnd: !holds)
    }

    // MARK: Values

    /// The operator precedence of a value, lowest first.
    private enum Precedence: Int {
        case sum, product, negation, operand
    }

    private struct Value {
        let text: String
        var precedence = Precedence.operand
        /// The fields in the value.
        var fields: [String] = []
        /// The divisors in the value that can be zero.
        var divisors: [String] = []
        /// Whether the value contains the number of days between two dates.
        var countsDays = false

        /// The text, in brackets if its precedence is below the minimum.
        func operandText(minimum: Precedence) -> String {
            precedence.rawValue < minimum.rawValue ? "(\(text))" : text
        }
    }

    private func value(_ term: Expression.Term) -> Value? {
        switch term.form {
        case .literal(let literal): return Self.literal(literal).map { Value(text: $0) }
        case .item(let name):
            guard let questionItem = singleQuestion(name), questionItem.type.form != .truth else {
                return nil
            }
            return Value(text: "[\(field(name))]", fields: [field(name)])
        case .negative(let inner):
            guard let part = value(inner) else { return nil }
            return Value(
                text: "-\(part.operandText(minimum: .operand))", precedence: .negation, fields: part.fields,
                divisors: part.divisors, countsDays: part.countsDays)
        case .binary(let operation, let left, let right):
            if isDate(left) || isDate(right) {
                return operation == .subtract ? days(from: right, to: left) : nil
            }
            return arithmetic(operation, left, right)
        case .not, .among, .call: return nil
        }
    }

    private func arithmetic(
        _ operation: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term
    ) -> Value? {
        guard let one = value(left), let other = value(right) else { return nil }
        let isProduct = operation == .multiply || operation == .divide
        guard isProduct || operation == .add || operation == .subtract else { return nil }
        // The right operand needs brackets at equal precedence: a - (b - 1).
        let first = one.operandText(minimum: isProduct ? .product : .sum)
        let second = other.operandText(minimum: isProduct ? .operand : .product)
        var divisors = one.divisors + other.divisors
        let isNeverZero = Double(other.text).map { $0 != 0 } ?? false
        if operation == .divide, !isNeverZero { divisors.append(other.operandText(minimum: .operand)) }
        return Value(
            text: "\(first) \(operation.rawValue) \(second)", precedence: isProduct ? .product : .sum,
            fields: one.fields + other.fields, divisors: divisors,
            countsDays: one.countsDays || other.countsDays)
    }

    /// The days between two dates; negative if the second is earlier.
    private func days(from start: Expression.Term, to end: Expression.Term) -> Value? {
        guard let one = day(start), let other = day(end) else { return nil }
        return Value(
            text: "datediff(\(one.text), \(other.text), \"d\", true)", fields: one.fields + other.fields,
            countsDays: true)
    }

    private func day(_ term: Expression.Term) -> Value? {
        switch term.form {
        case .call(.today, _): Value(text: "'today'")
        case .literal(.date(_)), .item: value(term)
        default: nil
        }
    }

    private func isDate(_ term: Expression.Term) -> Bool {
        switch term.form {
        case .literal(.date(_)), .call(.today, _): true
        case .item(let name): question(name)?.expressionType == .date
        case .binary(.add, let left, _): isDate(left)
        case .binary(.subtract, let left, let right): isDate(left) && !isDate(right)
        default: false
        }
    }

    // MARK: Fields and literals

    private func question(_ linkId: String) -> Item? {
        let all = questionnaire.questions + questionnaire.repeatedQuestions.map(\.item)
        return all.first { $0.linkId == linkId && $0.type.isQuestion }
    }

    /// The question, if it has one value.
    private func singleQuestion(_ linkId: String) -> Item? {
        question(linkId).flatMap { $0.repeats || $0.type.form == .ranking ? nil : $0 }
    }

    private static func code(_ literal: ExpressionValue) -> String? {
        switch literal {
        case .number(let number): JSONNumber(number.double).literal
        case .text(let text): text
        default: nil
        }
    }

    private static func literal(_ literal: ExpressionValue) -> String? {
        switch literal {
        case .boolean(let value): value ? "'1'" : "'0'"
        case .number(let number): JSONNumber(number.double).literal
        case .text(let text): "'\(text.replacing("'", with: "\\'"))'"
        case .date(let date): "'\(date)'"
        case .time(let time): "'\(time)'"
        case .blank, .instant, .several: nil
        }
    }
}
