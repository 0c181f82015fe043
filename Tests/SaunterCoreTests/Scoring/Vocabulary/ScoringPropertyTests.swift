import Testing

@testable import SaunterCore

/// Properties of every key and every sheet. The input is random, but the same in every run.
@Suite struct ScoringPropertyTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let rules: [MissingRule] = [
        .complete, .exclude, .prorate(minimumAnswered: 3),
        .partial(needed: .share(0.5), remedy: .answered),
        .partial(needed: .count(2), remedy: .impute(.personMean)),
        .partial(needed: .count(2), remedy: .impute(.personMedian)),
        .partial(needed: .count(1), remedy: .impute(.midpoint)),
        .partial(needed: .count(1), remedy: .impute(.constant(1.5))),
    ]

    private func answers(_ items: [Item], _ random: inout QuestionnaireRandom) -> JSONObject {
        var answers = JSONObject()
        for item in items where Int.random(in: 0..<5, using: &random) > 0 {
            answers[item.linkId] = item.answerOption.randomElement(using: &random)?.value.json
        }
        return answers
    }

    @Test func `the order of the items has no effect`() throws {
        var random = QuestionnaireRandom(state: 1)
        let items = (1...6).map { Samples.rating("q\($0)", -$0...$0 + 1) }
        for rule in rules {
            for method in [ScoringMethod.sum, .mean, .minimum, .maximum, .count, .product] {
                for _ in 0..<20 {
                    var scale = S.scale(items.map(\.linkId), method) {
                        ($0.missing, $0.reverse) = (rule, ["q2", "q5"])
                        $0.weights = method == .sum || method == .mean ? ["q1": 0.1, "q3": 2.7] : [:]
                    }
                    let answers = answers(items, &random)
                    let first = try S.score(items, [scale], answers)
                    scale.items.shuffle(using: &random)
                    scale.reverse.shuffle(using: &random)

                    #expect(try S.score(items, [scale], answers) == first)
                }
            }
        }
    }

    @Test func `reversing twice, or reversing the complete scale, restores the score`() throws {
        var random = QuestionnaireRandom(state: 2)
        let items = (1...5).map { Samples.rating("q\($0)", 1...7) }
        let names = items.map(\.linkId)
        let scales = [
            S.scale("plain", names, .mean) { ($0.minimum, $0.maximum) = (1, 7) },
            S.scale("items", names, .mean) { ($0.reverse, $0.minimum, $0.maximum) = (names, 1, 7) },
            S.scale("whole", ["plain"], .value) { ($0.reverse, $0.minimum, $0.maximum) = (["plain"], 1, 7) },
            S.scale("twice", ["whole"], .value) { $0.reverse = ["whole"] },
        ]
        let questionnaire = S.questionnaire(items, scales)
        #expect(S.faults(questionnaire) == [])
        for _ in 0..<200 {
            let scores = try S.scores(questionnaire, answers(items, &random))
            #expect(scores[1].value == scores[2].value)
            #expect(scores[0].value == scores[3].value)
        }
    }

    @Test func `a sum never uses fewer answers, unless the missing rule permits it`() throws {
        var random = QuestionnaireRandom(state: 3)
        let items = S.ratings(6)
        for rule in rules {
            let scale = S.scale(items.map(\.linkId), .sum) { $0.missing = rule }
            for _ in 0..<100 {
                let answers = answers(items, &random)
                let score = try #require(try S.score(items, [scale], answers))
                let given = Array(answers).count
                #expect(score.answeredCount == given)
                #expect(score.itemCount == 6)
                #expect((score.value == nil) != (score.reason == nil))
                switch rule {
                case .complete, .exclude: #expect((score.value != nil) == (given == 6))
                case .partial(_, .answered): #expect(score.imputedCount == 0)
                default: #expect(score.value == nil || score.imputedCount == 6 - given)
                }
            }
        }
    }

    @Test func `extreme numbers never trap`() throws {
        let edge: [Double] = [
            0, 1, -1, 0.1, 1e-300, -1e-300, 9_007_199_254_740_991, -9_007_199_254_740_991, 1e15, 0.3e-14,
            123_456.789_012_345, 1e-18, Double.leastNonzeroMagnitude, 1e308, -1e308, .infinity, .nan,
        ]
        let items = [Samples.item("a", .decimal), Samples.item("b", .decimal)]
        let answers = edge.filter { abs($0) <= 1e15 && (abs($0) > 1e-15 || $0 == 0) }
        for number in edge {
            let steps: [ScoreTransform] = [
                .multiply(number), .divide(number), .add(number), .clamp(least: number, greatest: -number),
                .wrap(number), .wrap(1e-18), .round(Rounding(places: 9, mode: .halfEven)), .pomp,
                .bins([ScoreBin(ScoreRange(from: number), value: number)]),
            ]
            let methods: [ScoringMethod] = [.product, .quotient, .difference, .mean]
            let scales =
                steps.enumerated().map { index, step in
                    S.scale("s\(index)", ["a"], .value) {
                        ($0.transform, $0.minimum, $0.maximum) = ([step, step], number, number)
                        ($0.factor, $0.offset) = (number, number)
                    }
                }
                + methods.enumerated().map { index, method in
                    S.scale("m\(index)", ["a", "b"], method) {
                        $0.weights = ["a": number]
                        $0.missing = .partial(needed: .share(number), remedy: .impute(.constant(number)))
                        $0.recode = ["b": ["1": number]]
                        $0.bands = [Band(id: "x", above: number), Band(id: "y", upTo: number)]
                    }
                }
            let questionnaire = S.questionnaire(items, scales)
            _ = questionnaire.faults()
            let index = QuestionnaireIndex(questionnaire)
            for answer in answers {
                let sheet = try AnswerSheet(answers: ["a": .double(answer), "b": 1], of: index)
                for score in index.scores(for: sheet) { #expect(score.value?.isFinite ?? true) }
            }
        }
    }
}
