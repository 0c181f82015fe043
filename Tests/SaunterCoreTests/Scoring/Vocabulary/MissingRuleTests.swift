import Testing

@testable import SaunterCore

@Suite struct MissingRuleTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let names = ["q1", "q2", "q3", "q4"]

    /// The score of four items of 0 to 4, with the answers q1 = 1, q2 = 4 and q3 = 4.
    private func score(
        _ method: ScoringMethod, _ rule: MissingRule, _ change: (inout Scale) -> Void = { _ in }
    ) throws -> Score {
        let scale = S.scale(names, method) {
            $0.missing = rule
            change(&$0)
        }
        #expect(S.faults(S.ratings(4), scale) == [])
        return try #require(try S.score(S.ratings(4), [scale], ["q1": 1, "q2": 4, "q3": 4]))
    }

    @Test func `complete and exclude have no number, with different reasons`() throws {
        #expect(try score(.sum, .complete).reason == .tooFewAnswered)
        #expect(try score(.sum, .exclude).reason == .excluded)
        #expect(try score(.sum, .exclude).value == nil)
    }

    @Test(
        arguments: [
            // 9 of three items: prorated 9·4/3; not replaced; imputed with 2, the mean 3, the median 4, the midpoint 2
            (MissingRemedy.prorate, 12.0, 3.0, 1), (.answered, 9, 3, 0), (.impute(.constant(2)), 11, 2.75, 1),
            (.impute(.personMean), 12, 3, 1), (.impute(.personMedian), 13, 3.25, 1),
            (.impute(.midpoint), 11, 2.75, 1),
        ] as [(MissingRemedy, Double, Double, Int)])
    func `each remedy computes its score from three of four answers`(
        remedy: MissingRemedy, sum: Double, mean: Double, imputed: Int
    )
        throws
    {
        for needed in [NeededAnswers.count(3), .share(0.75)] {
            let rule = MissingRule.partial(needed: needed, remedy: remedy)
            #expect(try score(.sum, rule).value == sum)
            #expect(try score(.sum, rule).imputedCount == imputed)
            #expect(try score(.sum, rule).answeredCount == 3)
            #expect(try score(.mean, rule).value == mean)
        }
    }

    @Test(arguments: [NeededAnswers.count(4), .share(0.76), .share(1)])
    func `no remedy applies if too few items are answered`(needed: NeededAnswers) throws {
        for remedy in [
            MissingRemedy.prorate, .answered, .impute(.constant(2)), .impute(.personMean), .impute(.midpoint),
        ] {
            let score = try score(.sum, .partial(needed: needed, remedy: remedy))
            #expect(score.value == nil)
            #expect(score.reason == .tooFewAnswered)
            #expect(score.imputedCount == 0)
        }
    }

    @Test func `a share is compared exactly`() throws {
        // As a double, 0.7 × 10 is slightly above 7.
        let scale = S.scale((1...10).map { "q\($0)" }, .sum) {
            $0.missing = .partial(needed: .share(0.7), remedy: .prorate)
        }
        let seven = JSONObject((1...7).map { JSONObject.Member(name: "q\($0)", value: 1) })

        #expect(try S.score(S.ratings(10), [scale], seven)?.value == 10)
    }

    @Test func `without any answer there is no score`() throws {
        let scale = S.scale(names, .sum) {
            $0.missing = .partial(needed: .share(0.0001), remedy: .impute(.constant(2)))
        }

        #expect(try S.score(S.ratings(4), [scale], [:])?.reason == .tooFewAnswered)
    }

    @Test func `an imputed value has the position of its item in products and differences`() throws {
        let rule = MissingRule.partial(needed: .count(1), remedy: .impute(.constant(3)))
        let product = S.scale(["q1", "q2"], .product) { $0.missing = rule }
        let difference = S.scale(["q1", "q2"], .difference) { $0.missing = rule }

        #expect(S.faults(S.ratings(2), product) == [])
        #expect(try S.score(S.ratings(2), [product], ["q2": 4])?.value == 12)
        #expect(try S.score(S.ratings(2), [difference], ["q2": 4])?.value == -1)
        #expect(try S.score(S.ratings(2), [difference], ["q1": 4])?.value == 1)
    }

    @Test func `an imputed value is counted like the other values, reversed or not`() throws {
        // The reversed value of q1 is 3. The mean of 3, 4 and 4 is above 3.5.
        let score = try score(.count, .partial(needed: .count(3), remedy: .impute(.personMean))) {
            ($0.reverse, $0.counted) = (["q1"], ScoreRange(from: 3.5))
        }

        #expect(score.value == 3)
    }

    @Test func `a weighted sum is prorated by its weights`() throws {
        // 2·1 + 4 + 4 = 10 with the weights 4 of 5.
        let score = try score(.sum, .prorate(minimumAnswered: 3)) { $0.weights = ["q1": 2] }

        #expect(score.value == 12.5)
    }

    @Test func `each kind of blank can have a value or be left out`() throws {
        let all: [(MissingReason, String)] = [
            (.skipped, "skipped"), (.refused, "refused"), (.dontKnow, "dont_know"),
            (.notApplicable, "not_applicable"), (.notReached, "not_reached"),
        ]
        for (reason, code) in all {
            for other in MissingReason.scored {
                let counted = S.scale(names, .sum) { $0.blanks = [other: .counts(2)] }
                let left = S.scale("t", names, .mean) { $0.blanks = [other: .leftOut] }
                let questionnaire = S.questionnaire(S.ratings(4), [counted, left])
                #expect(S.faults(questionnaire) == [])

                let scores = try S.scores(
                    questionnaire, ["q1": 1, "q2": 4, "q3": 4], reasons: ["q4": .string(code)])

                #expect(scores[0].value == (other == reason ? 11 : nil))
                #expect(scores[0].answeredCount == (other == reason ? 4 : 3))
                #expect(scores[1].value == (other == reason ? 3 : nil))
                #expect(scores[1].itemCount == (other == reason ? 3 : 4))
                #expect(scores[1].imputedCount == 0)
            }
        }
    }

    @Test func `a drinking question that was not shown counts zero, a blank one is missing`() throws {
        let items = [
            Samples.rating("q1", 0...4),
            Samples.item("q2", .choice) {
                $0.answerOption = (0...4).map { ResponseOption(value: .integer($0)) }
                $0.enableWhen = [Samples.when("q1", .greater, .option(.integer(0)))]
            },
        ]
        let scale = S.scale(["q1", "q2"], .sum) { $0.blanks = [.notShown: .counts(0)] }

        #expect(try S.score(items, [scale], ["q1": 0])?.value == 0)
        #expect(try S.score(items, [scale], ["q1": 1])?.value == nil)
        #expect(try S.score(items, [scale], ["q1": 1, "q2": 3])?.value == 4)
    }

    @Test func `the reason of a null score distinguishes refused, not shown and missing items`() throws {
        let items = [
            Samples.item("a", .boolean), Samples.item("b", .integer),
            Samples.item("c", .integer) { $0.enableWhen = [Samples.when("a", .equal, .boolean(true))] },
        ]
        let scales = [S.scale("s", ["b", "c"], .sum), S.scale("t", ["s"], .value)]
        func reasons(_ answers: JSONObject, _ why: JSONObject) throws -> [ScoreReason?] {
            try S.scores(S.questionnaire(items, scales), answers, reasons: why).map(\.reason)
        }

        #expect(try reasons(["a": false], ["b": "refused"]) == [.declined, .declined])
        #expect(try reasons(["a": true, "b": 1], ["c": "refused"]) == [.declined, .declined])
        #expect(try reasons(["a": false, "b": 1], [:]) == [.notShown, .notShown])
        #expect(try reasons(["a": true], ["b": "refused"]) == [.tooFewAnswered, .tooFewAnswered])
        #expect(try reasons(["a": false], ["b": "dont_know"]) == [.tooFewAnswered, .tooFewAnswered])
    }

    @Test func `rules that cannot apply are faults`() {
        func faults(
            _ method: ScoringMethod, _ rule: MissingRule, _ change: (inout Scale) -> Void = { _ in }
        ) -> [String] {
            let scale = S.scale(names, method) {
                $0.missing = rule
                change(&$0)
            }
            return S.faults(S.ratings(4) + [Samples.item("free", .integer)], scale)
        }
        let bad = ["/scales/0/missing bad_rule"]
        let range = ["/scales/0/missing out_of_range"]

        #expect(faults(.product, .prorate(minimumAnswered: 3)) == bad)
        #expect(faults(.product, .partial(needed: .count(3), remedy: .answered)) == bad)
        #expect(faults(.sum, .prorate(minimumAnswered: 3)) { $0.weights = ["q1": -1] } == bad)
        #expect(faults(.sum, .partial(needed: .count(5), remedy: .answered)) == range)
        #expect(faults(.sum, .partial(needed: .share(0), remedy: .answered)) == range)
        #expect(faults(.sum, .partial(needed: .share(1.01), remedy: .answered)) == range)
        #expect(faults(.sum, .partial(needed: .share(.nan), remedy: .answered)) == range)
        #expect(
            faults(.sum, .partial(needed: .count(3), remedy: .impute(.constant(.infinity)))) == range)
        #expect(
            faults(.sum, .partial(needed: .count(1), remedy: .impute(.midpoint))) { $0.items = ["free"] }
                == ["/scales/0/missing no_range"])
        #expect(
            faults(.sum, .complete) { $0.blanks = [.withdrawn: .counts(0)] }
                == ["/scales/0/blanks/withdrawn bad_word"])
        #expect(
            faults(.product, .complete) { $0.blanks = [.refused: .leftOut] }
                == ["/scales/0/blanks/refused bad_rule"])
    }
}
