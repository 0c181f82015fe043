import SaunterCore

/// Whether something holds, and whether it does not. A `not` goes down to the comparisons, because there a comparison with a
/// blank is false, and its opposite true; here both are blank.
extension LogicTranslation {
    private static let signs: Set = ["=", "!=", "<", "<=", ">", ">="]
    /// Each `if` is written twice, and so is what stands in it.
    private static let maximumIfs = 6

    /// An expression that is true where the logic comes to what is wanted, and only there.
    /// - Parameter holds: whether it is to hold, or not to.
    func truth(_ logic: Logic, _ holds: Bool) throws(LogicFault) -> String {
        switch logic {
        case .binary("and", _, _): return try joined(logic.parts(joinedBy: "and"), isAnd: holds, holds)
        case .binary("or", _, _): return try joined(logic.parts(joinedBy: "or"), isAnd: !holds, holds)
        case .binary(let sign, let left, let right): return try compared(sign, left, right, holds)
        case .call("not", let arguments) where arguments.count == 1: return try truth(arguments[0], !holds)
        case .call("selected", let arguments) where arguments.count == 2:
            guard let asked = item(arguments[0]), case .text(let code) = arguments[1],
                let value = options[asked.linkId]?[code]
            else { throw LogicFault(detail: "selected names no field and option of this form") }
            return chosen(value, asked, holds)
        case .call("true", _): return holds ? "true" : "false"
        case .call("false", _): return holds ? "false" : "true"
        case .call(let name, _): throw LogicFault(detail: "it uses the function \(name.prefix(40))")
        default: throw LogicFault(detail: "this is no condition")
        }
    }

    private func joined(_ parts: [Logic], isAnd: Bool, _ holds: Bool) throws(LogicFault) -> String {
        var texts: [String] = []
        for part in parts { texts.append(try truth(part, holds)) }
        return Self.joined(texts, isAnd: isAnd)
    }

    /// What is always true or never decides at once, or is not written.
    private static func joined(_ texts: [String], isAnd: Bool) -> String {
        let (deciding, idle) = isAnd ? ("false", "true") : ("true", "false")
        if texts.contains(deciding) { return deciding }
        let rest = texts.filter { $0 != idle }
        guard rest.count > 1 else { return rest.first ?? idle }
        return "(\(rest.joined(separator: isAnd ? " and " : " or ")))"
    }

    private func chosen(_ value: OptionValue, _ asked: Item, _ holds: Bool) -> String {
        guard asked.repeats else {
            let text = "\(asked.linkId) \(holds ? "=" : "!=") \(Self.word(value))"
            return known(text, blanks: [asked.linkId], passed: [], blankHolds: !holds)
        }
        let text = "\(Self.word(value)) in \(asked.linkId)"
        return holds ? text : "not (\(text))"
    }

    /// A comparison with what it comes to where something in it is blank.
    private func known(_ text: String, blanks: [String], passed: [String], blankHolds: Bool) -> String {
        var names: [String] = []
        let wanted = blankHolds || isRule ? blanks + passed : passed
        for name in wanted where !names.contains(name) && !(isRule && name == own?.linkId) {
            names.append(name)
        }
        let parts = names.map { blankHolds ? "not exists(\($0))" : "exists(\($0))" }
        return parts.isEmpty ? text : Self.joined(parts + [text], isAnd: !blankHolds)
    }

    // MARK: Comparisons

    private func compared(
        _ sign: String, _ left: Logic, _ right: Logic, _ holds: Bool
    ) throws(LogicFault) -> String {
        guard Self.signs.contains(sign) else { throw LogicFault(detail: "this is no condition") }
        switch (left.isLiteral, right.isLiteral) {
        case (true, true): return Self.isMet(sign, left, right) == holds ? "true" : "false"
        case (true, false): return try compared(Self.mirrored(sign), right, left, holds)
        default: break
        }
        if case .call("if", let arguments) = left, arguments.count == 3 {
            return try parted(arguments, sign, right, holds)
        }
        if case .call("if", let arguments) = right, arguments.count == 3 {
            return try parted(arguments, Self.mirrored(sign), left, holds)
        }
        if case .field(let name, let box?) = left {
            return try compared(name, box: box, sign, right, holds)
        }
        if case .text("") = right, sign == "=" || sign == "!=" {
            guard let asked = item(left) else { throw unknown(left) }
            return (sign == "=") == holds ? "not exists(\(asked.linkId))" : "exists(\(asked.linkId))"
        }
        if case .call("int", let arguments) = left, arguments.count == 1, !isWhole(arguments[0]),
            let whole = Self.truncated(sign, arguments[0], right), !mayDivideByZero(arguments[0])
        {
            return try truth(whole, holds)
        }
        if let divided = try divided(sign, left, right, holds) { return divided }
        if let divided = try divided(Self.mirrored(sign), right, left, holds) { return divided }
        if sign == "=" || sign == "!=" {
            if let asked = item(left), asked.repeats, asked.type.isQuestion {
                return try only(right, of: asked, (sign == "=") == holds)
            }
            if let asked = item(right), asked.repeats, asked.type.isQuestion {
                return try only(left, of: asked, (sign == "=") == holds)
            }
        }
        return try plain(sign, left, right, holds)
    }

    /// Two values as they are written; what is no number is compared as a text, and has no order.
    private static func isMet(_ sign: String, _ left: Logic, _ right: Logic) -> Bool {
        func number(_ logic: Logic) -> Double? {
            switch logic {
            case .number(let digits), .text(let digits): Double(digits)
            case .negative(.number(let digits)): Double(digits).map { -$0 }
            default: nil
            }
        }
        if case .text(let one) = left, case .text(let other) = right, sign == "=" || sign == "!=" {
            return (one == other) == (sign == "=")
        }
        guard let one = number(left), let other = number(right) else { return sign == "!=" }
        return switch sign {
        case "=": one == other
        case "!=": one != other
        case "<": one < other
        case "<=": one <= other
        case ">": one > other
        default: one >= other
        }
    }

    /// `if(condition, one, other)` beside a value: the condition and the one, or not the condition and the other.
    private func parted(
        _ arguments: [Logic], _ sign: String, _ other: Logic, _ holds: Bool
    ) throws(LogicFault) -> String {
        guard arguments.reduce(other.ifs, { $0 + $1.ifs }) < Self.maximumIfs else {
            throw LogicFault(detail: "it holds too many if")
        }
        let first = Self.joined(
            [try truth(arguments[0], true), try compared(sign, arguments[1], other, holds)], isAnd: true)
        let second = Self.joined(
            [try truth(arguments[0], false), try compared(sign, arguments[2], other, holds)], isAnd: true)
        return Self.joined([first, second], isAnd: false)
    }

    private func compared(
        _ name: String, box: String, _ sign: String, _ right: Logic, _ holds: Bool
    ) throws(LogicFault) -> String {
        guard let asked = fields[name], let value = options[asked.linkId]?[box] else {
            throw LogicFault(detail: "there is no field \(name.prefix(60))(\(box.prefix(40))) in this form")
        }
        guard sign == "=" || sign == "!=", right.isOne || right.isZero else {
            throw LogicFault(detail: "a box is compared with neither 1 nor 0")
        }
        let isTicked = right.isOne == (sign == "=")
        return chosen(value, asked, isTicked == holds)
    }

    /// Several answers are equal to one where it is the only one.
    private func only(_ value: Logic, of asked: Item, _ holds: Bool) throws(LogicFault) -> String {
        guard dialect == .xlsForm else {
            throw LogicFault(detail: "it compares a checkbox, which has no value: its boxes have")
        }
        guard case .option(let option)? = answer(value, to: asked) else {
            throw LogicFault(detail: "it compares \(asked.linkId) with what is none of its answers")
        }
        let text = "(\(Self.word(option)) in \(asked.linkId) and count(\(asked.linkId)) = 1)"
        return holds ? text : "not \(text)"
    }

    /// What `int(value)` beside a whole number from 0 on says of the value itself; `int` cuts towards 0.
    private static func truncated(_ sign: String, _ value: Logic, _ bound: Logic) -> Logic? {
        let digits: String
        switch bound {
        case .number(let given), .text(let given): digits = given
        default: return nil
        }
        guard let number = Int(digits), (0...1_000_000_000).contains(number) else { return nil }
        // Of 0 there is all between -1 and 1.
        let isZero = number == 0
        let next = Logic.number(String(number + 1))
        let atLeast = Logic.binary(isZero ? ">" : ">=", value, isZero ? .negative(.number("1")) : bound)
        let less = Logic.binary("<", value, next)
        switch sign {
        case ">": return .binary(">=", value, next)
        case ">=": return atLeast
        case "<": return isZero ? .binary("<=", value, .negative(.number("1"))) : .binary("<", value, bound)
        case "<=": return less
        case "=": return .binary("and", atLeast, less)
        default: return .call("not", [.binary("and", atLeast, less)])
        }
    }

    private func plain(
        _ sign: String, _ left: Logic, _ right: Logic, _ holds: Bool
    ) throws(LogicFault) -> String {
        let (one, other) = (try value(left, beside: right), try value(right, beside: left))
        let opposite = ["=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"]
        let actual = holds ? sign : opposite[sign] ?? sign
        let text = "\(one.text) \(actual) \(other.text)"
        let blankHolds = (sign == "!=") == holds
        if sign == "=" || sign == "!=", let first = item(left), let second = item(right) {
            guard haveSameCodes(first, second) else {
                throw LogicFault(detail: "it compares choices from two lists")
            }
            // There two fields without answers are equal.
            if !isRule || first.linkId != own?.linkId && second.linkId != own?.linkId {
                let (a, b) = ("exists(\(first.linkId))", "exists(\(second.linkId))")
                return blankHolds
                    ? "(\(a) != \(b) or (\(a) and \(text)))" : "(\(a) = \(b) and (not \(a) or \(text)))"
            }
        }
        guard !blankHolds || one.isTurnable && other.isTurnable else {
            throw LogicFault(detail: "it is not certain what a sum without numbers comes to")
        }
        return known(
            text, blanks: one.blanks + other.blanks, passed: one.passed + other.passed, blankHolds: blankHolds
        )
    }

    /// Whether what is equal there is equal here: codes of options may be others here.
    private func haveSameCodes(_ one: Item, _ other: Item) -> Bool {
        let (left, right) = (options[one.linkId], options[other.linkId])
        if left == right { return true }
        guard left == nil || right == nil, let table = left ?? right else { return false }
        return table.allSatisfy { $0.value.text == $0.key }
    }

    func unknown(_ logic: Logic) -> LogicFault {
        switch logic {
        case .field(let name, _) where fields[name] == nil:
            LogicFault(detail: "there is no field \(name.prefix(60)) in this form")
        case .field: LogicFault(detail: "a box is compared with neither 1 nor 0")
        default: LogicFault(detail: "this is not compared with a field")
        }
    }
}

extension Logic {
    /// How often `if` is in it.
    fileprivate var ifs: Int {
        switch self {
        case .field, .own, .text, .number: 0
        case .call(let name, let arguments): arguments.reduce(name == "if" ? 1 : 0) { $0 + $1.ifs }
        case .binary(_, let left, let right): left.ifs + right.ifs
        case .negative(let inner): inner.ifs
        }
    }
}
