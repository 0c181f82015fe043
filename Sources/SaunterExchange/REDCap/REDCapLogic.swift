import SaunterCore

/// Puts our expressions into branching logic that holds for the same answers. There, a field without an answer is an empty
/// text, which differs from everything and equals another one; here, what hangs on it is blank and does not hold.
struct REDCapLogic {
    let questionnaire: Questionnaire
    /// linkId -> what the field is called there.
    let field: (String) -> String

    /// Nil where the expression says what branching logic does not.
    func words(_ source: String) -> String? {
        guard let expression = try? Expression(source) else { return nil }
        return truth(expression.root, true)
    }

    // MARK: Truth

    /// That a term is true, or that it is false; what is blank is neither.
    private func truth(_ term: Expression.Term, _ holds: Bool) -> String? {
        switch term.form {
        case .literal(.boolean(let value)): return value == holds ? "1 = 1" : "1 = 0"
        case .item(let name):
            guard asked(name)?.type == .boolean else { return nil }
            return "[\(field(name))] = '\(holds ? "1" : "0")'"
        case .not(let inner): return truth(inner, !holds)
        case .binary(.and, let left, let right):
            return joined([truth(left, holds), truth(right, holds)], isAnd: holds)
        case .binary(.or, let left, let right):
            return joined([truth(left, holds), truth(right, holds)], isAnd: !holds)
        case .binary(let sign, let left, let right): return compared(sign, left, right, holds)
        case .among(let value, let list): return among(value, list, holds)
        case .call(.exists, let arguments):
            guard case .item(let name)? = arguments.first?.form, let asked = question(name) else {
                return nil
            }
            let boxes = REDCapWords.boxes(asked, codes: asked.answerOption.map(\.value.text))
            return REDCapWords.isAnswered(holds, field: field(name), boxes: boxes)
        case .literal, .negative, .call: return nil
        }
    }

    private func joined(_ parts: [String?], isAnd: Bool) -> String? {
        let said = parts.compactMap(\.self)
        guard said.count == parts.count else { return nil }
        return said.count == 1 ? said[0] : "(\(said.joined(separator: isAnd ? " and " : " or ")))"
    }

    private func compared(
        _ sign: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term, _ holds: Bool
    ) -> String? {
        if isTruth(left) || isTruth(right) {
            guard sign == .equal || sign == .notEqual else { return nil }
            let isSame = (sign == .equal) == holds
            return joined(
                [
                    joined([truth(left, true), truth(right, isSame)], isAnd: true),
                    joined([truth(left, false), truth(right, !isSame)], isAnd: true),
                ], isAnd: false)
        }
        guard let one = value(left), let other = value(right) else { return nil }
        let actual = holds ? sign : Self.opposite(sign)
        let word = actual == .notEqual ? "<>" : actual.rawValue
        var parts: [String?] = []
        let names = one.fields + other.fields
        // What is not answered there equals the like, and differs from all else; and days from it to another are less than 1.
        let isDays = (one.text + other.text).contains("datediff(")
        if actual == .notEqual || isDays || !one.fields.isEmpty && !other.fields.isEmpty {
            for name in names where !parts.contains("[\(name)] <> ''") { parts.append("[\(name)] <> ''") }
        }
        for divisor in one.divisors + other.divisors { parts.append("\(divisor) <> 0") }
        return joined(parts + ["\(one.text) \(word) \(other.text)"], isAnd: true)
    }

    private static func opposite(_ sign: Expression.Operator) -> Expression.Operator {
        switch sign {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .atLeast
        case .atLeast: .less
        case .greater: .atMost
        case .atMost: .greater
        case .or, .and, .add, .subtract, .multiply, .divide: sign
        }
    }

    /// Whether a term is true or false, and no other value.
    private func isTruth(_ term: Expression.Term) -> Bool {
        switch term.form {
        case .literal(.boolean(_)), .not, .among, .call(.exists, _): true
        case .item(let name): question(name)?.type == .boolean
        case .binary(let sign, _, _): ![.add, .subtract, .multiply, .divide].contains(sign)
        case .call(.if, let arguments): arguments.count == 3 && isTruth(arguments[1])
        case .literal, .negative, .call: false
        }
    }

    private func among(_ value: Expression.Term, _ list: [Expression.Term], _ holds: Bool) -> String? {
        if list.count == 1, case .item(let name) = list[0].form {
            guard case .literal(let literal) = value.form, let asked = question(name),
                let code = Self.code(literal)
            else { return nil }
            if asked.type == .choice || asked.type == .openChoice, asked.repeats {
                return "[\(field(name))(\(code))] = '\(holds ? "1" : "0")'"
            }
            guard !asked.repeats, asked.type != .ranking, let word = Self.word(literal) else { return nil }
            return "[\(field(name))] \(holds ? "=" : "<>") \(word)"
        }
        guard case .item(let name) = value.form, asked(name) != nil else { return nil }
        var parts: [String?] = holds ? [] : ["[\(field(name))] <> ''"]
        for other in list {
            guard case .literal(let literal) = other.form, let word = Self.word(literal) else { return nil }
            parts.append("[\(field(name))] \(holds ? "=" : "<>") \(word)")
        }
        return joined(parts, isAnd: !holds)
    }

    // MARK: Values

    /// How tightly a value holds together.
    private enum Bond: Int {
        case sum, product, sign, whole
    }

    private struct Value {
        let text: String
        var bond = Bond.whole
        /// The fields that are in it, and what it is divided by.
        var fields: [String] = []
        var divisors: [String] = []

        /// In brackets where it holds together less tightly than that.
        func within(_ least: Bond) -> String { bond.rawValue < least.rawValue ? "(\(text))" : text }
    }

    private func value(_ term: Expression.Term) -> Value? {
        switch term.form {
        case .literal(let literal): return Self.word(literal).map { Value(text: $0) }
        case .item(let name):
            guard let asked = self.asked(name), asked.type != .boolean else { return nil }
            return Value(text: "[\(field(name))]", fields: [field(name)])
        case .negative(let inner):
            guard let part = value(inner) else { return nil }
            return Value(
                text: "-\(part.within(.whole))", bond: .sign, fields: part.fields, divisors: part.divisors)
        case .binary(let sign, let left, let right):
            if isDate(left) || isDate(right) { return sign == .subtract ? days(from: right, to: left) : nil }
            return reckoned(sign, left, right)
        case .not, .among, .call: return nil
        }
    }

    private func reckoned(
        _ sign: Expression.Operator, _ left: Expression.Term, _ right: Expression.Term
    ) -> Value? {
        guard let one = value(left), let other = value(right) else { return nil }
        let isProduct = sign == .multiply || sign == .divide
        guard isProduct || sign == .add || sign == .subtract else { return nil }
        // What follows a sign is bracketed unless it holds more tightly: a - (b - 1).
        let first = one.within(isProduct ? .product : .sum)
        let second = other.within(isProduct ? .whole : .product)
        var divisors = one.divisors + other.divisors
        let isNeverZero = Double(other.text).map { $0 != 0 } ?? false
        if sign == .divide, !isNeverZero { divisors.append(other.within(.whole)) }
        return Value(
            text: "\(first) \(sign.rawValue) \(second)", bond: isProduct ? .product : .sum,
            fields: one.fields + other.fields,
            divisors: divisors)
    }

    /// The days between two dates, fewer than none where the second is the earlier one.
    private func days(from start: Expression.Term, to end: Expression.Term) -> Value? {
        guard let one = day(start), let other = day(end) else { return nil }
        return Value(
            text: "datediff(\(one.text), \(other.text), \"d\", true)", fields: one.fields + other.fields)
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
        case .item(let name): question(name)?.type == .date
        case .binary(.add, let left, _): isDate(left)
        case .binary(.subtract, let left, let right): isDate(left) && !isDate(right)
        default: false
        }
    }

    // MARK: Fields and words

    private func question(_ linkId: String) -> Item? {
        let all = questionnaire.questions + questionnaire.repeatedQuestions.map(\.item)
        return all.first { $0.linkId == linkId && $0.type.isQuestion }
    }

    /// A question that has one value.
    private func asked(_ linkId: String) -> Item? {
        question(linkId).flatMap { $0.repeats || $0.type == .ranking ? nil : $0 }
    }

    private static func code(_ literal: ExpressionValue) -> String? {
        switch literal {
        case .number(let number): JSONNumber(number.double).literal
        case .text(let text): text
        default: nil
        }
    }

    private static func word(_ literal: ExpressionValue) -> String? {
        switch literal {
        case .boolean(let value): value ? "'1'" : "'0'"
        case .number(let number): JSONNumber(number.double).literal
        case .text(let text): "'\(text.replacing("'", with: "\\'"))'"
        case .date(let date): "'\(date)'"
        case .time(let time): "'\(time)'"
        case .blank, .moment, .several: nil
        }
    }
}
