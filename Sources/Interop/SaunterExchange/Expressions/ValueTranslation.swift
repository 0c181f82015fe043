import SaunterCore

/// A translated value, and when it is blank.
struct TranslatedValue {
    let text: String
    /// linkIds whose missing answer makes the value blank in the source system.
    var blanks: [String] = []
    /// The linkIds in `blanks` whose missing answers the functions of Saunter ignore. In the source system the value
    /// is blank.
    var ignoredBlanks: [String] = []
    /// Whether the result of a comparison with a missing answer is known, so that the comparison can be negated.
    var isNegatable = true
}

extension ExpressionTranslator {
    /// Functions with several numeric arguments.
    private static let aggregates: Set = ["sum", "min", "max", "mean"]

    /// Translates one side of a comparison, or a part of it.
    /// - Parameter other: the other side, which determines the type of a literal.
    func value(_ logic: SourceExpression, comparedWith other: SourceExpression? = nil)
        throws(TranslationError)
        -> TranslatedValue
    {
        switch logic {
        case .field, .currentItem:
            guard let questionItem = item(logic) else { throw unknown(logic) }
            return TranslatedValue(text: questionItem.linkId, blanks: [questionItem.linkId])
        case .text, .number, .negative(.number(_)):
            return TranslatedValue(text: try literalText(logic, comparedWith: other))
        case .negative(let inner):
            let part = try value(inner)
            return TranslatedValue(
                text: part.text.hasPrefix("-") ? "-(\(part.text))" : "-\(part.text)", blanks: part.blanks,
                ignoredBlanks: part.ignoredBlanks, isNegatable: part.isNegatable)
        case .binary(let operation, let left, let right) where ["+", "-", "*", "/"].contains(operation):
            return try arithmetic(operation, left, right)
        case .call(let name, let arguments): return try call(name, arguments)
        default: throw TranslationError(detail: "the condition uses a condition where a value is needed")
        }
    }

    private func literalText(_ logic: SourceExpression, comparedWith other: SourceExpression?)
        throws(TranslationError) -> String
    {
        if let questionItem = other.flatMap(item) {
            if let answer = self.answer(logic, to: questionItem) { return try Self.literal(answer) }
            // A bound for a whole number may have decimals.
            if questionItem.type.definition.isWhole, let number = Self.number(logic) { return number }
            throw TranslationError(
                detail:
                    "the condition compares \(questionItem.linkId) with a value that is not one of its answers"
            )
        }
        if let number = Self.number(logic) { return number }
        guard other != nil, case .text(let text) = logic else {
            throw TranslationError(detail: "the condition calculates with a value that is not a number")
        }
        return try Self.quoted(text)
    }

    /// The number as expressions require it, with digits before the decimal point; nil if it is not a number.
    private static func number(_ logic: SourceExpression) -> String? {
        var (sign, given) = ("", "")
        switch logic {
        case .number(let digits): given = digits
        case .text(let text) where text.hasPrefix("-"): (sign, given) = ("-", String(text.dropFirst()))
        case .text(let text): given = text
        case .negative(.number(let digits)): (sign, given) = ("-", digits)
        default: return nil
        }
        let parts = given.split(separator: ".", omittingEmptySubsequences: false)
        guard given.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }), parts.count <= 2,
            parts.contains(where: { !$0.isEmpty })
        else { return nil }
        let whole = parts[0].isEmpty ? "0" : String(parts[0])
        return parts.count == 2 && !parts[1].isEmpty ? "\(sign)\(whole).\(parts[1])" : sign + whole
    }

    // MARK: Arithmetic

    private func arithmetic(_ operation: String, _ left: SourceExpression, _ right: SourceExpression)
        throws(TranslationError) -> TranslatedValue
    {
        if operation == "/", !isNeverZero(right) {
            throw TranslationError(detail: "the condition divides by a value that may be 0")
        }
        if isDate(left), !isDate(right), !isWhole(right) {
            throw TranslationError(
                detail: """
                    the condition adds a value to a date, or subtracts one, and the value is not always a whole number \
                    of days
                    """)
        }
        let (one, other) = (try value(left), try value(right))
        return TranslatedValue(
            text: "(\(one.text) \(operation) \(other.text))", blanks: one.blanks + other.blanks,
            ignoredBlanks: one.ignoredBlanks + other.ignoredBlanks,
            isNegatable: one.isNegatable && other.isNegatable)
    }

    func isNeverZero(_ logic: SourceExpression) -> Bool {
        if nonzeroDivisors.contains(logic) { return true }
        return switch logic {
        case .number(let digits), .text(let digits): Double(digits).map { $0 != 0 } ?? false
        case .negative(let inner): isNeverZero(inner)
        case .binary("*", let left, let right): isNeverZero(left) && isNeverZero(right)
        case .field, .currentItem: (item(logic)?.minValue ?? 0) > 0
        default: false
        }
    }

    private func isDate(_ logic: SourceExpression) -> Bool {
        switch logic {
        case .field, .currentItem: item(logic)?.expressionType == .date
        case .call("today", _), .call("date", _): true
        case .binary("+", let left, let right), .binary("-", let left, let right):
            isDate(left) && !isDate(right)
        default: false
        }
    }

    /// Whether the value is always a whole number, if it is a number.
    func isWhole(_ logic: SourceExpression) -> Bool {
        switch logic {
        case .number(let digits), .text(let digits): Int(digits) != nil
        case .negative(let inner): isWhole(inner)
        case .field, .currentItem: item(logic)?.type.definition.isWhole ?? false
        case .call("count-selected", _), .call("string-length", _), .call("length", _): true
        case .call("int", let arguments), .call("number", let arguments), .call("abs", let arguments):
            arguments.count == 1 && isWhole(arguments[0])
        case .binary("-", let left, let right) where isDate(left) && isDate(right): true
        case .binary(let operation, let left, let right):
            ["+", "-", "*"].contains(operation) && isWhole(left) && isWhole(right)
        default: false
        }
    }

    // MARK: Functions

    private func call(_ name: String, _ arguments: [SourceExpression]) throws(TranslationError)
        -> TranslatedValue
    {
        if name == "today", arguments.isEmpty { return TranslatedValue(text: "today()") }
        if Self.aggregates.contains(name), !arguments.isEmpty { return try aggregate(name, arguments) }
        guard arguments.count == 1 else {
            throw TranslationError(detail: "the condition uses the function \(name.prefix(40))")
        }
        let argument = arguments[0]
        switch name {
        case "date":
            if case .text(let text) = argument, let date = LocalDate(text) {
                return TranslatedValue(text: "@\(date)")
            }
            guard isDate(argument) else {
                throw TranslationError(
                    detail: "the condition uses the function date() with a value that is not a date")
            }
            return try value(argument)
        case "number":
            let isChoice = item(argument)?.answerOption.first?.value.isNumber ?? false
            let isNumber =
                item(argument).map { $0.type.form == .number && !$0.type.hasUnits || isChoice } ?? true
            guard isNumber else {
                throw TranslationError(
                    detail: "the condition uses the function number() with a value that may not be a number")
            }
            return try value(argument)
        case "int":
            guard isWhole(argument) else {
                throw TranslationError(
                    detail: "the condition uses the function int() with a value that may have decimals")
            }
            return try value(argument)
        case "abs":
            let inner = try value(argument)
            return TranslatedValue(
                text: "abs(\(inner.text))", blanks: inner.blanks, ignoredBlanks: inner.ignoredBlanks,
                isNegatable: inner.isNegatable)
        case "count-selected":
            guard let questionItem = item(argument) else { throw unknown(argument) }
            return TranslatedValue(text: "count(\(questionItem.linkId))")
        case "string-length", "length": return try length(argument)
        default: throw TranslationError(detail: "the condition uses the function \(name.prefix(40))")
        }
    }

    /// In the source systems the length of a missing answer is 0.
    private func length(_ argument: SourceExpression) throws(TranslationError) -> TranslatedValue {
        guard let questionItem = item(argument) else { throw unknown(argument) }
        guard questionItem.type.form == .text else {
            throw TranslationError(
                detail: "the condition uses the length of \(questionItem.linkId), which is not a text")
        }
        let name = questionItem.linkId
        if isConstraint, name == currentItem?.linkId {
            return TranslatedValue(text: "length(\(name))", blanks: [name])
        }
        return TranslatedValue(text: "if(exists(\(name)), length(\(name)), 0)")
    }

    /// Translates `sum`, `min`, `max` and `mean`. In XLSForm the result is not a number if an argument is missing.
    /// REDCap and Saunter ignore missing arguments.
    private func aggregate(_ name: String, _ arguments: [SourceExpression]) throws(TranslationError)
        -> TranslatedValue
    {
        var (texts, blanks): ([String], [String]) = ([], [])
        for argument in arguments {
            let part = try value(argument)
            texts.append(part.text)
            blanks += part.blanks
        }
        guard repeatedLinkIds.isDisjoint(with: blanks) else {
            throw TranslationError(
                detail: "the condition uses \(name) over the instances of a repeating group")
        }
        let text = "\(name)(\(texts.joined(separator: ", ")))"
        return dialect == .xlsForm
            ? TranslatedValue(text: text, blanks: blanks, ignoredBlanks: blanks)
            : TranslatedValue(text: text, isNegatable: false)
    }

    // MARK: Literals

    static func literal(_ value: OptionValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .code(let code): "'\(code)'"
        }
    }

    private static func literal(_ answer: Answer) throws(TranslationError) -> String {
        switch answer {
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .decimal(let value): return JSONNumber(value).literal
        case .text(let text): return try quoted(text)
        case .date(let date): return "@\(date)"
        case .time(let time): return "@\(time)"
        case .option(let value): return literal(value)
        default:
            throw TranslationError(
                detail: "the condition compares with a value that expressions cannot contain")
        }
    }

    /// The text in single or double quotes. Throws if it contains both, because expressions have no escapes.
    private static func quoted(_ text: String) throws(TranslationError) -> String {
        let quotes: [String] = ["'", "\""]
        guard let quote = quotes.first(where: { !text.contains($0) }) else {
            throw TranslationError(detail: "the condition contains a text with single and double quotes")
        }
        return quote + text + quote
    }
}
