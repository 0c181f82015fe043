import SaunterCore

/// Puts conditions of REDCap and XLSForm into our own words: conditions where they say it, else an expression. There, a
/// field that is not answered is an empty text; here it is blank, and what hangs on it does not hold.
struct LogicTranslation {
    /// Name there -> the item here.
    let fields: [String: Item]
    /// linkId -> code of an option there -> its value here.
    let options: [String: [String: OptionValue]]
    /// The item at which a rule stands, for `.`.
    var own: Item?

    /// What the logic comes to on an item.
    enum Rule {
        case conditions([Condition], EnableBehavior)
        case expression(String)
    }

    func rule(_ source: String) throws(LogicFault) -> Rule {
        let logic = try LogicParser.read(source)
        for (word, behavior) in [("and", EnableBehavior.all), ("or", .any)] {
            let parts = logic.parts(joinedBy: word)
            let conditions = parts.compactMap(condition)
            if conditions.count == parts.count, conditions.count <= 20 {
                return .conditions(conditions, behavior)
            }
        }
        return .expression(try truth(logic))
    }

    /// Of a constraint: what must hold.
    func expression(_ source: String) throws(LogicFault) -> String { try truth(try LogicParser.read(source)) }

    // MARK: Conditions

    /// Only what means the same for a blank, too: `!=` holds there for a blank, and here does not.
    private func condition(_ logic: Logic) -> Condition? {
        switch logic {
        case .call("selected", let arguments):
            guard arguments.count == 2, case .text(let code) = arguments[1] else { return nil }
            return equal(arguments[0], .text(code))
        case .binary("=", let left, let right): return equal(left, right)
        case .binary("!=", let left, .text("")):
            return item(left).map {
                Condition(question: $0.linkId, comparison: .exists, answer: .boolean(true))
            }
        case .binary(let sign, let left, let right):
            guard let comparison = Condition.Comparison(rawValue: sign), sign != "!=", let asked = item(left),
                asked.type == .integer || asked.type == .decimal, let answer = answer(right, to: asked)
            else { return nil }
            return Condition(question: asked.linkId, comparison: comparison, answer: answer)
        default: return nil
        }
    }

    private func equal(_ left: Logic, _ right: Logic) -> Condition? {
        if case .field(let name, let box?) = left, let asked = fields[name] {
            guard isOne(right), let value = options[asked.linkId]?[box] else { return nil }
            return Condition(question: asked.linkId, comparison: .equal, answer: .option(value))
        }
        guard let asked = item(left) else { return nil }
        if case .text("") = right {
            return Condition(question: asked.linkId, comparison: .exists, answer: .boolean(false))
        }
        return answer(right, to: asked).map {
            Condition(question: asked.linkId, comparison: .equal, answer: $0)
        }
    }

    private func item(_ logic: Logic) -> Item? {
        switch logic {
        case .field(let name, nil): fields[name]
        case .own: own
        default: nil
        }
    }

    private func isOne(_ logic: Logic) -> Bool { logic == .text("1") || logic == .number("1") }

    private func answer(_ logic: Logic, to item: Item) -> Answer? {
        let text: String
        switch logic {
        case .text(let given), .number(let given): text = given
        case .negative(.number(let given)): text = "-" + given
        default: return nil
        }
        switch item.type {
        case .boolean:
            return ["1": true, "0": false, "yes": true, "no": false, "true": true, "false": false][
                text.lowercased()
            ].map { .boolean($0) }
        case .integer: return Int(text).map { .integer($0) }
        case .decimal: return Double(text).flatMap { $0.isFinite ? .decimal($0) : nil }
        case .string, .text: return text.nonBlank.map { .text($0) }
        case .choice, .openChoice: return options[item.linkId]?[text].map { .option($0) }
        case .date: return LocalDate(text).map { .date($0) }
        case .time: return LocalTime(text).map { .time($0) }
        default: return nil
        }
    }

    // MARK: Expressions

    private func truth(_ logic: Logic) throws(LogicFault) -> String {
        switch logic {
        case .binary("and", let left, let right): return "(\(try truth(left)) and \(try truth(right)))"
        case .binary("or", let left, let right): return "(\(try truth(left)) or \(try truth(right)))"
        case .binary(let sign, let left, let right): return try compared(sign, left, right)
        case .call("not", let arguments) where arguments.count == 1: return "not (\(try truth(arguments[0])))"
        case .call("selected", let arguments) where arguments.count == 2:
            guard let asked = item(arguments[0]), case .text(let code) = arguments[1],
                let value = options[asked.linkId]?[code]
            else { throw LogicFault(detail: "selected names no field and option of this form") }
            return asked.repeats ? "\(word(value)) in \(asked.linkId)" : "\(asked.linkId) = \(word(value))"
        case .call("true", _): return "true"
        case .call("false", _): return "false"
        case .call(let name, _): throw LogicFault(detail: "it uses the function \(name.prefix(40))")
        default: throw LogicFault(detail: "this is no condition")
        }
    }

    private func compared(_ sign: String, _ left: Logic, _ right: Logic) throws(LogicFault) -> String {
        if sign == "=" || sign == "!=" {
            if case .field(let name, let box?) = left {
                guard let asked = fields[name], let value = options[asked.linkId]?[box] else {
                    throw LogicFault(
                        detail: "there is no field \(name.prefix(60))(\(box.prefix(40))) in this form")
                }
                guard isOne(right) || right == .text("0") || right == .number("0") else {
                    throw LogicFault(detail: "a box is compared with neither 1 nor 0")
                }
                let chosen =
                    asked.repeats ? "\(word(value)) in \(asked.linkId)" : "\(asked.linkId) = \(word(value))"
                return isOne(right) == (sign == "=") ? chosen : "not (\(chosen))"
            }
            if case .text("") = right {
                guard let asked = item(left) else { throw unknown(left) }
                return sign == "=" ? "not exists(\(asked.linkId))" : "exists(\(asked.linkId))"
            }
        }
        guard ["=", "!=", "<", "<=", ">", ">="].contains(sign) else {
            throw LogicFault(detail: "this is no condition")
        }
        let (one, other) = (try value(left, beside: right), try value(right, beside: left))
        // There a blank differs from every value.
        if sign == "!=", let asked = item(left) {
            return "(not exists(\(asked.linkId)) or \(one) != \(other))"
        }
        return "\(one) \(sign) \(other)"
    }

    private func unknown(_ logic: Logic) -> LogicFault {
        if case .field(let name, _) = logic {
            return LogicFault(detail: "there is no field \(name.prefix(60)) in this form")
        }
        return LogicFault(detail: "this is not compared with a field")
    }

    private func value(_ logic: Logic, beside other: Logic) throws(LogicFault) -> String {
        switch logic {
        case .field, .own:
            guard let asked = item(logic) else { throw unknown(logic) }
            return asked.linkId
        case .text, .number:
            if let asked = item(other) {
                guard let answer = answer(logic, to: asked) else {
                    throw LogicFault(detail: "it compares \(asked.linkId) with what is none of its answers")
                }
                return try word(answer)
            }
            if case .number(let digits) = logic { return digits }
            if case .text(let text) = logic, Double(text) != nil { return text }
            if case .text(let text) = logic, !text.contains("'") { return "'\(text)'" }
            throw LogicFault(detail: "it holds a text with quotes")
        case .negative(let inner): return "-\(try value(inner, beside: .number("")))"
        case .binary(let sign, let left, let right) where ["+", "-", "*", "/"].contains(sign):
            return "(\(try value(left, beside: right)) \(sign) \(try value(right, beside: left)))"
        case .call(let name, let arguments): return try call(name, arguments)
        default: throw LogicFault(detail: "it compares what are no values")
        }
    }

    private func call(_ name: String, _ arguments: [Logic]) throws(LogicFault) -> String {
        var values: [String] = []
        let names = [
            "count-selected": "count", "string-length": "length", "length": "length", "sum": "sum",
            "min": "min",
            "max": "max", "mean": "mean", "abs": "abs",
        ]
        if name == "today", arguments.isEmpty { return "today()" }
        if name == "int" || name == "number" || name == "date", arguments.count == 1 {
            if name == "date", case .text(let text) = arguments[0], let date = LocalDate(text) {
                return "@\(date)"
            }
            return try value(arguments[0], beside: .number(""))
        }
        if name == "if", arguments.count == 3 {
            let (then, other) = (
                try value(arguments[1], beside: .number("")), try value(arguments[2], beside: .number(""))
            )
            return "if(\(try truth(arguments[0])), \(then), \(other))"
        }
        guard let known = names[name] else {
            throw LogicFault(detail: "it uses the function \(name.prefix(40))")
        }
        for argument in arguments { values.append(try value(argument, beside: .text(""))) }
        return "\(known)(\(values.joined(separator: ", ")))"
    }

    private func word(_ value: OptionValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .code(let code): "'\(code)'"
        }
    }

    private func word(_ answer: Answer) throws(LogicFault) -> String {
        switch answer {
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .decimal(let value): return JSONNumber(value).literal
        case .text(let text) where !text.contains("'"): return "'\(text)'"
        case .date(let date): return "@\(date)"
        case .time(let time): return "@\(time)"
        case .option(let value): return word(value)
        default: throw LogicFault(detail: "it compares with what cannot be written")
        }
    }
}
