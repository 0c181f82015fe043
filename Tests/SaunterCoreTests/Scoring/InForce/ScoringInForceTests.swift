import Testing

@testable import SaunterCore

@Suite struct ScoringInForceTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    /// Two ratings under a key that adds them up.
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

    private static let mended = mood("1.0.1", key: "1.0.1") { $0.scoring?.scales[0].reverse = ["q2"] }

    @Test func `a mended key scores the sheets of earlier versions that ask the same`() throws {
        let inForce = ScoringInForce(
            [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", Self.mended)], live: "1.1.0")

        let rule = try #require(inForce["mood", "1.0.0"])

        #expect(rule.keyVersion == "1.0.1")
        #expect(rule.keyed.version == "1.0.1")
        #expect(rule.isSuccession)
        #expect(inForce["mood", "1.0.1"]?.isSuccession == false)
        let sheet = try AnswerSheet(answers: ["q1": 4, "q2": 1], of: Self.mood("1.0.0"))
        #expect(rule.index.scores(for: sheet).map(\.value) == [7])
    }

    @Test(arguments: ["another item", "another range", "an item more", "a condition", "another order"])
    func `a version that asks something else leaves earlier sheets alone`(change: String) {
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
        let inForce = ScoringInForce(
            [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("2.0.0", other)], live: "2.0.0")

        #expect(inForce["mood", "1.0.0"]?.keyVersion == "1.0.0")
        #expect(inForce["mood", "2.0.0"]?.keyVersion == "2.0.0")
    }

    @Test func `words, weights and editing make no other form`() {
        let other = Self.mood("1.0.1") { questionnaire in
            questionnaire.text["en"]?.title = "Other words"
            questionnaire.item[0].answerOption[0].weight = 7
            questionnaire.edit.correctWithin = 60
            questionnaire.minutes = 9
        }

        #expect(other.answerForm == Self.mood("1.0.0").answerForm)
        #expect(other.weightDigest != Self.mood("1.0.0").weightDigest)
    }

    @Test func `the last mended key stays in force when the questionnaire moves on`() {
        let moved = Self.mood("2.0.0") { $0.item[1].linkId = "q3" }
        let inForce = ScoringInForce(
            [
                Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", Self.mended),
                Self.study("2.0.0", moved),
            ], live: "2.0.0")

        #expect(inForce["mood", "1.0.0"]?.keyVersion == "1.0.1")
    }

    @Test func `an older version that is live again brings its key back`() {
        let studies = [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", Self.mended)]

        let inForce = ScoringInForce(studies, live: "1.0.0")

        #expect(inForce["mood", "1.0.1"]?.keyVersion == "1.0.0")
        #expect(inForce.digest != ScoringInForce(studies, live: "1.1.0").digest)
        #expect(inForce.digest == ScoringInForce(studies, live: "1.0.0").digest)
    }

    @Test func `options that count something else under the same key are told`() {
        let quiet = Self.mood("1.0.1") { $0.item[0].answerOption[0].weight = 7 }
        let named = Self.mood("1.0.1", key: "1.0.1") { $0.item[0].answerOption[0].weight = 7 }
        func changes(_ later: Questionnaire) -> [ScoringInForce.Place] {
            ScoringInForce(
                [Self.study("1.0.0", Self.mood("1.0.0")), Self.study("1.1.0", later)], live: "1.1.0"
            ).unnamedChanges
        }

        #expect(changes(quiet) == [ScoringInForce.Place(questionnaire: "mood", version: "1.0.0")])
        #expect(changes(named) == [])
        #expect(changes(Self.mood("1.0.1")) == [])
    }

    @Test func `a questionnaire without a key has no rule until a version of its form has one`() {
        let bare = Self.mood("1.0.0") { $0.scoring = nil }

        #expect(ScoringInForce([Self.study("1.0.0", bare)], live: "1.0.0").rules.isEmpty)
        let later = ScoringInForce(
            [Self.study("1.0.0", bare), Self.study("1.1.0", Self.mended)], live: "1.1.0")
        #expect(later["mood", "1.0.0"]?.keyVersion == "1.0.1")
    }
}
