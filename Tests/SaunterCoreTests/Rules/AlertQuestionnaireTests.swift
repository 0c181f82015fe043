import Testing

@testable import SaunterCore

/// The questionnaires whose answers can alert the staff at once.
struct AlertQuestionnaireTests {
    private let mood = TailoringVariable(
        id: "mood", kind: .latest, source: .entry(.init(["log"], .item("mood"))))
    private let low = TailoringVariable(id: "low", kind: .expression("mood < 2"))

    private func questionnaires(
        _ point: DecisionPoint, when condition: String? = nil,
        _ action: DecisionRule.Action = .alert(about: "low")
    ) -> Set<String> {
        let rule = DecisionRule(code: "r", point: point, condition: condition, action: action)
        return RulePlan(RuleSamples.study([rule], [mood, low])).alertQuestionnaires
    }

    @Test func `the questionnaire of an entry counts, and not those of the condition`() {
        #expect(questionnaires(.entry(questionnaire: "area"), when: "mood < 2") == ["area"])
    }

    @Test func `all questionnaires of the variables of a condition that becomes true count`() {
        #expect(questionnaires(.reached(.init(condition: "low"))) == ["log"])
    }

    @Test func `other actions and moments of the clock do not count`() {
        #expect(questionnaires(.entry(questionnaire: "log"), .event("seen")).isEmpty)
        #expect(questionnaires(RuleSamples.daily("17:00"), when: "mood < 2").isEmpty)
    }
}
