import SaunterCore

/// A value in our own words, and where it is blank.
struct LogicValue {
    let text: String
    /// linkIds of what leaves it without a value where it is not answered.
    var blanks: [String] = []
    /// Those of them that our functions pass over, where there the value is none.
    var passed: [String] = []
    /// Whether it is known what a comparison that does not hold there comes to.
    var isTurnable = true
}

extension LogicTranslation {
    /// Functions of several numbers.
    private static let ofSeveral: Set = ["sum", "min", "max", "mean"]

    /// A side of a comparison, or a part of one.
    /// - Parameter other: the other side, which says what a literal is.
    func value(_ logic: Logic, beside other: Logic? = nil) throws(LogicFault) -> LogicValue {
        switch logic {
        case .field, .own:
            guard let asked = item(logic) else { throw unknown(logic) }
            return LogicValue(text: asked.linkId, blanks: [asked.linkId])
        case .text, .number, .negative(.number(_)): return LogicValue(text: try literal(logic, beside: other))
        case .negative(let inner):
            let part = try value(inner)
            return LogicValue(
                text: part.text.hasPrefix("-") ? "-(\(part.text))" : "-\(part.text)", blanks: part.blanks,
                passed: part.passed, isTurnable: part.isTurnable)
        case .binary(let sign, let left, let right) where ["+", "-", "*", "/"].contains(sign):
            return try reckoned(sign, left, right)
        case .call(let name, let arguments): return try call(name, arguments)
        default: throw LogicFault(detail: "it compares what are no values")
        }
    }

    private func literal(_ logic: Logic, beside other: Logic?) throws(LogicFault) -> String {
        if let asked = other.flatMap(item) {
            if let answer = self.answer(logic, to: asked) { return try Self.word(answer) }
            // Between two whole numbers there may be a bound, too.
            if asked.type == .integer, let number = Self.number(logic) { return number }
            throw LogicFault(detail: "it compares \(asked.linkId) with what is none of its answers")
        }
        if let number = Self.number(logic) { return number }
        guard other != nil, case .text(let text) = logic else {
            throw LogicFault(detail: "it reckons with what is no number")
        }
        return try Self.quoted(text)
    }

    /// A number as expressions write it: digits before the point, and behind it where there is one.
    private static func number(_ logic: Logic) -> String? {
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

    private func reckoned(_ sign: String, _ left: Logic, _ right: Logic) throws(LogicFault) -> LogicValue {
        if sign == "/", !isNeverZero(right) {
            throw LogicFault(detail: "it divides by what may be 0")
        }
        if isDate(left), !isDate(right), !isWhole(right) {
            throw LogicFault(detail: "it goes from a date by what may be no whole days")
        }
        let (one, other) = (try value(left), try value(right))
        return LogicValue(
            text: "(\(one.text) \(sign) \(other.text))", blanks: one.blanks + other.blanks,
            passed: one.passed + other.passed, isTurnable: one.isTurnable && other.isTurnable)
    }

    func isNeverZero(_ logic: Logic) -> Bool {
        if notZero.contains(logic) { return true }
        return switch logic {
        case .number(let digits), .text(let digits): Double(digits).map { $0 != 0 } ?? false
        case .negative(let inner): isNeverZero(inner)
        case .binary("*", let left, let right): isNeverZero(left) && isNeverZero(right)
        case .field, .own: (item(logic)?.minValue ?? 0) > 0
        default: false
        }
    }

    private func isDate(_ logic: Logic) -> Bool {
        switch logic {
        case .field, .own: item(logic)?.type == .date
        case .call("today", _), .call("date", _): true
        case .binary("+", let left, let right), .binary("-", let left, let right):
            isDate(left) && !isDate(right)
        default: false
        }
    }

    /// Whether a value is a whole number wherever it is one.
    func isWhole(_ logic: Logic) -> Bool {
        switch logic {
        case .number(let digits), .text(let digits): Int(digits) != nil
        case .negative(let inner): isWhole(inner)
        case .field, .own: item(logic)?.type == .integer
        case .call("count-selected", _), .call("string-length", _), .call("length", _): true
        case .call("int", let arguments), .call("number", let arguments), .call("abs", let arguments):
            arguments.count == 1 && isWhole(arguments[0])
        case .binary("-", let left, let right) where isDate(left) && isDate(right): true
        case .binary(let sign, let left, let right):
            ["+", "-", "*"].contains(sign) && isWhole(left) && isWhole(right)
        default: false
        }
    }

    // MARK: Functions

    private func call(_ name: String, _ arguments: [Logic]) throws(LogicFault) -> LogicValue {
        if name == "today", arguments.isEmpty { return LogicValue(text: "today()") }
        if Self.ofSeveral.contains(name), !arguments.isEmpty { return try several(name, arguments) }
        guard arguments.count == 1 else {
            throw LogicFault(detail: "it uses the function \(name.prefix(40))")
        }
        let argument = arguments[0]
        switch name {
        case "date":
            if case .text(let text) = argument, let date = LocalDate(text) {
                return LogicValue(text: "@\(date)")
            }
            guard isDate(argument) else { throw LogicFault(detail: "it uses date of what is none") }
            return try value(argument)
        case "number":
            let isChoice = item(argument)?.answerOption.first.map { Self.isNumber($0.value) } ?? false
            let isNumber = item(argument).map { [.integer, .decimal].contains($0.type) || isChoice } ?? true
            guard isNumber else { throw LogicFault(detail: "it uses number of what may be none") }
            return try value(argument)
        case "int":
            guard isWhole(argument) else { throw LogicFault(detail: "it uses int of what may have decimals") }
            return try value(argument)
        case "abs":
            let inner = try value(argument)
            return LogicValue(
                text: "abs(\(inner.text))", blanks: inner.blanks, passed: inner.passed,
                isTurnable: inner.isTurnable)
        case "count-selected":
            guard let asked = item(argument) else { throw unknown(argument) }
            return LogicValue(text: "count(\(asked.linkId))")
        case "string-length", "length": return try length(argument)
        default: throw LogicFault(detail: "it uses the function \(name.prefix(40))")
        }
    }

    private static func isNumber(_ value: OptionValue) -> Bool {
        if case .integer = value { return true }
        return false
    }

    /// There a blank is a text without characters.
    private func length(_ argument: Logic) throws(LogicFault) -> LogicValue {
        guard let asked = item(argument) else { throw unknown(argument) }
        guard asked.type == .string || asked.type == .text else {
            throw LogicFault(detail: "it asks how long \(asked.linkId) is, which is no text")
        }
        let name = asked.linkId
        if isRule, name == own?.linkId { return LogicValue(text: "length(\(name))", blanks: [name]) }
        return LogicValue(text: "if(exists(\(name)), length(\(name)), 0)")
    }

    /// XLSForm has no sum, least or greatest of what is blank in part; REDCap passes over blanks, as we do.
    private func several(_ name: String, _ arguments: [Logic]) throws(LogicFault) -> LogicValue {
        var (texts, blanks): ([String], [String]) = ([], [])
        for argument in arguments {
            let part = try value(argument)
            texts.append(part.text)
            blanks += part.blanks
        }
        guard instances.isDisjoint(with: blanks) else {
            throw LogicFault(detail: "it takes the \(name) of a group's instances")
        }
        let text = "\(name)(\(texts.joined(separator: ", ")))"
        return dialect == .xlsForm
            ? LogicValue(text: text, blanks: blanks, passed: blanks)
            : LogicValue(text: text, isTurnable: false)
    }

    // MARK: Words

    static func word(_ value: OptionValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .code(let code): "'\(code)'"
        }
    }

    private static func word(_ answer: Answer) throws(LogicFault) -> String {
        switch answer {
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .decimal(let value): return JSONNumber(value).literal
        case .text(let text): return try quoted(text)
        case .date(let date): return "@\(date)"
        case .time(let time): return "@\(time)"
        case .option(let value): return word(value)
        default: throw LogicFault(detail: "it compares with what cannot be written")
        }
    }

    /// Texts are written without escapes, in the quotes that they do not hold.
    private static func quoted(_ text: String) throws(LogicFault) -> String {
        let quotes: [String] = ["'", "\""]
        guard let quote = quotes.first(where: { !text.contains($0) }) else {
            throw LogicFault(detail: "it holds a text with quotes of both kinds")
        }
        return quote + text + quote
    }
}
