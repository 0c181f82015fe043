import SaunterCore

/// What of a questionnaire is asked, by the answers so far: what every client of the API reckons for itself. It knows of the
/// questionnaire what was published; the rules are the core's own, which the server runs again over every sheet.
struct EnableWhen {
    private let questions: [String: PublishedQuestion]
    /// The day on which the sheet is completed.
    private let today: LocalDate
    /// What was answered, by linkId: of the questions of a repeating group in the instance that is being filled in.
    private var answers: [String: Answer] = [:]
    /// Of the questions of repeating groups the answers in all instances that were filled in.
    private var repeated: [String: [Answer]] = [:]
    /// The repeating group of which an instance is being filled in.
    private var group: String?

    /// - Parameter questionnaire: as the API gives it.
    init(_ questionnaire: JSON, on today: LocalDate) {
        questions = PublishedQuestion.all(in: questionnaire)
        self.today = today
    }

    /// Whether an item is asked, as far as its own conditions and those of its options go; what stands in a group that is not
    /// asked is not asked either.
    func asks(_ item: JSON) -> Bool {
        guard holds(item), holds(expression: item["enableWhenExpression"]?.string) else { return false }
        let options = item["answerOption"]?.array ?? []
        // Own words can be given whatever is offered.
        return options.isEmpty || item["type"]?.string == "open-choice" || !offered(options).isEmpty
    }

    /// The options that are offered.
    func offered(_ options: [JSON]) -> [JSON] { options.filter { holds($0) } }

    /// Takes note of an answer, for the items that follow.
    mutating func note(_ answer: JSON, to linkId: String) {
        answers[linkId] = questions[linkId]?.answer(answer)
    }

    /// Between this and `endInstance` stand the answers of one instance of a repeating group, which see those before the group
    /// and none of another instance.
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

    /// A blank one does not hold.
    private func holds(expression source: String?) -> Bool {
        guard let source else { return true }
        do throws(ExpressionFault) {
            return try Expression(source).value(in: scope) == .boolean(true)
        } catch {
            // No study with such an expression is published.
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
