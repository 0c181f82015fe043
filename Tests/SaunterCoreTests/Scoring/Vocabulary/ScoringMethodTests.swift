import Testing

@testable import SaunterCore

/// The values of answers, and how items are combined. The expected numbers are calculated by hand.
@Suite struct ScoringMethodTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let three: JSONObject = ["q1": 1, "q2": 2, "q3": 4]

    private func value(_ method: ScoringMethod, _ names: [String], _ change: (inout Scale) -> Void = { _ in })
        throws -> Double?
    {
        let scale = S.scale(names, method, change)
        #expect(S.faults(S.ratings(3), scale) == [])
        return try S.score(S.ratings(3), [scale], three)?.value
    }

    @Test func `each method combines the values one, two and four`() throws {
        let all = ["q1", "q2", "q3"]
        #expect(try value(.sum, all) == 7)
        #expect(try value(.mean, all) == 7.0 / 3)
        #expect(try value(.minimum, all) == 1)
        #expect(try value(.maximum, all) == 4)
        #expect(try value(.product, all) == 8)
        #expect(try value(.count, all) == 3)
        #expect(try value(.value, ["q3"]) == 4)
        #expect(try value(.difference, ["q1", "q3"]) == -3)
        #expect(try value(.difference, ["q3", "q1"]) == 3)
        #expect(try value(.quotient, ["q1", "q3"]) == 0.25)
        #expect(try value(.quotient, ["q3", "q2"]) == 2)
    }

    @Test(
        arguments: [
            (ScoreRange(from: 2), 2.0), (ScoreRange(above: 2), 1), (ScoreRange(below: 2), 1),
            (ScoreRange(upTo: 2), 2), (ScoreRange(above: 1, below: 4), 1), (ScoreRange(exactly: 4), 1),
            (ScoreRange(from: 5), 0),
        ] as [(ScoreRange, Double)])
    func `the range of a count has inclusive and exclusive ends`(range: ScoreRange, expected: Double) throws {
        #expect(try value(.count, ["q1", "q2", "q3"]) { $0.counted = range } == expected)
    }

    @Test func `weights apply after reversal, and a weighted mean divides by the weights`() throws {
        // 0.5·1 − 2·2 + 4; with q1 reversed (4 − 1 = 3): 0.5·3 − 4 + 4
        let weights = ["q1": 0.5, "q2": -2.0]
        #expect(try value(.sum, ["q1", "q2", "q3"]) { $0.weights = weights } == 0.5)
        #expect(
            try value(.sum, ["q1", "q2", "q3"]) { ($0.weights, $0.reverse) = (weights, ["q1"]) } == 1.5)
        // (3·1 + 1·2) / 4
        #expect(try value(.mean, ["q1", "q2"]) { $0.weights = ["q1": 3] } == 1.25)
    }

    @Test func `a division by zero is null with the reason undefined`() throws {
        let scale = S.scale(["q1", "q2"], .quotient)

        let score = try #require(try S.score(S.ratings(2), [scale], ["q1": 3, "q2": 0]))

        #expect(score.value == nil)
        #expect(score.reason == .undefined)
        #expect(try S.score(S.ratings(2), [scale], ["q1": 0, "q2": 3])?.value == 0)
    }

    @Test func `a score that depends on an undefined score is undefined, not unanswered`() throws {
        let scales = [
            S.scale("ratio", ["q1", "q2"], .quotient),
            S.scale("doubled", ["ratio"], .value) { $0.factor = 2 },
            S.scale("total", ["doubled", "q1"], .sum),
        ]
        let questionnaire = S.questionnaire(S.ratings(2), scales)

        let undefined = try S.scores(questionnaire, ["q1": 3, "q2": 0])
        let blank = try S.scores(questionnaire, ["q1": 3])

        #expect(undefined.map(\.reason) == [.undefined, .undefined, .undefined])
        #expect(undefined[2].answeredCount == 1)
        #expect(blank.map(\.reason) == [.tooFewAnswered, .tooFewAnswered, .tooFewAnswered])
    }

    @Test
    func `a score keeps the reason of a score outside of its range, and prorates if its rule permits it`()
        throws
    {
        let scales = [
            S.scale("small", ["q1"], .value) { ($0.minimum, $0.maximum) = (0, 2) },
            S.scale("needed", ["small", "q2"], .sum),
            S.scale("enough", ["small", "q2"], .mean) { $0.missing = .prorate(minimumAnswered: 1) },
        ]

        let scores = try S.scores(S.questionnaire(S.ratings(2), scales), ["q1": 3, "q2": 4])

        #expect(scores.map(\.reason) == [.outOfRange, .outOfRange, nil])
        #expect(scores[2].value == 4)
    }

    @Test func `a recoding takes precedence over the option's weight, and is reversed`() throws {
        let item = Samples.item("q", .choice) {
            $0.answerOption = [
                ResponseOption(value: .code("a"), weight: 9), ResponseOption(value: .code("b"), weight: 1),
                ResponseOption(value: .code("c")),
            ]
        }
        let table = ["q": ["a": 0, "b": 50.0, "c": 200]]
        let plain = S.scale(["q"], .value) { $0.recode = table }
        let reversed = S.scale(["q"], .value) { ($0.recode, $0.reverse) = (table, ["q"]) }

        #expect(S.faults([item], plain) == [])
        for (answer, value) in [("a", 0.0), ("c", 200)] {
            #expect(try S.score([item], [plain], ["q": .string(answer)])?.value == value)
            #expect(try S.score([item], [reversed], ["q": .string(answer)])?.value == 200 - value)
        }
        #expect(try S.score([item], [reversed], ["q": "b"])?.value == 150)
    }

    @Test func `numbers and booleans can be recoded, and answers outside of the table are missing`() throws {
        let items = [Samples.item("n", .integer), Samples.item("b", .boolean)]
        let recode = ["n": ["1": 10, "2.0": 30.0], "b": ["true": 5, "false": 7]]
        let scale = S.scale(["n", "b"], .sum) { $0.recode = recode }

        #expect(S.faults(items, scale) == [])
        #expect(try S.score(items, [scale], ["n": 1, "b": true])?.value == 15)
        #expect(try S.score(items, [scale], ["n": 2, "b": false])?.value == 37)
        #expect(try S.score(items, [scale], ["n": 3, "b": false])?.reason == .tooFewAnswered)
    }

    @Test func `a repeating item adds the recoded values of its options`() throws {
        let item = Samples.choice("q", ["a", "b", "c"], repeats: true)
        let scale = S.scale(["q"], .sum) { $0.recode = ["q": ["a": 2, "b": -1, "c": 0]] }

        #expect(try S.score([item], [scale], ["q": ["a", "b", "c"]])?.value == 1)
    }

    @Test func `paired comparisons determine the weights of a workload score`() throws {
        // Two ratings, weighted by how often each one was chosen as the greater load: (20·1 + 80·2) / 3.
        let pairs = (1...3).map { Samples.choice("p\($0)", ["mental", "physical"]) }
        let ratings = ["mental", "physical"].map { name in
            Samples.item(name, .integer) { ($0.minValue, $0.maxValue) = (0, 100) }
        }
        func tally(_ id: String, _ code: String) -> Scale {
            S.scale(id, pairs.map(\.linkId), .sum) { scale in
                for pair in pairs {
                    scale.recode[pair.linkId] = [
                        "mental": code == "mental" ? 1 : 0, "physical": code == "physical" ? 1 : 0,
                    ]
                }
            }
        }
        let scales = [
            tally("w1", "mental"), tally("w2", "physical"), S.scale("a", ["w1", "mental"], .product),
            S.scale("b", ["w2", "physical"], .product),
            S.scale("load", ["a", "b"], .sum) { $0.transform = [.divide(3)] },
        ]
        let answers: JSONObject = [
            "p1": "mental", "p2": "physical", "p3": "physical", "mental": 20, "physical": 80,
        ]

        let questionnaire = S.questionnaire(pairs + ratings, scales)
        #expect(S.faults(questionnaire) == [])
        #expect(try S.scores(questionnaire, answers).map(\.value) == [1, 2, 20, 160, 60])
    }
}
