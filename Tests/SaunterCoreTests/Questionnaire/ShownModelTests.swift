import Testing

@testable import SaunterCore

/// Visibility by an independent method: a recursion from each item backwards, instead of one visit in order.
@Suite struct ShownModelTests {
    private typealias Samples = QuestionnaireSamples

    private struct Rule {
        var conditions: [(position: Int, comparison: Condition.Comparison, value: Int)] = []
        var isAny = false
        var parent: Int?
        /// The item is shown only if this item has an answer above the number.
        var expression: (position: Int, above: Int)?
    }

    private func isShown(_ position: Int, _ rules: [Rule], _ submitted: [Int?]) -> Bool {
        let rule = rules[position]
        if let parent = rule.parent, !isShown(parent, rules, submitted) { return false }
        func answer(_ position: Int) -> Int? {
            isShown(position, rules, submitted) ? submitted[position] : nil
        }
        if let expression = rule.expression {
            guard let value = answer(expression.position), value > expression.above else { return false }
        }
        let outcomes = rule.conditions.map { condition in
            let value = answer(condition.position)
            switch condition.comparison {
            case .exists: return (value != nil) == (condition.value == 1)
            case .equal: return value == condition.value
            case .notEqual: return value != condition.value
            case .greater: return value.map { $0 > condition.value } ?? false
            case .less: return value.map { $0 < condition.value } ?? false
            case .atLeast: return value.map { $0 >= condition.value } ?? false
            case .atMost: return value.map { $0 <= condition.value } ?? false
            }
        }
        return outcomes.isEmpty || (rule.isAny ? outcomes.contains(true) : !outcomes.contains(false))
    }

    @Test func `random conditions agree with an independent method`() throws {
        var random = QuestionnaireRandom(state: 9)
        var hidden = 0
        for _ in 0..<1500 {
            // Even positions are questions. An odd position is a group that contains the question after it.
            let count = 12
            var rules: [Rule] = []
            for position in 0..<count {
                var rule = Rule()
                rule.parent = position % 2 == 0 && position > 0 ? position - 1 : nil
                rule.isAny = Bool.random(using: &random)
                let earlier = stride(from: 0, to: position, by: 2).map { $0 }
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    guard let question = earlier.randomElement(using: &random) else { continue }
                    let comparison = Condition.Comparison.allCases.randomElement(using: &random) ?? .equal
                    let value = Int.random(in: 0...(comparison == .exists ? 1 : 3), using: &random)
                    rule.conditions.append((question, comparison, value))
                }
                if Int.random(in: 0..<4, using: &random) == 0,
                    let question = earlier.randomElement(using: &random)
                {
                    rule.expression = (question, Int.random(in: 0...2, using: &random))
                }
                rules.append(rule)
            }
            func item(_ position: Int) -> Item {
                Samples.item("i\(position)", position % 2 == 0 ? .integer : .group) {
                    $0.enableWhen = rules[position].conditions.map { condition in
                        Samples.when(
                            "i\(condition.position)", condition.comparison,
                            condition.comparison == .exists
                                ? .boolean(condition.value == 1) : .integer(condition.value))
                    }
                    $0.enableBehavior = rules[position].isAny ? .any : .all
                    $0.enableWhenExpression = rules[position].expression.map {
                        "i\($0.position) > \($0.above)"
                    }
                }
            }
            let items =
                [item(0)]
                + stride(from: 1, to: count - 1, by: 2).map { position in
                    var group = item(position)
                    group.item = [item(position + 1)]
                    return group
                }
            let questionnaire = Samples.questionnaire(items)
            #expect(questionnaire.faults().isEmpty)
            let submitted = (0..<count).map { position in
                position % 2 == 0 && Int.random(in: 0..<4, using: &random) > 0
                    ? Int.random(in: 0...3, using: &random) : nil
            }
            var answers = JSONObject()
            for (position, value) in submitted.enumerated() { answers["i\(position)"] = value.map(JSON.int) }

            let sheet = try AnswerSheet(answers: answers, of: questionnaire)

            for position in stride(from: 0, to: count - 1, by: 2) {
                let expected: AnswerState =
                    !isShown(position, rules, submitted)
                    ? .missing(.notShown)
                    : submitted[position].map { .answered(.integer($0)) } ?? .missing(.skipped)
                if expected == .missing(.notShown) { hidden += 1 }
                #expect(sheet.state(of: "i\(position)") == expected)
            }
        }
        #expect(hidden > 1000)
    }
}
