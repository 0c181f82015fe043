import Testing

@testable import SaunterCore

@Suite struct StoredSheetScorerTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let items =
        (1...10).map { Samples.rating("q\($0)", 0...4) } + [
            Samples.item("sure", .boolean),
            Samples.item("weighted", .choice) {
                $0.answerOption = [("a", 7.0), ("b", -2), ("c", 0)].map {
                    ResponseOption(value: .code($0.0), weight: $0.1)
                }
            },
        ]

    private var plain: [Scale] {
        let names = items.map(\.linkId)
        return [
            S.scale("total", names, .sum) {
                $0.reverse = ["q4", "q5", "weighted", "sure"]
                $0.bands = [Band(id: "low", below: 20), Band(id: "high", from: 20)]
                ($0.minimum, $0.maximum) = (0, 40)
            },
            S.scale("mean", names, .mean) {
                ($0.factor, $0.offset, $0.missing) = (0.1, 3, .prorate(minimumAnswered: 11))
                $0.transform = [
                    .pomp,
                    .bins([
                        ScoreBin(ScoreRange(below: 50.5), value: nil),
                        ScoreBin(ScoreRange(above: 51), value: 1),
                    ]),
                ]
                $0.rounding = Rounding(places: 2, mode: .halfUp)
            },
            S.scale("recoded", ["q3", "sure"], .sum) {
                $0.recode = [
                    "sure": ["true": -3, "false": 9], "q3": ["0": 5, "1": 1, "2": 2, "3": 3, "4": 4],
                ]
            },
            S.scale("one", ["q10"], .value),
        ]
    }

    private func compare(_ scales: [Scale], usesFastPath: Bool) throws {
        let index = QuestionnaireIndex(S.questionnaire(items, scales))
        let codec = AnswerCodec(index)
        let scoring = StoredSheetScorer(index)
        #expect((SumLookup(index, slots: codec.slots) != nil) == usesFastPath)
        var random = QuestionnaireRandom(state: 4)
        var all: [Int16] = []
        var expected: [Score] = []
        for number in 0..<500 {
            let slots = index.nodes.map { node in
                let count = node.item.type == .boolean ? 2 : node.item.answerOption.count
                let isBlank = number % 3 == 0 && Int.random(in: 0..<12, using: &random) == 0
                return isBlank
                    ? Int16(MissingReason.scored.randomElement(using: &random)?.rawValue ?? -996)
                    : Int16(Int.random(in: 0..<count, using: &random))
            }
            let stored = StoredAnswers(slots: slots, numbers: [], texts: [:])
            let scores = index.scores(for: try codec.decode(stored))
            var found: [Score] = []
            try scoring.add(stored, to: &found)
            #expect(found == scores)
            all += slots
            expected += scores
        }
        var found: [Score] = []
        try scoring.add(sheets: all, to: &found)
        #expect(found == expected)
        #expect(Set(expected.map(\.reason)).count > 1)
    }

    @Test func `the fast path has the same results as the usual path`() throws {
        try compare(plain, usesFastPath: true)
    }

    @Test func `a key with more than sums uses the usual path`() throws {
        try compare(plain + [S.scale("least", ["q1", "q2"], .minimum)], usesFastPath: false)
        try compare(plain + [S.scale("again", ["total"], .value)], usesFastPath: false)
        try compare(
            plain + [S.scale("weighed", ["q1", "q2"], .sum) { $0.weights = ["q1": 2] }], usesFastPath: false)
        try compare(
            plain + [
                S.scale("excluded", ["q1"], .value) {
                    $0.exclude = [ScoreExclusion(id: "x", when: [ScoreCondition("sure", .code("true"))])]
                }
            ], usesFastPath: false)
    }

    @Test(arguments: [5, Int16.max, -1, -2000, Int16.min])
    func `a slot value that the version does not have is an error on both paths`(slot: Int16) throws {
        let index = QuestionnaireIndex(S.questionnaire(items, plain))
        var slots = [Int16](repeating: 0, count: items.count)
        slots[3] = slot
        var scores: [Score] = []

        #expect(throws: StoredAnswersFault.slot(linkId: "q4")) {
            try StoredSheetScorer(index).add(
                StoredAnswers(slots: slots, numbers: [], texts: [:]), to: &scores)
        }
        #expect(throws: StoredAnswersFault.slotCount(expected: 12, actual: 11)) {
            try StoredSheetScorer(index).add(sheets: Array(repeating: 0, count: 23), to: &scores)
        }
        #expect(scores.count == plain.count)
    }
}
