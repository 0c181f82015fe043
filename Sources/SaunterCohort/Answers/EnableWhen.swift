import SaunterCore

/// Decides which items are shown, from the answers so far, like every client of the API. It uses only the published
/// questionnaire, and the rules of SaunterCore, with which the server checks every sheet again.
struct EnableWhen {
    private let questions: [String: PublishedQuestion]
    /// The day on which the sheet is completed.
    private let today: LocalDate
    /// The answers by linkId. For items of a repeating group: the answers of the current instance.
    private var answers: [String: Answer] = [:]
    /// The answers to items of repeating groups, of all completed instances.
    private var repeated: [String: [Answer]] = [:]
    /// The repeating group of the current instance.
    private var group: String?

    /// - Parameter questionnaire: the definition from the API.
    init(_ questionnaire: JSON, on today: LocalDate) {
        questions = PublishedQuestion.all(in: questionnaire)
        self.today = today
    }

    /// Whether an item is shown according to its own conditions and those of its options. The caller must not call this
    /// for items in a group that is not shown.
    func isShown(_ item: JSON) -> Bool {
        guard holds(item), holds(expression: item["enableWhenExpression"]?.string) else { return false }
        let options = item["answerOption"]?.array ?? []
        // An open choice permits free text even if no option is offered.
        return options.isEmpty || item.itemType.acceptsFreeText || !shownOptions(options).isEmpty
    }

    /// The options whose conditions hold.
    func shownOptions(_ options: [JSON]) -> [JSON] { options.filter { holds($0) } }

    /// Stores an answer for the conditions of later items.
    mutating func store(_ answer: JSON, for linkId: String) {
        answers[linkId] = questions[linkId]?.answer(answer)
    }

    /// Begins an instance of a repeating group. Until `endInstance`, conditions see the answers of this instance and
    /// those before the group, but not those of other instances.
    mutating func beginInstance(of group: String) { self.group = group }

    mutating func endInstance() {
        guard let group else { return }
        for (linkId, question) in questions where question.group == group {
            guard let answer = answers.removeValue(forKey: linkId) else { continue }
            repeated[linkId, default: []].append(answer)
        }
        self.group = nil
    }

    /// - Parameter conditional: an item or an option.
    private func holds(_ conditional: JSON) -> Bool {
        let conditions = conditional["enableWhen"]?.array ?? []
        let behaviour = conditional["enableBehavior"]?.string.flatMap(EnableBehavior.init(rawValue:)) ?? .all
        return behaviour.isEnabled(count: conditions.count) { holds(condition: conditions[$0]) } ?? false
    }

    private func holds(condition json: JSON) -> Bool {
        guard let name = json["question"]?.string, let condition = questions[name]?.condition(json) else {
            return false
        }
        return condition.holds(for: answers[name])
    }

    /// Whether an expression is true; a blank result counts as false.
    private func holds(expression source: String?) -> Bool {
        guard let source else { return true }
        do throws(ExpressionFault) {
            return try Expression(source).value(in: scope) == .boolean(true)
        } catch {
            // A study with an invalid expression cannot be published.
            return true
        }
    }

    private var scope: ExpressionScope {
        ExpressionScope(
            value: { name in
                if let within = questions[name]?.group, within != group {
                    return .several((repeated[name] ?? []).map(\.expressionValue))
                }
                return answers[name]?.expressionValue ?? .blank
            }, today: today)
    }
}
