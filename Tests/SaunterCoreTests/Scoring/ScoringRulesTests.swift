import Testing

@testable import SaunterCore

/// The rules beyond sums of ratings: weights, other types, scales of scales, conditions and rounding.
@Suite struct ScoringRulesTests {
    private typealias Samples = QuestionnaireSamples

    private func scores(_ items: [Item], _ scales: [Scale], _ answers: JSONObject) throws -> [Score] {
        let questionnaire = Samples.questionnaire(
            items, scoring: ScoringKey(version: "1.0.0", scales: scales))
        return QuestionnaireIndex(questionnaire).scores(
            for: try AnswerSheet(answers: answers, of: questionnaire))
    }

    private func value(_ item: Item, _ scale: Scale, _ answer: JSON) throws -> Double? {
        try scores([item], [scale], [item.linkId: answer]).first?.value
    }

    @Test func `an option has the value of its weight, also if the item is reversed`() throws {
        let item = Samples.item("q", .choice) {
            $0.answerOption = [
                ResponseOption(value: .code("yes"), weight: 4),
                ResponseOption(value: .code("partly"), weight: 2),
                ResponseOption(value: .code("no"), weight: 0.5),
            ]
        }

        #expect(try value(item, Scale(id: "s", items: ["q"], method: .sum), "partly") == 2)
        #expect(try value(item, Scale(id: "s", items: ["q"], reverse: ["q"], method: .sum), "yes") == 0.5)
        #expect(try value(item, Scale(id: "s", items: ["q"], reverse: ["q"], method: .sum), "partly") == 2.5)
    }

    @Test func `a weight takes precedence over the option's own number`() throws {
        let item = Samples.item("q", .choice) {
            $0.answerOption = [
                ResponseOption(value: .integer(0)), ResponseOption(value: .integer(1), weight: 10),
            ]
        }

        #expect(try value(item, Scale(id: "s", items: ["q"], method: .sum), 1) == 10)
        #expect(try value(item, Scale(id: "s", items: ["q"], method: .sum), 0) == 0)
    }

    @Test func `booleans have the value one or zero, and numbers their own value`() throws {
        let plain = Scale(id: "s", items: ["q"], method: .value)
        let reversed = Scale(id: "s", items: ["q"], reverse: ["q"], method: .value)
        let number = Samples.item("q", .decimal) { ($0.minValue, $0.maxValue) = (1, 10) }

        #expect(try value(Samples.item("q", .boolean), plain, true) == 1)
        #expect(try value(Samples.item("q", .boolean), reversed, true) == 0)
        #expect(try value(Samples.item("q", .boolean), reversed, false) == 1)
        #expect(try value(number, plain, 2.5) == 2.5)
        #expect(try value(number, reversed, 2.5) == 8.5)
        #expect(try value(Samples.item("q", .integer), plain, -7) == -7)
    }

    @Test func `a repeating item counts the chosen options, and an exclusive option as zero`() throws {
        let item = Samples.choice("q", ["a", "b", "c", "none"], repeats: true, exclusive: ["none"])
        for method in [ScoringMethod.sum, .count, .value] {
            let scale = Scale(id: "s", items: ["q"], method: method)
            #expect(try value(item, scale, ["a", "c"]) == 2)
            #expect(try value(item, scale, ["none"]) == 0)
            #expect(try value(item, scale, []) == nil)
        }
    }

    @Test func `a repeating item adds the weights, and counts the weights that are not zero`() throws {
        let item = Samples.item("q", .choice) {
            $0.repeats = true
            $0.answerOption = [
                ResponseOption(value: .integer(5), weight: 3), ResponseOption(value: .integer(6), weight: 0),
                ResponseOption(value: .integer(7)),
            ]
        }

        #expect(try value(item, Scale(id: "s", items: ["q"], method: .sum), [5, 6, 7]) == 4)
        #expect(try value(item, Scale(id: "s", items: ["q"], method: .count), [5, 6, 7]) == 2)
    }

    @Test func `count is the number of answers that are not zero`() throws {
        let items = (1...4).map { Samples.rating("q\($0)", 0...3) }
        let plain = Scale(id: "s", items: items.map(\.linkId), method: .count)
        var reversed = plain
        reversed.reverse = ["q1", "q2"]

        #expect(try scores(items, [plain], ["q1": 0, "q2": 3, "q3": 0, "q4": 1])[0].value == 2)
        #expect(try scores(items, [reversed], ["q1": 0, "q2": 3, "q3": 0, "q4": 1])[0].value == 2)
        #expect(try scores(items, [reversed], ["q1": 0, "q2": 0, "q3": 0, "q4": 1])[0].value == 3)
    }

    @Test func `a scale uses earlier scales, reversed in their declared range`() throws {
        let items = (1...4).map { Samples.rating("q\($0)", 1...5) }
        let scales = [
            Scale(id: "kind", items: ["q1", "q2"], method: .mean),
            Scale(id: "harsh", items: ["q3", "q4"], method: .mean, minimum: 1, maximum: 5),
            Scale(id: "total", items: ["kind", "harsh"], reverse: ["harsh"], method: .mean),
        ]

        let all = try scores(items, scales, ["q1": 4, "q2": 5, "q3": 1, "q4": 2])
        #expect(all.map(\.value) == [4.5, 1.5, 4.5])
        #expect(all[2].itemCount == 2)

        let blank = try scores(items, scales, ["q1": 4, "q2": 5, "q3": 1])
        #expect(blank.map(\.value) == [4.5, nil, nil])
        #expect(blank[2].reason == .tooFewAnswered)
        #expect(blank[2].answeredCount == 1)
    }

    @Test func `an earlier scale is used with its rounded value`() throws {
        let items = (1...3).map { Samples.rating("q\($0)", 0...4) }
        let scales = [
            Scale(
                id: "a", items: ["q1", "q2", "q3"], method: .mean,
                rounding: Rounding(places: 1, mode: .halfUp)),
            Scale(id: "b", items: ["a"], method: .value, factor: 3),
        ]

        #expect(try scores(items, scales, ["q1": 1, "q2": 0, "q3": 0]).map(\.value) == [0.3, 0.9])
    }

    @Test func `an item that was not shown is missing, and has a separate reason if nothing else is missing`()
        throws
    {
        let items = [
            Samples.item("a", .boolean),
            Samples.item("b", .integer) { $0.enableWhen = [Samples.when("a", .equal, .boolean(true))] },
            Samples.item("c", .integer),
        ]
        let strict = Scale(id: "s", items: ["b", "c"], method: .sum)
        let lenient = Scale(id: "t", items: ["b", "c"], method: .sum, missing: .prorate(minimumAnswered: 1))
        let nested = Scale(id: "u", items: ["s"], method: .value)

        let hidden = try scores(items, [strict, lenient, nested], ["a": false, "c": 2])
        #expect(hidden.map(\.reason) == [.notShown, nil, .notShown])
        #expect(hidden.map(\.value) == [nil, 4, nil])

        let alsoBlank = try scores(items, [strict, lenient, nested], ["a": false])
        #expect(alsoBlank.map(\.reason) == [.tooFewAnswered, .tooFewAnswered, .tooFewAnswered])
    }

    @Test func `sums of decimals are exact`() throws {
        let items = (1...3).map { Samples.item("q\($0)", .decimal) }
        let scale = Scale(
            id: "s", items: ["q1", "q2", "q3"], method: .sum, bands: [Band(id: "at", from: 0.6)])

        let score = try scores(items, [scale], ["q1": 0.1, "q2": 0.2, "q3": 0.3])[0]

        #expect(score.value == 0.6)
        #expect(score.band == "at")
    }

    @Test(
        arguments: [
            // value, places, half_even, half_up, down, up
            (2.5, 0, [2.0, 3, 2, 3]), (3.5, 0, [4, 4, 3, 4]), (-2.5, 0, [-2, -3, -2, -3]),
            (2.4, 0, [2, 2, 2, 3]),
            (2.675, 2, [2.68, 2.68, 2.67, 2.68]), (2.665, 2, [2.66, 2.67, 2.66, 2.67]),
            (1.005, 2, [1, 1.01, 1, 1.01]),
            (0.285, 2, [0.28, 0.29, 0.28, 0.29]), (-0.285, 2, [-0.28, -0.29, -0.28, -0.29]),
            (7, 2, [7, 7, 7, 7]),
            (84.85, 0, [85, 85, 84, 85]), (0.000_000_05, 7, [0, 0.000_000_1, 0, 0.000_000_1]),
            (-0.4, 0, [0, 0, 0, -1]),
        ] as [(Double, Int, [Double])])
    func `rounding uses the ties of the decimal, not of the double`(
        value: Double, places: Int, expected: [Double]
    ) throws {
        let found = try RoundingMode.allCases.map { mode in
            try self.value(
                Samples.item("q", .decimal),
                Scale(id: "s", items: ["q"], method: .value, rounding: Rounding(places: places, mode: mode)),
                .double(value))
        }

        #expect(found == expected)
        #expect(found.allSatisfy { $0?.sign == .plus || $0 != 0 })
    }

    @Test func `a tie that results from a mean is a tie`() throws {
        // 107 / 40 = 2.675
        let items = (1...40).map { Samples.rating("q\($0)", 0...4) }
        var answers = JSONObject()
        for (index, item) in items.enumerated() { answers[item.linkId] = .int(index < 27 ? 3 : 2) }
        let scale = Scale(
            id: "s", items: items.map(\.linkId), method: .mean, rounding: Rounding(places: 2, mode: .halfUp),
            bands: [Band(id: "below", below: 2.68), Band(id: "above", from: 2.68)])

        let score = try scores(items, [scale], answers)[0]

        #expect(score.value == 2.68)
        #expect(score.band == "above")
    }

    @Test(arguments: [
        (9.99, nil as String?), (10.0, "a"), (19.99, "a"), (20.0, "b"), (29.99, "b"), (30.0, nil),
        (-1000.0, nil),
    ])
    func `a band contains its beginning but not its end, and gaps are permitted`(value: Double, band: String?)
        throws
    {
        let scale = Scale(
            id: "s", items: ["q"], method: .value,
            bands: [Band(id: "a", from: 10, below: 20), Band(id: "b", from: 20, below: 30)])

        #expect(try scores([Samples.item("q", .decimal)], [scale], ["q": .double(value)])[0].band == band)
    }

    @Test func `a wrong key results in null, never in a number`() throws {
        let items = [Samples.item("t", .string), Samples.item("n", .integer), Samples.choice("c", ["x"])]
        let answers: JSONObject = ["t": "5", "n": 5, "c": "x"]
        let wrong = [
            Scale(id: "a", items: ["nowhere"], method: .sum), Scale(id: "b", items: ["t"], method: .sum),
            Scale(id: "c1", items: ["c"], method: .sum),
            Scale(id: "d", items: ["n"], reverse: ["n"], method: .sum),
            Scale(id: "e", items: ["f"], method: .sum), Scale(id: "f", items: ["f"], method: .sum),
            Scale(id: "g", items: [], method: .sum),
        ]

        let scores = try scores(items, wrong, answers)

        #expect(scores.map(\.value) == Array(repeating: nil, count: 7))
        #expect(scores.map(\.reason) == Array(repeating: .tooFewAnswered, count: 7))
    }

    @Test func `if an item and an earlier scale have the same name, the name means the item`() throws {
        let items = [Samples.item("a", .integer), Samples.item("b", .integer)]
        let scales = [
            Scale(id: "b", items: ["a"], method: .value), Scale(id: "s", items: ["b"], method: .value),
        ]

        #expect(try scores(items, scales, ["a": 1, "b": 2]).map(\.value) == [1, 2])
    }

    @Test func `random sums are equal to the expected sum, and reversing twice has no effect`() throws {
        var random = QuestionnaireRandom(state: 11)
        let items = (1...20).map { Samples.rating("q\($0)", -3...9) }
        for _ in 0..<300 {
            let values = items.map { _ in Int.random(in: -3...9, using: &random) }
            let reverse = items.map(\.linkId).filter { _ in Bool.random(using: &random) }
            let scale = Scale(id: "s", items: items.map(\.linkId), reverse: reverse, method: .sum)
            let byHand = zip(items, values).reduce(0) {
                $0 + (reverse.contains($1.0.linkId) ? 6 - $1.1 : $1.1)
            }

            #expect(try scores(items, [scale], Samples.answers(values))[0].value == Double(byHand))
        }
    }
}
