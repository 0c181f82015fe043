import Testing

@testable import SaunterCore

@Suite struct ScoreTransformTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let number = Samples.item("q1", .decimal) { ($0.minValue, $0.maxValue) = (-100, 100) }

    private func value(_ steps: [ScoreTransform], of number: Double) throws -> Double? {
        let scale = S.scale(["q1"], .value) { $0.transform = steps }
        #expect(S.faults([self.number], scale) == [])
        return try S.score([self.number], [scale], ["q1": .double(number)])?.value
    }

    @Test func `each step of a transform computes its value`() throws {
        #expect(try value([.multiply(2.5)], of: 4) == 10)
        #expect(try value([.divide(3)], of: 7) == 7.0 / 3)
        #expect(try value([.add(-1.5)], of: 1) == -0.5)
        #expect(try value([.pomp], of: -50) == 25)
        #expect(try value([.clamp(least: 0, greatest: 10)], of: -3) == 0)
        #expect(try value([.clamp(least: 0, greatest: 10)], of: 7) == 7)
        #expect(try value([.clamp(least: nil, greatest: 10)], of: 11) == 10)
        #expect(try value([.wrap(24)], of: 25) == 1)
        #expect(try value([.wrap(24)], of: -1) == 23)
        #expect(try value([.wrap(0.1)], of: 0.35) == 0.05)
        #expect(try value([.wrap(24)], of: 48) == 0)
        #expect(try value([.round(Rounding(places: 1, mode: .halfUp))], of: 0.25) == 0.3)
    }

    @Test func `steps run in order, after the factor and before the rounding`() throws {
        let scale = S.scale(["q1"], .value) {
            ($0.factor, $0.offset) = (2, 1)
            $0.transform = [.divide(3), .add(1), .multiply(3)]
            $0.rounding = Rounding(places: 0, mode: .up)
        }

        // ((2·4 + 1) / 3 + 1) · 3 = 12 exactly, so rounding up has no effect.
        #expect(try S.score([number], [scale], ["q1": 4])?.value == 12)
    }

    @Test(
        arguments: [
            (-1.0, 0.0), (4.9, 0), (5, 1), (9.99, 1), (10, 2), (10.01, 3), (20, 3), (20.01, 20.01),
        ] as [(Double, Double)])
    func `bins have inclusive and exclusive ends, and can keep the value`(number: Double, expected: Double)
        throws
    {
        let bins: [ScoreBin] = [
            ScoreBin(ScoreRange(below: 5), value: 0), ScoreBin(ScoreRange(from: 5, below: 10), value: 1),
            ScoreBin(ScoreRange(exactly: 10), value: 2), ScoreBin(ScoreRange(above: 10, upTo: 20), value: 3),
            ScoreBin(ScoreRange(above: 20), value: nil),
        ]

        #expect(try value([.bins(bins)], of: number) == expected)
    }

    @Test func `a value outside of all bins is null`() throws {
        let scale = S.scale(["q1"], .value) {
            $0.transform = [.bins([ScoreBin(ScoreRange(from: 5), value: 0)])]
        }

        #expect(try S.score([number], [scale], ["q1": 4])?.reason == .notInTable)
    }

    @Test func `latency is binned, added and binned again`() throws {
        // The binned minutes until sleep, plus the binned frequency: the first component of sleep quality.
        let items = [
            Samples.item("minutes", .integer) { ($0.minValue, $0.maxValue) = (0, 600) },
            Samples.rating("often", 0...3),
        ]
        func bins(_ edges: [Double]) -> ScoreTransform {
            let ends = [nil] + edges.map(Optional.some)
            return .bins(
                ends.indices.map { index in
                    ScoreBin(
                        ScoreRange(above: ends[index], upTo: index < edges.count ? edges[index] : nil),
                        value: Double(index))
                })
        }
        let scales = [
            S.scale("long", ["minutes"], .value) { $0.transform = [bins([15, 30, 60])] },
            S.scale("latency", ["long", "often"], .sum) {
                $0.transform = [bins([0, 2, 4])]
                ($0.minimum, $0.maximum) = (0, 3)
            },
        ]
        let questionnaire = S.questionnaire(items, scales)
        #expect(S.faults(questionnaire) == [])

        for (minutes, often, expected) in [
            (15, 0, 0.0), (16, 0, 1), (30, 1, 1), (31, 0, 1), (31, 1, 2), (60, 2, 2), (61, 2, 3), (600, 3, 3),
        ] {
            let scores = try S.scores(questionnaire, ["minutes": .int(minutes), "often": .int(often)])
            #expect(scores.last?.value == expected)
        }
    }

    @Test func `minutes of walking are clamped, and too many per day are excluded`() throws {
        let items = ["walk", "hard"].flatMap { name in
            [
                Samples.item("\(name)_days", .integer) { ($0.minValue, $0.maxValue) = (0, 7) },
                Samples.item("\(name)_min", .integer) { ($0.minValue, $0.maxValue) = (0, 1440) },
            ]
        }
        let cut: [ScoreTransform] = [
            .bins([
                ScoreBin(ScoreRange(below: 10), value: 0),
                ScoreBin(ScoreRange(from: 10, upTo: 180), value: nil),
                ScoreBin(ScoreRange(above: 180), value: 180),
            ])
        ]
        var scales = [S.scale("a_day", ["walk_min", "hard_min"], .sum)]
        for (name, met) in [("walk", 3.3), ("hard", 8.0)] {
            scales += [
                S.scale("\(name)_cut", ["\(name)_min"], .value) { $0.transform = cut },
                S.scale("\(name)_met", ["\(name)_cut", "\(name)_days"], .product) { $0.factor = met },
            ]
        }
        scales.append(
            S.scale("total", ["walk_met", "hard_met"], .sum) {
                $0.missing = .exclude
                $0.exclude = [
                    ScoreExclusion(
                        id: "too_long", when: [ScoreCondition("a_day", .range(ScoreRange(above: 960)))])
                ]
            })
        scales.append(S.scale("week", ["total"], .value) { $0.transform = [.divide(7)] })
        let questionnaire = S.questionnaire(items, scales)
        func scores(_ values: [Int?]) throws -> [Score] {
            var answers = JSONObject()
            for (item, value) in zip(items, values) { answers[item.linkId] = value.map { .int($0) } }
            return try Array(S.scores(questionnaire, answers).suffix(2))
        }
        #expect(S.faults(questionnaire) == [])

        // 3.3·30·5 = 495; 8·180·2 = 2880 of 240 minutes
        #expect(try scores([5, 30, 2, 240]).map(\.value) == [3375, 3375.0 / 7])
        #expect(try scores([5, 9, 2, 10]).map(\.value) == [160, 160.0 / 7])
        #expect(try scores([5, 480, 2, 480]).map(\.value) == [5850, 5850.0 / 7])
        let excluded = try scores([5, 481, 2, 480])
        #expect(excluded.map(\.value) == [nil, nil])
        #expect(excluded.map(\.reason) == [.excluded, .excluded])
        #expect(excluded.map(\.exclusion) == ["too_long", "too_long"])
        let missing = try scores([5, 30, nil, 60])
        #expect(missing.map(\.reason) == [.excluded, .excluded])
        #expect(missing.map(\.exclusion) == [nil, nil])
    }

    @Test func `percent of the maximum uses the attainable range of the items`() throws {
        let items = [Samples.rating("q1", 1...5), Samples.rating("q2", 0...3)]
        let scale = S.scale(["q1", "q2"], .sum) { $0.transform = [.pomp] }

        #expect(try S.score(items, [scale], ["q1": 1, "q2": 0])?.value == 0)
        #expect(try S.score(items, [scale], ["q1": 5, "q2": 3])?.value == 100)
        #expect(try S.score(items, [scale], ["q1": 3, "q2": 1])?.value == 300.0 / 7)
    }

    @Test func `percents are from 0 to 100, or null`() throws {
        var random = QuestionnaireRandom(state: 5)
        let items = [Samples.rating("q1", 0...1), Samples.rating("q2", -3...10), Samples.rating("q3", 2...4)]
        for method in [ScoringMethod.sum, .mean, .minimum, .maximum, .product, .count] {
            for rule in [
                MissingRule.prorate(minimumAnswered: 1), .partial(needed: .count(1), remedy: .answered),
                .partial(needed: .count(1), remedy: .impute(.midpoint)), .complete,
            ] where rule == .complete || method.allowsMissingItems {
                let scale = S.scale(["q1", "q2", "q3"], method) {
                    ($0.missing, $0.transform, $0.reverse) = (rule, [.pomp], ["q2"])
                }
                let index = QuestionnaireIndex(S.questionnaire(items, [scale]))
                for _ in 0..<100 {
                    var answers = JSONObject()
                    for item in items where Int.random(in: 0..<4, using: &random) > 0 {
                        let option = item.answerOption.randomElement(using: &random)
                        answers[item.linkId] = option?.value.json
                    }
                    let score = index.scores(for: try AnswerSheet(answers: answers, of: index))[0]
                    #expect((score.value == nil) != (score.reason == nil))
                    if let value = score.value { #expect((0...100).contains(value)) }
                }
            }
        }
    }

    @Test func `numbers of steps have limits`() {
        func faults(_ steps: ScoreTransform...) -> [String] {
            S.faults([Samples.item("q1", .decimal)], S.scale(["q1"], .value) { $0.transform = steps })
        }
        let range = ["/scales/0/transform/0 out_of_range"]

        #expect(faults(.multiply(0)) == range)
        #expect(faults(.divide(0)) == range)
        #expect(faults(.divide(.nan)) == range)
        #expect(faults(.add(.infinity)) == range)
        #expect(faults(.wrap(0)) == range)
        #expect(faults(.wrap(-.infinity)) == range)
        #expect(faults(.round(Rounding(places: .max, mode: .up))) == range)
        #expect(faults(.pomp) == ["/scales/0/transform/0 no_range"])
        #expect(faults(.clamp(least: nil, greatest: nil)) == ["/scales/0/transform/0 no_range"])
        #expect(faults(.clamp(least: 2, greatest: 1)) == ["/scales/0/transform/0/up_to empty_range"])
        #expect(faults(.lookup(table: "t")) == ["/scales/0/transform/0/lookup unknown_table"])
        #expect(faults(.norm(table: "t", form: .z)) == ["/scales/0/transform/0/norm unknown_table"])
        #expect(faults(.bins([])) == ["/scales/0/transform/0/bins no_bins"])
        #expect(
            faults(.bins([ScoreBin(ScoreRange(from: 0, above: 0), value: 1e10)]))
                == [
                    "/scales/0/transform/0/bins/0/above two_ends",
                    "/scales/0/transform/0/bins/0/value out_of_range",
                ])
    }
}
