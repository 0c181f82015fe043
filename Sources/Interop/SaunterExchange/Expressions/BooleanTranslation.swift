import SaunterCore

/// Translates conditions that are true or false. In the source systems a comparison with a missing answer is false and
/// its negation is true; in Saunter both are blank. Therefore `not` is moved down to the comparisons.
extension ExpressionTranslator {
    private static let comparisons: Set = ["=", "!=", "<", "<=", ">", ">="]
    /// The maximum number of `if` calls. Each one is written twice, with the `if` calls inside it.
    private static let maximumIfs = 6
    private static let valueInsteadOfCondition = TranslationError(
        detail: "the condition uses a value where a condition is needed")

    /// Returns an expression that is true exactly if the condition has the wanted result.
    /// - Parameter holds: whether the condition must hold, or must not hold.
    func translateCondition(_ logic: SourceExpression, holds: Bool) throws(TranslationError) -> String {
        switch logic {
        case .binary("and", _, _):
            return try translateOperands(logic.parts(joinedBy: "and"), isAnd: holds, holds)
        case .binary("or", _, _):
            return try translateOperands(logic.parts(joinedBy: "or"), isAnd: !holds, holds)
        case .binary(let operation, let left, let right):
            return try translateComparison(operation, left, right, holds)
        case .call("not", let arguments) where arguments.count == 1:
            return try translateCondition(arguments[0], holds: !holds)
        case .call("selected", let arguments) where arguments.count == 2:
            guard let questionItem = item(arguments[0]), case .text(let code) = arguments[1],
                let value = options[questionItem.linkId]?[code]
            else {
                throw TranslationError(detail: "selected does not name a field and an option of this form")
            }
            return translateSelection(value, questionItem, holds)
        case .call("true", _): return holds ? "true" : "false"
        case .call("false", _): return holds ? "false" : "true"
        case .call(let name, _):
            throw TranslationError(detail: "the condition uses the function \(name.prefix(40))")
        default: throw Self.valueInsteadOfCondition
        }
    }

    private func translateOperands(_ parts: [SourceExpression], isAnd: Bool, _ holds: Bool)
        throws(TranslationError)
        -> String
    {
        var texts: [String] = []
        for part in parts { texts.append(try translateCondition(part, holds: holds)) }
        return Self.combine(texts, isAnd: isAnd)
    }

    /// Combines expressions. Operands that do not change the result are omitted, and an operand that decides the result
    /// replaces all others.
    private static func combine(_ texts: [String], isAnd: Bool) -> String {
        let (deciding, neutral) = isAnd ? ("false", "true") : ("true", "false")
        if texts.contains(deciding) { return deciding }
        let rest = texts.filter { $0 != neutral }
        guard rest.count > 1 else { return rest.first ?? neutral }
        return "(\(rest.joined(separator: isAnd ? " and " : " or ")))"
    }

    /// Translates the test whether an option is chosen (`holds`), or is not chosen.
    private func translateSelection(_ value: OptionValue, _ questionItem: Item, _ holds: Bool) -> String {
        guard questionItem.repeats else {
            let text = "\(questionItem.linkId) \(holds ? "=" : "!=") \(Self.literal(value))"
            return addBlankChecks(
                text, blanks: [questionItem.linkId], ignoredBlanks: [], isTrueWhenBlank: !holds)
        }
        let text = "\(Self.literal(value)) in \(questionItem.linkId)"
        return holds ? text : "not (\(text))"
    }

    /// Adds to a comparison its result for missing answers.
    /// - Parameters:
    ///   - blanks: the linkIds whose missing answer makes the comparison blank.
    ///   - ignoredBlanks: those that the functions of Saunter ignore if they are not answered, but the functions of the
    ///     source system do not.
    ///   - isTrueWhenBlank: the result for a missing answer.
    private func addBlankChecks(
        _ text: String, blanks: [String], ignoredBlanks: [String], isTrueWhenBlank: Bool
    )
        -> String
    {
        var names: [String] = []
        let wanted = isTrueWhenBlank || isConstraint ? blanks + ignoredBlanks : ignoredBlanks
        for name in wanted where !names.contains(name) && !(isConstraint && name == currentItem?.linkId) {
            names.append(name)
        }
        let parts = names.map { isTrueWhenBlank ? "not exists(\($0))" : "exists(\($0))" }
        return parts.isEmpty ? text : Self.combine(parts + [text], isAnd: !isTrueWhenBlank)
    }

    // MARK: Comparisons

    private func translateComparison(
        _ operation: String, _ left: SourceExpression, _ right: SourceExpression, _ holds: Bool
    ) throws(TranslationError) -> String {
        guard Self.comparisons.contains(operation) else {
            throw Self.valueInsteadOfCondition
        }
        switch (left.isLiteral, right.isLiteral) {
        case (true, true): return Self.compareLiterals(operation, left, right) == holds ? "true" : "false"
        case (true, false): return try translateComparison(Self.mirrored(operation), right, left, holds)
        default: break
        }
        if case .call("if", let arguments) = left, arguments.count == 3 {
            return try translateConditionalComparison(arguments, operation, right, holds)
        }
        if case .call("if", let arguments) = right, arguments.count == 3 {
            return try translateConditionalComparison(arguments, Self.mirrored(operation), left, holds)
        }
        if case .field(let name, let box?) = left {
            return try translateCheckboxComparison(name, box: box, operation, right, holds)
        }
        if case .text("") = right, operation == "=" || operation == "!=" {
            guard let questionItem = item(left) else { throw unknown(left) }
            return (operation == "=") == holds
                ? "not exists(\(questionItem.linkId))" : "exists(\(questionItem.linkId))"
        }
        if case .call("int", let arguments) = left, arguments.count == 1, !isWhole(arguments[0]),
            let whole = Self.withoutTruncation(operation, arguments[0], right), !mayDivideByZero(arguments[0])
        {
            return try translateCondition(whole, holds: holds)
        }
        if let division = try translateDivision(operation, left, right, holds) { return division }
        if let division = try translateDivision(Self.mirrored(operation), right, left, holds) {
            return division
        }
        if operation == "=" || operation == "!=" {
            if let questionItem = item(left), questionItem.repeats, questionItem.type.isQuestion {
                return try translateOnlyAnswer(right, of: questionItem, (operation == "=") == holds)
            }
            if let questionItem = item(right), questionItem.repeats, questionItem.type.isQuestion {
                return try translateOnlyAnswer(left, of: questionItem, (operation == "=") == holds)
            }
        }
        return try translatePlainComparison(operation, left, right, holds)
    }

    /// Compares two literals. Texts that are not numbers can only be equal or unequal.
    private static func compareLiterals(
        _ operation: String, _ left: SourceExpression, _ right: SourceExpression
    )
        -> Bool
    {
        func number(_ logic: SourceExpression) -> Double? {
            switch logic {
            case .number(let digits), .text(let digits): Double(digits)
            case .negative(.number(let digits)): Double(digits).map { -$0 }
            default: nil
            }
        }
        if case .text(let one) = left, case .text(let other) = right, operation == "=" || operation == "!=" {
            return (one == other) == (operation == "=")
        }
        guard let one = number(left), let other = number(right) else { return operation == "!=" }
        return switch operation {
        case "=": one == other
        case "!=": one != other
        case "<": one < other
        case "<=": one <= other
        case ">": one > other
        default: one >= other
        }
    }

    /// Translates the comparison of `if(condition, first, second)` with a value: (condition and first comparison) or
    /// (not condition and second comparison).
    private func translateConditionalComparison(
        _ arguments: [SourceExpression], _ operation: String, _ other: SourceExpression, _ holds: Bool
    ) throws(TranslationError) -> String {
        guard arguments.reduce(other.conditionalCount, { $0 + $1.conditionalCount }) < Self.maximumIfs else {
            throw TranslationError(detail: "the condition contains too many if functions")
        }
        let first = Self.combine(
            [
                try translateCondition(arguments[0], holds: true),
                try translateComparison(operation, arguments[1], other, holds),
            ], isAnd: true)
        let second = Self.combine(
            [
                try translateCondition(arguments[0], holds: false),
                try translateComparison(operation, arguments[2], other, holds),
            ], isAnd: true
        )
        return Self.combine([first, second], isAnd: false)
    }

    private func translateCheckboxComparison(
        _ name: String, box: String, _ operation: String, _ right: SourceExpression, _ holds: Bool
    ) throws(TranslationError) -> String {
        guard let questionItem = fields[name], let value = options[questionItem.linkId]?[box] else {
            throw TranslationError(
                detail: "there is no field \(name.prefix(60))(\(box.prefix(40))) in this form")
        }
        guard operation == "=" || operation == "!=", right.isOne || right.isZero else {
            throw TranslationError(detail: "a checkbox option can only be compared with 1 or 0")
        }
        let isChecked = right.isOne == (operation == "=")
        return translateSelection(value, questionItem, isChecked == holds)
    }

    /// Translates the comparison of a multiple choice with a value. They are equal if the value is the only answer.
    private func translateOnlyAnswer(_ value: SourceExpression, of questionItem: Item, _ holds: Bool)
        throws(TranslationError)
        -> String
    {
        guard dialect == .xlsForm else {
            throw TranslationError(
                detail: "the condition compares a checkbox, but only the options of a checkbox have values")
        }
        guard case .option(let option)? = answer(value, to: questionItem) else {
            throw TranslationError(
                detail:
                    "the condition compares \(questionItem.linkId) with a value that is not one of its answers"
            )
        }
        let text = "(\(Self.literal(option)) in \(questionItem.linkId) and count(\(questionItem.linkId)) = 1)"
        return holds ? text : "not \(text)"
    }

    /// Replaces `int(value)` in a comparison with a whole number from 0: the condition that the value itself must meet.
    /// `int` truncates toward 0.
    private static func withoutTruncation(
        _ operation: String, _ value: SourceExpression, _ bound: SourceExpression
    )
        -> SourceExpression?
    {
        let digits: String
        switch bound {
        case .number(let given), .text(let given): digits = given
        default: return nil
        }
        guard let number = Int(digits), (0...1_000_000_000).contains(number) else { return nil }
        // All values between -1 and 1 truncate to 0.
        let isZero = number == 0
        let next = SourceExpression.number(String(number + 1))
        let atLeast = SourceExpression.binary(
            isZero ? ">" : ">=", value, isZero ? .negative(.number("1")) : bound)
        let less = SourceExpression.binary("<", value, next)
        switch operation {
        case ">": return .binary(">=", value, next)
        case ">=": return atLeast
        case "<": return isZero ? .binary("<=", value, .negative(.number("1"))) : .binary("<", value, bound)
        case "<=": return less
        case "=": return .binary("and", atLeast, less)
        default: return .call("not", [.binary("and", atLeast, less)])
        }
    }

    /// Translates a comparison to which none of the special cases of `translateComparison` applies.
    private func translatePlainComparison(
        _ operation: String, _ left: SourceExpression, _ right: SourceExpression, _ holds: Bool
    ) throws(TranslationError) -> String {
        let (one, other) = (try value(left, comparedWith: right), try value(right, comparedWith: left))
        let opposite = ["=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"]
        let actual = holds ? operation : opposite[operation] ?? operation
        let text = "\(one.text) \(actual) \(other.text)"
        let isTrueWhenBlank = (operation == "!=") == holds
        if operation == "=" || operation == "!=", let first = item(left), let second = item(right) {
            guard haveSameCodes(first, second) else {
                throw TranslationError(detail: "the condition compares options of two different lists")
            }
            // In the source systems two unanswered fields are equal.
            if !isConstraint || first.linkId != currentItem?.linkId && second.linkId != currentItem?.linkId {
                let (a, b) = ("exists(\(first.linkId))", "exists(\(second.linkId))")
                return isTrueWhenBlank
                    ? "(\(a) != \(b) or (\(a) and \(text)))" : "(\(a) = \(b) and (not \(a) or \(text)))"
            }
        }
        guard !isTrueWhenBlank || one.isNegatable && other.isNegatable else {
            throw TranslationError(detail: "the result of a sum without numbers is not defined")
        }
        return addBlankChecks(
            text, blanks: one.blanks + other.blanks, ignoredBlanks: one.ignoredBlanks + other.ignoredBlanks,
            isTrueWhenBlank: isTrueWhenBlank
        )
    }

    /// Whether equal answers of both items have equal values in Saunter. The import may have renamed option codes.
    private func haveSameCodes(_ one: Item, _ other: Item) -> Bool {
        let (left, right) = (options[one.linkId], options[other.linkId])
        if left == right { return true }
        guard left == nil || right == nil, let table = left ?? right else { return false }
        return table.allSatisfy { $0.value.text == $0.key }
    }

    func unknown(_ logic: SourceExpression) -> TranslationError {
        switch logic {
        case .field(let name, _) where fields[name] == nil:
            TranslationError(detail: "there is no field \(name.prefix(60)) in this form")
        case .field: TranslationError(detail: "a checkbox option can only be compared with 1 or 0")
        default: TranslationError(detail: "the condition compares values without a field")
        }
    }
}

extension SourceExpression {
    /// The number of `if` calls in the expression.
    fileprivate var conditionalCount: Int {
        switch self {
        case .field, .currentItem, .text, .number: 0
        case .call(let name, let arguments):
            arguments.reduce(name == "if" ? 1 : 0) { $0 + $1.conditionalCount }
        case .binary(_, let left, let right): left.conditionalCount + right.conditionalCount
        case .negative(let inner): inner.conditionalCount
        }
    }
}

/// Divisions by a value that may be 0. In XPath the quotient is then infinite, or not a number if the dividend is
/// also 0. In Saunter it is blank. A comparison with such a quotient can still be translated, because its result
/// follows from dividend and divisor.
extension ExpressionTranslator {
    /// Translates the comparison of a quotient whose divisor may be 0; nil for any other comparison. The behaviour of
    /// REDCap is not documented, so its conditions are not translated.
    func translateDivision(
        _ operation: String, _ quotient: SourceExpression, _ other: SourceExpression, _ holds: Bool
    ) throws(TranslationError) -> String? {
        guard dialect == .xlsForm, case .binary("/", let dividend, let divisor) = quotient,
            !isNeverZero(divisor), hasUnsignedZero(divisor),
            !mayDivideByZero(dividend), !mayDivideByZero(divisor), !mayDivideByZero(other)
        else { return nil }
        let zero = SourceExpression.number("0")
        var translator = self
        translator.nonzeroDivisors.insert(divisor)
        // With a quotient that is not a number, only `!=` is true.
        let isUnequal = operation == "!="
        let finite = SourceExpression.binary(
            "and", .binary("!=", divisor, zero), .binary(isUnequal ? "=" : operation, quotient, other))
        guard operation != "=", !isUnequal else {
            return try translator.translateCondition(finite, holds: holds != isUnequal)
        }
        let infinite = SourceExpression.binary(
            "and", .binary("=", divisor, zero), .binary(operation.hasPrefix("<") ? "<" : ">", dividend, zero))
        return try translator.translateCondition(.binary("or", finite, infinite), holds: holds)
    }

    /// Whether the expression contains a division by a value that may be 0.
    func mayDivideByZero(_ logic: SourceExpression) -> Bool {
        switch logic {
        case .field, .currentItem, .text, .number: false
        case .negative(let inner): mayDivideByZero(inner)
        case .call(_, let arguments): arguments.contains(where: mayDivideByZero)
        case .binary(let operation, let left, let right):
            operation == "/" && !isNeverZero(right) || mayDivideByZero(left) || mayDivideByZero(right)
        }
    }

    /// Whether the expression can only be 0 without a sign, and its 0 is computed exactly. True for an answer and for
    /// sums of whole numbers.
    private func hasUnsignedZero(_ logic: SourceExpression) -> Bool {
        switch logic {
        case .field, .currentItem, .call("count-selected", _): true
        case .binary("+", let left, let right), .binary("-", let left, let right):
            isWhole(logic) && hasUnsignedZero(left) && hasUnsignedZero(right)
        case .number(let digits): Int(digits) != nil
        default: false
        }
    }
}
