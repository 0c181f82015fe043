import SaunterCore

/// The system whose rules a condition follows.
enum SourceDialect {
    case redcap, xlsForm
}

/// Translates conditions of REDCap and XLSForm: into `enableWhen` conditions if possible, otherwise into an expression.
///
/// In the source systems an unanswered field is an empty text. In Saunter it is blank, and a comparison with a blank is
/// not true. The translation therefore adds `exists` where needed. Conditions that cannot be translated with the same
/// meaning for all answers, including missing ones, throw an error.
struct ExpressionTranslator {
    /// Name of the field in the source -> item.
    let fields: [String: Item]
    /// linkId -> code of an option in the source -> its value in Saunter.
    let options: [String: [String: OptionValue]]
    /// The item that has the constraint. The source refers to it with `.`. Nil for other conditions.
    var currentItem: Item?
    var dialect = SourceDialect.xlsForm
    /// linkIds of items in repeating groups. They may have several answers, or none.
    var repeatedLinkIds: Set<String> = []
    /// Whether the result is a constraint. A constraint is checked only if its own item is answered, and must then be
    /// true or false. A condition for showing an item may also be blank, which counts as false.
    var isConstraint = false
    /// Divisors that the surrounding expression already compares with 0.
    var nonzeroDivisors: Set<SourceExpression> = []

    /// The translation of a condition for showing an item.
    enum Visibility {
        case conditions([Condition], EnableBehavior)
        case expression(String)
    }

    /// Translates a condition for showing an item.
    func visibility(_ source: String) throws(TranslationError) -> Visibility {
        let logic = try SourceExpressionParser.parse(source)
        for (word, behavior) in [("and", EnableBehavior.all), ("or", .any)] {
            let parts = logic.parts(joinedBy: word)
            let conditions = parts.compactMap(condition)
            if conditions.count == parts.count, conditions.count <= 20 {
                return .conditions(conditions, behavior)
            }
        }
        return .expression(try Self.validated(try translateCondition(logic, holds: true)))
    }

    /// Translates a condition into an expression that is true exactly if the condition holds.
    func expression(_ source: String) throws(TranslationError) -> String {
        try Self.validated(try translateCondition(try SourceExpressionParser.parse(source), holds: true))
    }

    /// Translates a constraint into an expression that is false exactly if the current item is answered and the
    /// constraint does not hold.
    func constraint(_ source: String) throws(TranslationError) -> String {
        let logic = try SourceExpressionParser.parse(source)
        guard let currentItem else {
            throw TranslationError(detail: "the condition does not belong to an item")
        }
        var translator = self
        translator.isConstraint = true
        let text = try Self.validated(try translator.translateCondition(logic, holds: true))
        // An expression that uses only the current item is blank without an answer, unless it tests whether there is
        // one.
        let isBlankWithoutAnswer =
            (try? Expression(text))?.items == [currentItem.linkId]
            && ![" in ", "exists(", "count("].contains { text.contains($0) }
        return isBlankWithoutAnswer
            ? text : try Self.validated("(not exists(\(currentItem.linkId)) or \(text))")
    }

    /// Returns the expression if it is valid. Throws if it is, for example, too long or nested too deeply.
    static func validated(_ expression: String) throws(TranslationError) -> String {
        do throws(ExpressionFault) {
            _ = try Expression(expression)
        } catch {
            throw TranslationError(detail: "no valid expression has the same meaning: \(error.detail)")
        }
        return expression
    }

    // MARK: Conditions

    /// The condition that means the same, also for missing answers; nil if an expression is needed. `!=` becomes an
    /// expression, except for `!= ''`.
    private func condition(_ logic: SourceExpression) -> Condition? {
        switch logic {
        case .call("selected", let arguments):
            guard arguments.count == 2, case .text(let code) = arguments[1] else { return nil }
            return equal(arguments[0], .text(code), isAmong: true)
        case .binary(let operation, let left, let right) where left.isLiteral && !right.isLiteral:
            return condition(.binary(Self.mirrored(operation), right, left))
        case .binary("=", let left, let right): return equal(left, right, isAmong: false)
        case .binary("!=", let left, .text("")):
            return item(left).map {
                Condition(question: $0.linkId, comparison: .exists, answer: .boolean(true))
            }
        case .binary(let operation, let left, let right):
            guard let comparison = Condition.Comparison(rawValue: operation), operation != "!=",
                let questionItem = item(left),
                questionItem.type.form == .number,
                let answer = answer(right, to: questionItem)
            else { return nil }
            return Condition(question: questionItem.linkId, comparison: comparison, answer: answer)
        default: return nil
        }
    }

    /// - Parameter isAmong: whether one of several answers may match; otherwise it must be the only answer.
    private func equal(_ left: SourceExpression, _ right: SourceExpression, isAmong: Bool) -> Condition? {
        if case .field(let name, let box?) = left, let questionItem = fields[name] {
            guard right.isOne, let value = options[questionItem.linkId]?[box] else { return nil }
            return Condition(question: questionItem.linkId, comparison: .equal, answer: .option(value))
        }
        guard let questionItem = item(left) else { return nil }
        if case .text("") = right {
            return Condition(question: questionItem.linkId, comparison: .exists, answer: .boolean(false))
        }
        guard isAmong || !questionItem.repeats else { return nil }
        return answer(right, to: questionItem).map {
            Condition(question: questionItem.linkId, comparison: .equal, answer: $0)
        }
    }

    // MARK: Fields and answers

    /// The item that the expression names; nil for a box of a checkbox and for other expressions.
    func item(_ logic: SourceExpression) -> Item? {
        switch logic {
        case .field(let name, nil): fields[name]
        case .currentItem: currentItem
        default: nil
        }
    }

    /// The literal as an answer to the item; nil if the item does not accept it.
    func answer(_ logic: SourceExpression, to item: Item) -> Answer? {
        let text: String
        switch logic {
        case .text(let given), .number(let given): text = given
        case .negative(.number(let given)): text = "-" + given
        default: return nil
        }
        switch item.type.form {
        case .truth:
            return ["1": true, "0": false, "yes": true, "no": false, "true": true, "false": false][
                text.lowercased()
            ].map { .boolean($0) }
        case .options: return options[item.linkId]?[text].map { .option($0) }
        case .number, .text, .moment: return item.answer(importing: text)
        case .nothing, .ranking, .location: return nil
        }
    }

    /// The operator that means the same with exchanged operands.
    static func mirrored(_ operation: String) -> String {
        ["<": ">", ">": "<", "<=": ">=", ">=": "<="][operation] ?? operation
    }
}

extension SourceExpression {
    /// Whether the expression is a literal value.
    var isLiteral: Bool {
        switch self {
        case .text, .number, .negative(.number(_)): true
        default: false
        }
    }

    var isOne: Bool { self == .text("1") || self == .number("1") }
    var isZero: Bool { self == .text("0") || self == .number("0") }
}
