import Testing

@testable import SaunterCore

/// What is shown, worked out a second way: by asking backwards from each item, instead of settling them in order.
@Suite struct ShownModelTests {
    private typealias Samples = QuestionnaireSamples

    private struct Rule {
        var conditions: [(place: Int, comparison: Condition.Comparison, value: Int)] = []
        var isAny = false
        var parent: Int?
        /// Shown only where this item is answered and above the number.
        var expression: (place: Int, above: Int)?
    }

    private func isShown(_ place: Int, _ rules: [Rule], _ given: [Int?]) -> Bool {
        let rule = rules[place]
        if let parent = rule.parent, !isShown(parent, rules, given) { return false }
        func answer(_ place: Int) -> Int? { isShown(place, rules, given) ? given[place] : nil }
        if let expression = rule.expression {
            guard let value = answer(expression.place), value > expression.above else { return false }
        }
        let outcomes = rule.conditions.map { condition in
            let value = answer(condition.place)
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

    @Test func `random logic shows what the second way says`() throws {
        var random = QuestionnaireRandom(state: 9)
        var hidden = 0
        for _ in 0..<1500 {
            // Even places are questions; an odd place is a group that holds the question after it.
            let count = 12
            var rules: [Rule] = []
            for place in 0..<count {
                var rule = Rule()
                rule.parent = place % 2 == 0 && place > 0 ? place - 1 : nil
                rule.isAny = Bool.random(using: &random)
                let earlier = stride(from: 0, to: place, by: 2).map { $0 }
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
            func item(_ place: Int) -> Item {
                Samples.item("i\(place)", place % 2 == 0 ? .integer : .group) {
                    $0.enableWhen = rules[place].conditions.map { condition in
                        Samples.when(
                            "i\(condition.place)", condition.comparison,
                            condition.comparison == .exists
                                ? .boolean(condition.value == 1) : .integer(condition.value))
                    }
                    $0.enableBehavior = rules[place].isAny ? .any : .all
                    $0.enableWhenExpression = rules[place].expression.map { "i\($0.place) > \($0.above)" }
                }
            }
            let items =
                [item(0)]
                + stride(from: 1, to: count - 1, by: 2).map { place in
                    var group = item(place)
                    group.item = [item(place + 1)]
                    return group
                }
            let questionnaire = Samples.questionnaire(items)
            #expect(questionnaire.faults().isEmpty)
            let given = (0..<count).map { place in
                place % 2 == 0 && Int.random(in: 0..<4, using: &random) > 0
                    ? Int.random(in: 0...3, using: &random) : nil
            }
            var answers = JSONObject()
            for (place, value) in given.enumerated() { answers["i\(place)"] = value.map(JSON.int) }

            let sheet = try AnswerSheet(answers: answers, of: questionnaire)

            for place in stride(from: 0, to: count - 1, by: 2) {
                let expected: AnswerState =
                    !isShown(place, rules, given)
                    ? .missing(.notShown) : given[place].map { .answered(.integer($0)) } ?? .missing(.skipped)
                if expected == .missing(.notShown) { hidden += 1 }
                #expect(sheet.state(of: "i\(place)") == expected)
            }
        }
        #expect(hidden > 1000)
    }
}
