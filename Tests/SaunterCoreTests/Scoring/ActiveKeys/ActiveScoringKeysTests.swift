import Testing

@testable import SaunterCore

@Suite struct ActiveScoringKeysTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    /// Two ratings. The key adds them.
    private static func mood(
        _ version: String, key: String = "1.0.0", change: (inout Questionnaire) -> Void = { _ in }
    ) -> Questionnaire {
        var questionnaire = S.questionnaire(S.ratings(2), [S.scale(["q1", "q2"], .sum)])
        questionnaire.code = "mood"
        questionnaire.version = version
        questionnaire.scoring?.version = key
        change(&questionnaire)
        return questionnaire
    }

    private static func study(_ version: String, _ questionnaires: Questionnaire...) -> Study {
        var study = Sample.study([])
        study.version = version
        study.questionnaires = questionnaires
        return study
    }

    private static let corrected = mood("1.0.1", key: "1.0.1") { $0.scoring?.scales[0].reverse = ["q2"] }

    @Test func `a corrected key scores the sheets of earlier versions with the same answer form`() throws {
        let activeKeys = ActiveScoringKeys(
            [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", Self.corrected)], live: "1.1.0")

        let rule = try #require(activeKeys["mood", "1.0.0"])

        #expect(rule.keyVersion == "1.0.1")
        #expect(rule.keyed.version == "1.0.1")
        #expect(rule.usesSuccessorKey)
        #expect(activeKeys["mood", "1.0.1"]?.usesSuccessorKey == false)
        let sheet = try AnswerSheet(answers: ["q1": 4, "q2": 1], of: Self.mood("1.0.0"))
        #expect(rule.index.scores(for: sheet).map(\.value) == [7])
    }

    @Test(arguments: ["another item", "another range", "an item more", "a condition", "another order"])
    func `a version with another answer form does not affect earlier sheets`(change: String) {
        let other = Self.mood("2.0.0", key: "2.0.0") { questionnaire in
            switch change {
            case "another item": questionnaire.item[1].linkId = "q3"
            case "another range": questionnaire.item[1].answerOption.removeLast()
            case "an item more": questionnaire.item += [Samples.rating("q3", 0...4)]
            case "a condition":
                questionnaire.item[1].enableWhen = [
                    Condition(question: "q1", comparison: .exists, answer: .boolean(true))
                ]
            default: questionnaire.item.swapAt(0, 1)
            }
        }
        let activeKeys = ActiveScoringKeys(
            [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("2.0.0", other)], live: "2.0.0")

        #expect(activeKeys["mood", "1.0.0"]?.keyVersion == "1.0.0")
        #expect(activeKeys["mood", "2.0.0"]?.keyVersion == "2.0.0")
    }

    @Test func `texts, weights and the edit policy do not change the answer form`() {
        let other = Self.mood("1.0.1") { questionnaire in
            questionnaire.text["en"]?.title = "Other words"
            questionnaire.item[0].answerOption[0].weight = 7
            questionnaire.edit.correctWithin = .within(seconds: 60)
            questionnaire.minutes = 9
        }

        #expect(other.answerFormDigest == Self.mood("1.0.0").answerFormDigest)
        #expect(other.weightDigest != Self.mood("1.0.0").weightDigest)
    }

    @Test func `the last corrected key of an answer form stays active when the form changes`() {
        let moved = Self.mood("2.0.0") { $0.item[1].linkId = "q3" }
        let activeKeys = ActiveScoringKeys(
            [
                Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", Self.corrected),
                Self.study("2.0.0", moved),
            ], live: "2.0.0")

        #expect(activeKeys["mood", "1.0.0"]?.keyVersion == "1.0.1")
    }

    @Test func `an older version that becomes live again activates its key again`() {
        let studies = [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", Self.corrected)]

        let activeKeys = ActiveScoringKeys(studies, live: "1.0.0")

        #expect(activeKeys["mood", "1.0.1"]?.keyVersion == "1.0.0")
        #expect(activeKeys.digest != ActiveScoringKeys(studies, live: "1.1.0").digest)
        #expect(activeKeys.digest == ActiveScoringKeys(studies, live: "1.0.0").digest)
    }

    @Test func `changed option weights under the same key are reported`() {
        let quiet = Self.mood("1.0.1") { $0.item[0].answerOption[0].weight = 7 }
        let named = Self.mood("1.0.1", key: "1.0.1") { $0.item[0].answerOption[0].weight = 7 }
        func changes(_ later: Questionnaire) -> [ActiveScoringKeys.Version] {
            ActiveScoringKeys(
                [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", later)], live: "1.1.0"
            ).silentWeightChanges
        }

        #expect(changes(quiet) == [ActiveScoringKeys.Version(questionnaire: "mood", version: "1.0.0")])
        #expect(changes(named) == [])
        #expect(changes(Self.mood("1.0.1")) == [])
    }

    @Test func `a questionnaire without a key has no rule until a version with the same form has a key`() {
        let withoutKey = Self.mood("1.0.0") { $0.scoring = nil }

        #expect(ActiveScoringKeys([Self.study("1.0.0", withoutKey)], live: "1.0.0").rules.isEmpty)
        let later = ActiveScoringKeys(
            [Self.study("1.0.0", withoutKey), Self.study("1.1.0", Self.corrected)], live: "1.1.0")
        #expect(later["mood", "1.0.0"]?.keyVersion == "1.0.1")
    }
}
