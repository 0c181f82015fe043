import Foundation
import Testing

@testable import SaunterCore

/// Which practices and programmes are recommended, and in which order.
struct RecommendationsTests {
    private static func scope(_ values: [String: ExpressionValue]) -> ExpressionScope {
        ExpressionScope(value: { values[$0] ?? .blank }, today: nil)
    }

    private static func written(
        _ recommendations: Recommendations, _ values: [String: ExpressionValue] = [:],
        without hidden: Set<String> = []
    ) -> [String] {
        recommendations.list(in: scope(values)) { !hidden.contains($0) }
            .map { "\($0.rank) \($0.code) \($0.source.why)" }
    }

    private static let table = Recommendations(table: ["morning", "gratitude", "evening"])

    @Test func `the table is the same for all, and ranks have no gaps`() {
        #expect(Self.written(Self.table) == ["1 morning table", "2 gratitude table", "3 evening table"])
        #expect(
            Self.written(Self.table, without: ["morning"]) == ["1 gratitude table", "2 evening table"])
    }

    @Test func `a rule comes before the table if its condition is true, and each code appears once`() {
        var recommendations = Self.table
        recommendations.rules = [
            .init(recommended: ["breath"], condition: "goal = 'anxiety'"),
            .init(recommended: ["evening", "breath"], condition: "mood < 4"),
        ]

        #expect(
            Self.written(recommendations, ["goal": .text("anxiety"), "mood": .exact(Quantity(3))])
                == ["1 breath rule", "2 evening rule", "3 morning table", "4 gratitude table"])
        #expect(Self.written(recommendations, ["goal": .text("calm")]).first == "1 morning table")
        recommendations.order = [.table, .rules]
        #expect(
            Self.written(recommendations, ["goal": .text("anxiety")])
                == ["1 morning table", "2 gratitude table", "3 evening table", "4 breath rule"])
        recommendations.order = [.rules]
        #expect(Self.written(recommendations) == [])
    }

    @Test func `models are ranked by their scores, and the table decides ties`() {
        func model(_ code: String, _ intercept: Double) -> Recommendations.Model {
            .init(of: code, version: "1", intercept: intercept)
        }
        var recommendations = Self.table
        recommendations.models = [
            model("other", 0.5), model("evening", 0.5), model("morning", 0.5), model("first", 0.6),
            model("another", 0.5),
        ]

        #expect(
            Self.written(recommendations) == [
                "1 first model", "2 morning model", "3 evening model", "4 other model", "5 another model",
                "6 gratitude table",
            ])
    }

    @Test func `a model with a blank variable is skipped`() {
        var recommendations = Self.table
        recommendations.models = [
            .init(of: "evening", version: "1", intercept: 5, terms: ["mood": 1, "calm": 2]),
            .init(of: "gratitude", version: "1", intercept: -5, terms: ["calm": 2]),
        ]

        #expect(
            Self.written(recommendations, ["calm": .boolean(true)])
                == ["1 gratitude model", "2 morning table", "3 evening table"])
        #expect(
            Self.written(recommendations, ["calm": .text("yes"), "mood": .exact(Quantity(1))]).first
                == "1 morning table")
    }

    // The expected values were computed with 50 decimal digits.
    @Test(arguments: [
        (-0.4, 1.2, -0.05, true, 6.5, 0.6165665045215213),
        (-0.4, 1.2, -0.05, false, 6.5, 0.3262929005454786),
        (0.0, 0.0, 0.0, true, 1.0, 0.5),
        (2.5, -0.75, 0.125, true, -3.0, 0.7981867776396212),
        (-30.0, 1.0, 0.5, true, 2.0, 6.914400106935423e-13),
    ])
    func `a logistic score equals the reference`(
        _ intercept: Double, _ calm: Double, _ mood: Double, _ isCalm: Bool, _ mean: Double,
        _ expected: Double
    ) throws {
        let model = Recommendations.Model(
            of: "evening", version: "2026-11", intercept: intercept,
            terms: ["goal_calm": calm, "mood_mean": mood])

        let score = try #require(
            model.score(
                in: Self.scope(["goal_calm": .boolean(isCalm), "mood_mean": .exact(Quantity(mean))])))

        #expect(abs(score - expected) < 1e-9)
    }

    @Test func `the values come from the participant's variables`() throws {
        var study = VariableSamples.study([
            TailoringVariable(id: "sheets", kind: .count, source: .entry(.init(["log"]))),
            TailoringVariable(id: "often", kind: .expression("sheets > 1")),
        ])
        study.anyTime.append(AnyTimeRule(questionnaire: "breathing", isPractice: true))
        let check = RecommendationCheck(of: study)
        let recommendations = Recommendations(
            rules: [.init(recommended: ["breathing"], condition: "sheets = 0")],
            models: [.init(of: "log", version: "1", intercept: 0, terms: ["often": 1, "missing": 1])])

        #expect(recommendations.variables == ["missing", "often", "sheets"])
        #expect(throws: Never.self) { try check.checkCondition("often") }
        #expect(throws: Never.self) { try check.checkTerm("often") }
        #expect(throws: ExpressionFault.self) { try check.checkTerm("missing") }
        #expect(throws: ExpressionFault.self) { try check.checkTerm("sheets + 1") }
        #expect(throws: ExpressionFault.self) { try check.checkCondition("sheets") }
    }
}
