import SaunterCore

/// Whose rules a condition follows.
enum LogicDialect {
    case redcap, xlsForm
}

/// Puts conditions of REDCap and XLSForm into our own words: conditions where they say it, else an expression. There, a
/// field that is not answered is an empty text; here it is blank, and what hangs on it does not hold. What cannot be said
/// with the same meaning, blanks included, is a fault.
struct LogicTranslation {
    /// Name there -> the item here.
    let fields: [String: Item]
    /// linkId -> code of an option there -> its value here.
    let options: [String: [String: OptionValue]]
    /// The item at which a rule stands, for `.`.
    var own: Item?
    var dialect = LogicDialect.xlsForm
    /// linkIds of what stands in repeating groups: of these there may be several answers, or none.
    var instances: Set<String> = []
    /// Whether what must hold is written, which is asked only where its own item is answered, and has to be false where it
    /// does not hold; what decides whether an item is shown may as well be blank there.
    var isRule = false
    /// Divisors of which what is written says beside them that they are not 0.
    var notZero: Set<Logic> = []

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
        return .expression(try Self.readable(try truth(logic, true)))
    }

    /// An expression that is true where the logic holds, and only there.
    func expression(_ source: String) throws(LogicFault) -> String {
        try Self.readable(try truth(try LogicParser.read(source), true))
    }

    /// Of a constraint: an expression that is false where the own item is answered and the logic does not hold.
    func constraint(_ source: String) throws(LogicFault) -> String {
        let logic = try LogicParser.read(source)
        guard let own else { throw LogicFault(detail: "it stands at no item") }
        var rule = self
        rule.isRule = true
        let text = try Self.readable(try rule.truth(logic, true))
        // What hangs on its own answer alone is blank without one, unless it asks whether there is one.
        let isOwnAlone =
            (try? Expression(text))?.items == [own.linkId]
            && ![" in ", "exists(", "count("].contains { text.contains($0) }
        return isOwnAlone ? text : try Self.readable("(not exists(\(own.linkId)) or \(text))")
    }

    /// The expression itself, unless it is too long, too deep or otherwise none.
    static func readable(_ expression: String) throws(LogicFault) -> String {
        do throws(ExpressionFault) {
            _ = try Expression(expression)
        } catch {
            throw LogicFault(detail: "it cannot be an expression here: \(error.detail)")
        }
        return expression
    }

    // MARK: Conditions

    /// Only what means the same for a blank, too: `!=` holds there for a blank, and an expression says so.
    private func condition(_ logic: Logic) -> Condition? {
        switch logic {
        case .call("selected", let arguments):
            guard arguments.count == 2, case .text(let code) = arguments[1] else { return nil }
            return equal(arguments[0], .text(code), isAmong: true)
        case .binary(let sign, let left, let right) where left.isLiteral && !right.isLiteral:
            return condition(.binary(Self.mirrored(sign), right, left))
        case .binary("=", let left, let right): return equal(left, right, isAmong: false)
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

    /// - Parameter isAmong: whether one of several answers is enough; `=` means that it is the only one.
    private func equal(_ left: Logic, _ right: Logic, isAmong: Bool) -> Condition? {
        if case .field(let name, let box?) = left, let asked = fields[name] {
            guard right.isOne, let value = options[asked.linkId]?[box] else { return nil }
            return Condition(question: asked.linkId, comparison: .equal, answer: .option(value))
        }
        guard let asked = item(left) else { return nil }
        if case .text("") = right {
            return Condition(question: asked.linkId, comparison: .exists, answer: .boolean(false))
        }
        guard isAmong || !asked.repeats else { return nil }
        return answer(right, to: asked).map {
            Condition(question: asked.linkId, comparison: .equal, answer: $0)
        }
    }

    // MARK: Fields and answers

    /// The item that a field is; none of a box.
    func item(_ logic: Logic) -> Item? {
        switch logic {
        case .field(let name, nil): fields[name]
        case .own: own
        default: nil
        }
    }

    /// What a literal is as an answer; nil where the item cannot be answered so.
    func answer(_ logic: Logic, to item: Item) -> Answer? {
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

    /// The sign that says the same with its sides exchanged.
    static func mirrored(_ sign: String) -> String {
        ["<": ">", ">": "<", "<=": ">=", ">=": "<="][sign] ?? sign
    }
}

extension Logic {
    /// Whether it is a value as it is written.
    var isLiteral: Bool {
        switch self {
        case .text, .number, .negative(.number(_)): true
        default: false
        }
    }

    var isOne: Bool { self == .text("1") || self == .number("1") }
    var isZero: Bool { self == .text("0") || self == .number("0") }
}
