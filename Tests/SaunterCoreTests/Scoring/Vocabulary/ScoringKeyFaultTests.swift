import Testing

@testable import SaunterCore

/// Faults of keys that are found without answers: off-by-one edges, cycles and misplaced members.
@Suite struct ScoringKeyFaultTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private func bands(
        _ bands: [Band], of method: ScoringMethod = .sum, _ change: (inout Scale) -> Void = { _ in }
    ) -> [String] {
        let scale = S.scale(["q1", "q2"], method) {
            $0.bands = bands
            change(&$0)
        }
        return S.faults(S.ratings(2), scale)
    }

    @Test func `a gap between bands is a fault if and only if a score can be in it`() {
        let gap = ["/scales/0/bands band_gap"]
        func pair(_ end: Double, _ beginning: Double) -> [Band] {
            [Band(id: "a", upTo: end), Band(id: "b", from: beginning)]
        }

        #expect(bands(pair(3, 4)) == [])
        #expect(bands(pair(3, 5)) == gap)
        #expect(bands(pair(3.1, 3.9)) == [])
        #expect(bands(pair(3, 4), of: .mean) == gap)
        #expect(bands(pair(3, 3.5), of: .mean) == [])
        #expect(bands(pair(3, 4)) { $0.missing = .prorate(minimumAnswered: 1) } == gap)
        #expect(bands(pair(6, 8)) { $0.factor = 2 } == [])
        #expect(bands(pair(6, 7)) { ($0.factor, $0.offset) = (2, 0.5) } == gap)
        #expect(bands(pair(3, 4), of: .mean) { $0.rounding = Rounding(places: 0, mode: .up) } == [])
        #expect(bands([Band(id: "a", below: 3), Band(id: "b", above: 3)]) == gap)
        #expect(
            bands([Band(id: "a", upTo: 3), Band(id: "b", from: 3)]) == ["/scales/0/bands/1 overlapping_bands"]
        )
        #expect(bands([Band(id: "a", below: 3), Band(id: "b", from: 3), Band(id: "c", from: 9)]).count == 1)
        // Scores before the first band and after the last band need no band.
        #expect(bands([Band(id: "a", from: 2, upTo: 3), Band(id: "b", from: 4, upTo: 5)]) == [])
    }

    @Test func `weights of two and four cannot result in odd sums`() {
        let item = Samples.item("q1", .choice) {
            $0.answerOption = [("no", 0.0), ("at times", 2), ("yes", 4)].map {
                ResponseOption(value: .code($0.0), weight: $0.1)
            }
        }
        let scale = S.scale(["q1", "q2"], .sum) {
            $0.bands = [Band(id: "a", upTo: 2), Band(id: "b", from: 4)]
        }
        func faults(_ second: Item) -> [String] {
            S.faults([item, second], scale).filter { $0.hasPrefix("/scales") }
        }

        #expect(faults(Samples.rating("q2", 0...1)) == ["/scales/0/bands band_gap"])
        #expect(
            faults(
                Samples.item("q2", .choice) {
                    $0.answerOption = [0, 2].map {
                        ResponseOption(value: .integer($0))
                    }
                }) == [])
    }

    @Test func `bins must contain every value, with the ends`() {
        func bins(_ ranges: ScoreRange...) -> [String] {
            S.faults(
                S.ratings(1),
                S.scale(["q1"], .value) { $0.transform = [.bins(ranges.map { ScoreBin($0, value: 1) })] })
        }
        let gap = "/scales/0/transform/0/bins bin_gap"

        #expect(bins(ScoreRange(from: 0, upTo: 2), ScoreRange(from: 3, upTo: 4)) == [])
        #expect(bins(ScoreRange(upTo: 1), ScoreRange(from: 3)) == [gap])
        #expect(bins(ScoreRange(above: 0)) == [gap])
        #expect(bins(ScoreRange(below: 4)) == [gap])
        #expect(bins(ScoreRange(from: 1, upTo: 3)) == [gap, gap])
        #expect(bins(ScoreRange()) == [])
        #expect(
            bins(ScoreRange(upTo: 2), ScoreRange(from: 2)) == [
                "/scales/0/transform/0/bins/1 overlapping_bins"
            ])
    }

    @Test func `cycles are distinguished from a wrong order`() {
        let cyclicScales = [
            S.scale("a", ["b"], .value), S.scale("b", ["c"], .value), S.scale("c", ["q1", "a"], .sum),
        ]

        #expect(
            S.faults(S.questionnaire(S.ratings(1), cyclicScales)) == [
                "/scales/0/items/0 cycle", "/scales/1/items/0 cycle",
            ])
        #expect(
            S.faults(
                S.questionnaire(S.ratings(1), [S.scale("a", ["b"], .value), S.scale("b", ["q1"], .value)]))
                == ["/scales/0/items/0 later_scale"])
    }

    @Test func `a key of extreme length is rejected at low cost`() {
        let bands = (0..<2000).map { Band(id: "b\($0)", from: Double($0), below: Double($0 + 1)) }
        let bins = (0..<2000).map { ScoreBin(ScoreRange(from: Double($0), below: Double($0 + 1)), value: 1) }
        let scale = S.scale(["q1"], .value) { ($0.bands, $0.transform) = (bands, [.bins(bins)]) }

        #expect(
            S.faults(S.ratings(1), scale) == [
                "/scales/0/transform/0/bins no_bins", "/scales/0/bands too_many_bands",
            ])
        // Every scale uses every other scale several times.
        let manyScales = (0..<200).map { index in
            S.scale("s\(index)", (0..<1000).map { "s\($0 % 200)" }, .sum)
        }
        #expect(S.faults(S.questionnaire(S.ratings(1), manyScales)).count == FaultCollector.maximumCount)
    }

    @Test func `keys that do not fit the method are faults`() {
        func faults(_ method: ScoringMethod, _ change: (inout Scale) -> Void) -> [String] {
            S.faults(S.ratings(2), S.scale(["q1", "q2"], method, change))
                .map { String($0.dropFirst("/scales/0/".count)) }
        }

        #expect(faults(.product) { $0.weights = ["q1": 2] } == ["weights bad_word"])
        #expect(faults(.sum) { $0.weights = ["q9": 2] } == ["weights/q9 unknown_item"])
        #expect(faults(.sum) { $0.weights = ["q1": 0] } == ["weights/q1 out_of_range"])
        #expect(faults(.sum) { $0.weights = ["q1": .infinity] } == ["weights/q1 out_of_range"])
        #expect(faults(.sum) { $0.counted = ScoreRange(from: 1) } == ["where bad_word"])
        #expect(faults(.count) { $0.counted = ScoreRange(from: 2, below: 2) } == ["where/below empty_range"])
        #expect(faults(.quotient) { $0.items = ["q1"] } == ["items two_items"])
        #expect(faults(.sum) { $0.recode = ["q9": ["0": 1]] } == ["recode/q9 unknown_item"])
        #expect(
            faults(.sum) { $0.recode = ["q1": ["0": 1, "1": .nan, "2": 0, "3": 0, "5": 0]] }
                == ["recode/q1/1 out_of_range", "recode/q1/5 unknown_option", "recode/q1 no_weight"])
        #expect(
            faults(.sum) {
                $0.change = ChangeRule(
                    standardDeviation: 0, reliability: 1, source: " ", direction: .higherIsBetter,
                    important: 0)
            } == [
                "change/sd out_of_range", "change/reliability out_of_range", "change/important out_of_range",
                "change/source no_source",
            ])
    }

    @Test func `a wrong key results in null with a reason, never in a number`() throws {
        let items = [Samples.item("t", .string), Samples.item("n", .integer), Samples.item("w", .time)]
        let wrong: [Scale] = [
            S.scale("a", ["n"], .value) { $0.transform = [.lookup(table: "none")] },
            S.scale("b", ["n"], .value) { $0.transform = [.pomp] },
            S.scale("c", ["n"], .value) { $0.transform = [.divide(0)] },
            S.scale("d", ["n"], .value) { $0.transform = [.wrap(-1)] },
            S.scale("e", ["n", "t"], .product) { $0.missing = .prorate(minimumAnswered: 1) },
            S.scale("f", ["n", "w"], .elapsed), S.scale("g", ["n"], .quotient), S.scale("h", ["t"], .clock),
            S.scale("i", ["n"], .mean) { $0.weights = ["n": 0] },
            S.scale("j", ["n"], .value) { $0.factor = .nan },
            S.scale("k", ["n"], .value) { $0.transform = [.multiply(1e308), .multiply(1e308)] },
            S.scale("l", ["n", "n"], .sum) {
                ($0.missing, $0.blanks) = (.partial(needed: .share(.nan), remedy: .answered), [:])
                $0.weights = ["n": .infinity]
            },
        ]
        let questionnaire = S.questionnaire(items, wrong)

        let scores = try S.scores(questionnaire, ["n": 5, "t": "5", "w": "05:00"])

        #expect(scores.map(\.value) == Array(repeating: nil, count: wrong.count))
        #expect(scores.allSatisfy { $0.reason != nil && $0.band == nil })
        #expect(questionnaire.faults().count >= wrong.count)
    }
}
