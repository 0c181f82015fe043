/// Validates one submitted sheet. It first collects the submitted values, and then visits the items in order. The
/// conditions of an item only refer to earlier items, which are already resolved. The work is proportional to the
/// number of items plus the number of submitted members.
struct AnswerSheetReader {
    /// The result of a question during the visit.
    enum Finding {
        case answer(Answer)
        case blank
        /// The submitted answer is invalid.
        case faulty
    }

    private static let permittedReasons: Set<MissingReason> = [
        .skipped, .refused, .dontKnow, .notApplicable, .notReached, .notShown, .noConsent,
    ]

    let index: QuestionnaireIndex
    let today: LocalDate?
    /// The language of the messages of violated constraints.
    let language: String?
    /// The data kinds that the participant does not permit.
    let forbiddenKinds: Set<String>
    var pointer: String
    var reasonsPointer: String
    var faults = FaultCollector()
    var states: [String: AnswerState] = [:]
    private(set) var cleared: [String] = []
    var warnings: [String] = []
    /// The instance of a repeating group that is being validated. Nil outside repeating groups.
    var instance: (group: Int, number: Int)?
    /// The submitted values, by position in the index.
    var given: [JSON?]
    /// The submitted reasons, by position in the index.
    var reasons: [MissingReason?]
    /// The results so far, by position in the index.
    var findings: [Finding]
    /// Whether each item is shown; nil if that depends on an invalid answer.
    var shown: [Bool?]
    /// The submitted reasons of the instances, by position of their repeating group.
    var reasonLists: [Int: [JSON]] = [:]
    /// The answers in all instances so far, by position of the question in the repeating group.
    var repeated: [Int: [Answer]] = [:]
    /// The items that their conditions hide in an instance: the group, the index of the instance and the item, such as
    /// `meals.0.kcal`.
    var hiddenInInstances: Set<String> = []

    init(
        index: QuestionnaireIndex, pointer: String, reasonsPointer: String, today: LocalDate?,
        language: String?, forbiddenKinds: Set<String>
    ) {
        self.index = index
        self.today = today
        self.language = language
        self.forbiddenKinds = forbiddenKinds
        self.pointer = pointer
        self.reasonsPointer = reasonsPointer
        given = Array(repeating: nil, count: index.nodes.count)
        reasons = Array(repeating: nil, count: index.nodes.count)
        findings = Array(repeating: .blank, count: index.nodes.count)
        shown = Array(repeating: true, count: index.nodes.count)
        states.reserveCapacity(index.questions.count)
    }

    /// Stores the submitted answers. Adds faults for unknown items.
    mutating func add(answers: JSONObject) {
        for member in answers {
            guard let position = question(member.name, pointer) else { continue }
            if given[position] != nil {
                faults.add(at(pointer, member.name), "duplicate_member", "This item is answered twice.")
            }
            given[position] = member.value
        }
    }

    /// Stores the submitted reasons. Adds faults for unknown items and unknown reasons.
    mutating func add(reasons object: JSONObject) {
        for member in object {
            guard let position = question(member.name, reasonsPointer), !member.value.isNull else { continue }
            if index.nodes[position].item.isRepeatingGroup, let lists = member.value.array {
                reasonLists[position] = lists
                continue
            }
            guard let reason = member.value.string.flatMap(MissingReason.init(code:)),
                Self.permittedReasons.contains(reason),
                reason != .noConsent || index.nodes[position].item.dataKind != nil
            else {
                faults.add(
                    at(reasonsPointer, member.name), "unknown_reason",
                    "The reason must be skipped, refused, dont_know, not_applicable or not_reached.")
                continue
            }
            reasons[position] = reason
        }
    }

    /// Determines the state of every question.
    mutating func resolve() {
        resolve(index.nodes.indices)
    }

    /// Determines the state of the questions at these positions.
    mutating func resolve(_ positions: Range<Int>) {
        var position = positions.lowerBound
        while position < positions.upperBound {
            shown[position] = isShown(position)
            if index.nodes[position].item.isRepeatingGroup {
                readInstances(position)
                position = index.nodes[position].end
                continue
            }
            if index.nodes[position].item.type.isQuestion {
                if shown[position] == false {
                    leaveOut(position, .notShown)
                } else if index.nodes[position].item.dataKind.map(forbiddenKinds.contains) == true {
                    leaveOut(position, .noConsent)
                } else {
                    read(position)
                }
            }
            position += 1
        }
    }

    /// The position of a question. Adds a fault and returns nil if the current level has no such question.
    private mutating func question(_ name: String, _ base: String) -> Int? {
        guard let position = index.position(of: name) else {
            faults.add(at(base, name), "unknown_item", "The questionnaire has no such item.")
            return nil
        }
        let node = index.nodes[position]
        guard node.item.acceptsAnswer else {
            faults.add(
                at(base, name), "not_a_question", "An item of type \(node.item.type.rawValue) has no answer.")
            return nil
        }
        guard node.repeatingGroup == instance?.group else {
            let group = node.repeatingGroup.map { index.nodes[$0].item.linkId }
            faults.add(
                at(base, name), "wrong_group",
                group.map { "This item belongs in the instances of \($0)." }
                    ?? "This item does not belong to this group.")
            return nil
        }
        return position
    }

    private func isShown(_ position: Int) -> Bool? {
        let node = index.nodes[position]
        let inherited = node.parent.map { shown[$0] } ?? true
        if inherited == false { return false }
        let own = node.item.enableBehavior.isEnabled(count: node.item.enableWhen.count) {
            holds(node.item.enableWhen[$0], at: node.conditionTargets[$0])
        }
        if own == false { return false }
        let expressed = node.expression.map { holds($0) } ?? true
        if expressed == false { return false }
        let offers = offersAny(node)
        if offers == false { return false }
        return inherited == nil || expressed == nil || offers == nil ? nil : own
    }

    /// Whether a condition is true; nil if that depends on an invalid answer.
    func holds(_ condition: Condition, at position: Int?) -> Bool? {
        guard let position else { return condition.holds(for: nil) }
        switch findings[position] {
        case .blank: return condition.holds(for: nil)
        case .answer(let answer):
            let outcome = condition.holds(for: answer)
            // The item may turn out to be hidden, and then its answer is removed. The outcome is only known if it is
            // the same without the answer.
            return shown[position] == nil && outcome != condition.holds(for: nil) ? nil : outcome
        case .faulty: return nil
        }
    }

    /// Records that the server stores no answer to an item, whether it was answered or not.
    private mutating func leaveOut(_ position: Int, _ reason: MissingReason) {
        let linkId = index.nodes[position].item.linkId
        if let value = given[position], ![.null, "", []].contains(value) { markCleared(linkId) }
        states[linkId] = .missing(reason)
        findings[position] = .blank
    }

    /// Records that an answer was removed.
    mutating func markCleared(_ linkId: String) {
        cleared.append(instance.map { "\(linkId).\($0.number)" } ?? linkId)
    }

    private mutating func read(_ position: Int) {
        let item = index.nodes[position].item
        let itemPointer = at(pointer, item.linkId)
        let node = index.nodes[position]
        var reader = AnswerReader(item: item, optionIndices: node.optionIndices, pattern: node.pattern)
        var answer = given[position].flatMap { reader.read($0, pointer: itemPointer) }
        if let given = answer, !node.optionConditionTargets.isEmpty {
            answer = checkOffered(given, node, itemPointer, &reader)
        }
        let isFixed = item.readOnly || node.isHidden
        if item.readOnly, let initial = item.initial, let value = answer, value != initial {
            reader.faults.add(itemPointer, "read_only", "The value of this item cannot be changed.")
        }
        guard reader.faults.isEmpty else {
            faults.add(reader.faults.list)
            findings[position] = .faulty
            return
        }
        if isFixed, answer == nil, reasons[position] == nil { answer = item.initial }
        if let answer {
            findings[position] = .answer(answer)
            states[item.linkId] = .answered(answer)
            if reasons[position] != nil {
                faults.add(
                    at(reasonsPointer, item.linkId), "reason_for_answered",
                    "The item has an answer, so it has no reason.")
            }
        } else {
            leaveBlank(item, position)
        }
    }

    /// Records that an item has no answer, and why.
    mutating func leaveBlank(_ item: Item, _ position: Int) {
        let isHidden = index.nodes[position].isHidden
        if item.required, !isHidden, shown[position] == true {
            faults.add(at(pointer, item.linkId), "required", "This item requires an answer.")
        }
        if reasons[position] == .notShown, shown[position] == true, !isHidden {
            faults.add(
                at(reasonsPointer, item.linkId), "item_is_shown",
                "This item was shown according to its conditions.")
        }
        states[item.linkId] = .missing(reasons[position] ?? (isHidden ? .notShown : .skipped))
    }

    /// The pointer to a member.
    func at(_ base: String, _ name: String) -> String {
        "\(base)/\(Fault.escape(name))"
    }
}

/// Options that depend on earlier answers.
extension AnswerSheetReader {
    /// Whether at least one option is offered; true for items whose options have no conditions. Nil if that depends on
    /// an invalid answer.
    func offersAny(_ node: QuestionnaireIndex.Node) -> Bool? {
        guard !node.optionConditionTargets.isEmpty else { return true }
        var isKnown = true
        for option in node.item.answerOption.indices {
            switch isOffered(option, node) {
            case true?: return true
            case nil: isKnown = false
            case false?: break
            }
        }
        return isKnown ? node.item.type.acceptsFreeText : nil
    }

    /// Checks that the chosen options were offered. An option whose condition refers to a hidden question is removed,
    /// as answers to hidden items are. Any other option that was not offered is a fault.
    /// - Returns: the remaining answer; nil if nothing remains.
    mutating func checkOffered(
        _ answer: Answer, _ node: QuestionnaireIndex.Node, _ pointer: String, _ reader: inout AnswerReader
    ) -> Answer? {
        var hidden: Set<OptionValue> = []
        var isRejected = false
        for value in answer.chosenOptions {
            guard let option = node.optionIndices[value], isOffered(option, node) == false else { continue }
            if isOffered(option, node, treatsHiddenAsTrue: true) == false {
                isRejected = true
            } else {
                hidden.insert(value)
            }
        }
        if isRejected {
            reader.faults.add(pointer, "not_offered", "The other answers exclude this option.")
        }
        guard !hidden.isEmpty else { return answer }
        markCleared(node.item.linkId)
        let rest = answer.without(hidden)
        if let rest, node.item.repeats {
            let chosen = rest.chosenOptions.compactMap { node.optionIndices[$0] }
            if !reader.isExclusive(chosen) { reader.checkOccurs(rest.values.count, pointer) }
        }
        return rest
    }

    /// Whether the option at this index is offered; nil if that depends on an invalid answer.
    /// - Parameter treatsHiddenAsTrue: assume that conditions on hidden questions are true.
    func isOffered(
        _ index: Int, _ node: QuestionnaireIndex.Node, treatsHiddenAsTrue: Bool = false
    ) -> Bool? {
        let option = node.item.answerOption[index]
        let questions = node.optionConditionTargets[index]
        return option.enableBehavior.isEnabled(count: option.enableWhen.count) { number in
            if treatsHiddenAsTrue, let question = questions[number], shown[question] == false { return true }
            return holds(option.enableWhen[number], at: questions[number])
        }
    }
}

extension Answer {
    /// The answer without these options; nil if nothing remains.
    fileprivate func without(_ options: Set<OptionValue>) -> Answer? {
        switch self {
        case .option(let value): return options.contains(value) ? nil : self
        case .options(let values):
            let rest = values.filter { !options.contains($0) }
            return rest.isEmpty ? nil : .options(rest)
        case .optionsAndFreeText(let values, let freeText):
            return .optionsAndFreeText(values.filter { !options.contains($0) }, freeText)
        default: return self
        }
    }
}

/// Expressions over the results so far.
extension AnswerSheetReader {
    /// Whether an expression is true; a blank is not. Nil if that depends on an invalid answer.
    func holds(_ expression: Expression) -> Bool? {
        guard !dependsOnInvalidAnswer(expression) else { return nil }
        return expression.value(in: scope) == .boolean(true)
    }

    /// Adds a fault or a warning for every violated constraint. A constraint that names an invalid answer is not
    /// evaluated.
    /// - Parameter group: the position of the repeating group whose instance was just validated; nil for the complete
    ///   sheet.
    mutating func checkConstraints(repeatingGroup group: Int?) {
        for (constraint, expression, repeatingGroup) in index.constraints where repeatingGroup == group {
            guard !dependsOnInvalidAnswer(expression), expression.value(in: scope) == .boolean(false) else {
                continue
            }
            guard constraint.severity == .error else {
                if !warnings.contains(constraint.key) { warnings.append(constraint.key) }
                continue
            }
            let texts = index.questionnaire.text(in: language ?? index.questionnaire.languages.first ?? "")
            faults.add(
                constraint.item.map { at(pointer, $0) } ?? pointer, "constraint_\(constraint.key)",
                texts.constraints[constraint.key] ?? "The answers contradict each other.")
        }
    }

    private func dependsOnInvalidAnswer(_ expression: Expression) -> Bool {
        expression.items.contains { name in
            guard let position = index.position(of: name) else { return false }
            // An invalid answer in an instance makes the complete group invalid.
            let node = index.nodes[position]
            let positions =
                node.repeatingGroup == nil || node.repeatingGroup == instance?.group
                ? [position] : [position, node.repeatingGroup ?? position]
            return positions.contains { position in
                if case .faulty = findings[position] { return true }
                if case .answer = findings[position] { return shown[position] == nil }
                return false
            }
        }
    }

    private var scope: ExpressionScope {
        ExpressionScope(
            value: { name in
                guard let position = index.position(of: name) else { return .blank }
                let node = index.nodes[position]
                if let repeatingGroup = node.repeatingGroup, repeatingGroup != instance?.group {
                    return .several((repeated[position] ?? []).map(\.expressionValue))
                }
                guard case .answer(let answer) = findings[position] else { return .blank }
                return answer.expressionValue
            }, today: today)
    }
}
