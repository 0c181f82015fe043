/// How the keys and values of a variable are labelled for people.
package struct VariableShape: Sendable, Hashable {
    /// What a key or a value is.
    package enum Label: Sendable, Hashable {
        /// An option of an item, see `QuestionnaireText.options`.
        case option(questionnaire: String, item: String)
        /// An item, see `QuestionnaireText.items`.
        case item(questionnaire: String)
        /// The code of a questionnaire.
        case questionnaire
        /// The code of a feature.
        case feature
        /// An hour, 0 to 23.
        case hour
        /// A weekday, 1 (Monday) to 7.
        case weekday
        /// A local date.
        case date
        /// The id of an entry.
        case sheet
        /// The author of a sheet.
        case source
        /// Coordinates.
        case location
        /// A number, a text or another value that needs no label.
        case plain
    }

    /// Nil if the variable is not keyed.
    package var key: Label?
    /// What the value is, or the value at each key.
    package var value: Label
    /// Whether the values contain words that the participant wrote.
    package var isFreeText: Bool
    /// Whether the variable has one value, so that a sentence can contain it.
    package var hasValue: Bool

    /// Creates a shape from its parts.
    package init(key: Label?, value: Label, isFreeText: Bool, hasValue: Bool) {
        self.key = key
        self.value = value
        self.isFreeText = isFreeText
        self.hasValue = hasValue
    }
}

/// What a variable is in an expression and for people. It follows from the definition alone.
package struct VariableSignature: Sendable, Hashable {
    /// The keys of a keyed variable.
    package struct Key: Sendable, Hashable {
        var type: ExpressionType
        /// The keys that an expression can name. Nil if it can name any key, because they are not known in advance.
        var known: Set<String>?
        var label: VariableShape.Label
    }

    /// The type of the variable's name in an expression.
    var type: ExpressionType
    /// The type of the value at a key.
    var element: ExpressionType
    /// Nil if the variable is not keyed.
    var key: Key?
    /// Whether the name means the keys, and not the values.
    var meansKeys = false
    /// The codes that the values can have; nil if they are not known.
    var codes: Set<String>?
    var label = VariableShape.Label.plain
    var isFreeText = false
    /// Whether the variable has the members `best` and `last_on`.
    var isStreak = false
    /// Whether a key without facts has the value 0 instead of a blank.
    var absentIsZero = false

    init(_ type: ExpressionType) {
        self.type = type
        element = type
    }

    /// Gives the variable a value per key.
    mutating func add(_ key: Key) {
        self.key = key
        type = .several(element.one)
    }

    var shape: VariableShape {
        let hasValue = key == nil || meansKeys
        return VariableShape(key: key?.label, value: label, isFreeText: isFreeText, hasValue: hasValue)
    }
}

/// The signatures of all variables of a study. A variable whose definition has a fault can be without a signature.
struct VariableSignatures: Sendable {
    private(set) var signatures: [String: VariableSignature] = [:]
    private let study: Study
    private let names: Set<String>

    init(_ study: Study) {
        self.study = study
        names = Set(study.variables.map(\.id))
        for position in VariableGraph(study.variables).order {
            let variable = study.variables[position]
            if signatures[variable.id] == nil { signatures[variable.id] = signature(variable) }
        }
    }

    subscript(id: String) -> VariableSignature? { signatures[id] }

    private func signature(_ variable: TailoringVariable) -> VariableSignature? {
        switch variable.kind {
        case .change(let target, _):
            guard var signature = signatures[target], signature.element == .number, !signature.meansKeys
            else {
                return nil
            }
            signature.isStreak = false
            signature.absentIsZero = false
            return signature
        case .keys(let target):
            guard var signature = signatures[target], let key = signature.key else { return nil }
            signature.type = .several(key.type)
            signature.meansKeys = true
            signature.isStreak = false
            signature.absentIsZero = false
            return signature
        case .expression(let source): return expression(source)
        default: return ofFacts(variable)
        }
    }

    private func expression(_ source: String) -> VariableSignature? {
        do throws(ExpressionFault) {
            let expression = try Expression(source, dialect: .variables)
            guard expression.items.allSatisfy({ signatures[VariableName($0).id] != nil }) else { return nil }
            var signature = VariableSignature(try check().type(of: expression))
            signature.isFreeText =
                signature.type.one == .text
                && expression.items.contains { signatures[VariableName($0).id]?.isFreeText == true }
            return signature
        } catch {
            return nil
        }
    }

    private func ofFacts(_ variable: TailoringVariable) -> VariableSignature? {
        guard let source = variable.source, var signature = value(variable.kind, source) else { return nil }
        if case .entry(let entries) = source, case .items(let items)? = entries.value {
            signature.add(
                .init(
                    type: .text, known: Set(items),
                    label: .item(questionnaire: entries.questionnaires.first ?? "")))
        } else if case .list = variable.kind {
            signature.add(.init(type: .text, known: [], label: .sheet))
        } else if case .series = variable.kind {
            signature.add(.init(type: .date, known: [], label: .date))
        } else if let by = variable.by {
            guard let key = key(by, source) else { return nil }
            signature.add(key)
        } else if case .top = variable.kind, let (item, questionnaire) = item(source) {
            signature.key = ChoiceItem.variableKey(of: item, in: questionnaire.code)
            signature.element = .number
            signature.meansKeys = true
        }
        return signature
    }

    private func value(
        _ kind: TailoringVariable.Kind, _ source: TailoringVariable.Source
    ) -> VariableSignature? {
        switch kind {
        case .latest, .first, .list: return answer(source)
        case .at: return VariableSignature(.instant)
        case .top(let most):
            guard let (item, questionnaire) = item(source),
                let type = item.answerOption.first?.value.expressionType
            else { return nil }
            var signature = VariableSignature(most == 1 ? type : .several(type))
            signature.codes = item.codes
            signature.label = .option(questionnaire: questionnaire.code, item: item.linkId)
            return signature
        default:
            var signature = VariableSignature(.number)
            signature.isStreak = kind == .streak
            signature.absentIsZero = kind == .streak || kind == .count || kind == .days
            return signature
        }
    }

    /// The signature of the answer, score or number of a fact.
    private func answer(_ source: TailoringVariable.Source) -> VariableSignature? {
        guard case .entry(let entries) = source else { return VariableSignature(.number) }
        guard case .items(let items)? = entries.value else {
            if case .scale? = entries.value { return VariableSignature(.number) }
            return item(source).flatMap { answer($0.item, $0.questionnaire) }
        }
        guard let questionnaire = entries.questionnaires.first.flatMap({ study.questionnaire($0) }) else {
            return nil
        }
        var all: VariableSignature?
        for linkId in items {
            guard let item = questionnaire.questions.first(where: { $0.linkId == linkId }),
                let one = answer(item, questionnaire)
            else { return nil }
            guard var signature = all else {
                all = one
                continue
            }
            guard signature.type == one.type else { return nil }
            signature.codes = signature.codes.flatMap { codes in one.codes.map { codes.union($0) } }
            signature.isFreeText = signature.isFreeText || one.isFreeText
            all = signature
        }
        return all
    }

    private func answer(_ item: Item, _ questionnaire: Questionnaire) -> VariableSignature? {
        guard let type = item.variableType else { return nil }
        var signature = VariableSignature(type)
        signature.codes = item.codes
        if item.type.hasOptions {
            signature.label = .option(questionnaire: questionnaire.code, item: item.linkId)
        }
        signature.isFreeText = item.type.form == .text || item.type.acceptsFreeText
        return signature
    }

    /// The item of a source, in its first questionnaire.
    private func item(_ source: TailoringVariable.Source) -> (item: Item, questionnaire: Questionnaire)? {
        guard case .entry(let entries) = source, case .item(let linkId)? = entries.value else { return nil }
        return item(linkId, entries)
    }

    private func item(
        _ linkId: String, _ entries: TailoringVariable.Entries
    ) -> (item: Item, questionnaire: Questionnaire)? {
        guard let questionnaire = entries.questionnaires.first.flatMap({ study.questionnaire($0) }),
            let item = questionnaire.questions.first(where: { $0.linkId == linkId })
        else { return nil }
        return (item, questionnaire)
    }

    private func key(
        _ by: TailoringVariable.Grouping, _ source: TailoringVariable.Source
    ) -> VariableSignature.Key? {
        switch by {
        case .item(let linkId):
            guard case .entry(let entries) = source, let (item, questionnaire) = item(linkId, entries) else {
                return nil
            }
            return item.type.definition.variableKey(of: item, in: questionnaire.code)
        case .questionnaire:
            guard case .entry(let entries) = source else { return nil }
            return .init(type: .text, known: Set(entries.questionnaires), label: .questionnaire)
        case .hour: return .init(type: .number, known: Set((0...23).map { String($0) }), label: .hour)
        case .weekday: return .init(type: .number, known: Set((1...7).map { String($0) }), label: .weekday)
        case .day: return .init(type: .date, known: [], label: .date)
        case .source: return .init(type: .text, known: nil, label: .source)
        case .refersTo: return .init(type: .text, known: [], label: .sheet)
        case .feature: return .init(type: .text, known: Set(study.features.map(\.code)), label: .feature)
        }
    }

}

extension VariableSignatures {
    /// The check of an expression over variables.
    /// - Parameter keyed: the variable whose keys the expression selects; nil outside `where` of `keys`, and for rules
    ///   without keys.
    func check(keyed: VariableSignature? = nil) -> ExpressionCheck {
        ExpressionCheck(
            type: { type(of: VariableName($0), keyed) }, codes: { codes(of: VariableName($0), keyed) })
    }

    private func type(
        of name: VariableName, _ keyed: VariableSignature?
    ) -> Result<ExpressionType, ExpressionNameFault> {
        if name.isKeyWord, name.member == nil {
            guard let keyed, let key = keyed.key else {
                return .failure(.init(detail: "\(name.id) exists only in `where` of `keys`"))
            }
            return .success(name.id == VariableName.it ? key.type : keyed.element)
        }
        guard let signature = signatures[name.id] else {
            return .failure(.init(detail: "there is no variable \(name.id.prefix(60))"))
        }
        guard let member = name.member else { return .success(signature.type) }
        switch member {
        case "n": return .success(.number)
        case "best", "last_on":
            guard signature.isStreak, signature.key == nil else {
                return .failure(.init(detail: "only a streak without keys has \(member)"))
            }
            return .success(member == "best" ? .number : .date)
        case VariableName.it where keyed == nil:
            return .failure(.init(detail: "it exists only in `where` of `keys`"))
        default: break
        }
        guard let key = signature.key else {
            return .failure(.init(detail: "\(name.id) has no keys"))
        }
        guard member == VariableName.it || key.known?.contains(member) ?? true else {
            return .failure(
                .init(detail: "\(name.id) has no key \(member.prefix(60)) that an expression can name"))
        }
        return .success(signature.element)
    }

    private func codes(of name: VariableName, _ keyed: VariableSignature?) -> Set<String>? {
        if name.isKeyWord, name.member == nil {
            return name.id == VariableName.it
                ? keyed?.key.flatMap { $0.type == .text ? $0.known : nil } : keyed?.codes
        }
        guard let signature = signatures[name.id], name.member != nil || !signature.meansKeys else {
            return nil
        }
        return signature.element.one == .text ? signature.codes : nil
    }
}

extension Item {
    /// The type of the answer in an expression over variables; nil if a variable cannot have the answer as its value.
    var variableType: ExpressionType? {
        type.definition.variableType(of: self)
    }
}

extension OptionValue {
    var expressionType: ExpressionType {
        switch self {
        case .integer: .number
        case .code: .text
        }
    }
}
