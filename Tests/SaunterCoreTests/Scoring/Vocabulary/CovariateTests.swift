import Testing

@testable import SaunterCore

/// Bands and exclusions that apply to some participants only.
@Suite struct CovariateTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let items = [Samples.rating("q1", 0...8), Samples.choice("sex", ["f", "m"])]

    private func drinking(_ change: (inout Scale) -> Void = { _ in }) -> Questionnaire {
        let scale = S.scale(["q1"], .value) {
            $0.bands = [
                Band(id: "low", below: 3, when: [ScoreCondition("sex", .code("f"))]),
                Band(id: "high", from: 3, when: [ScoreCondition("sex", .code("f"))]),
                Band(id: "low", below: 4, when: [ScoreCondition("sex", .code("m"))]),
                Band(id: "high", from: 4, when: [ScoreCondition("sex", .code("m"))]),
            ]
            change(&$0)
        }
        return S.questionnaire(items, [scale])
    }

    @Test(
        arguments: [
            ("f", 2, "low"), ("f", 3, "high"), ("m", 3, "low"), ("m", 4, "high"), (nil, 4, nil),
            (nil, 0, nil),
        ] as [(String?, Int, String?)])
    func `a cut-off depends on sex, and without it there is a score but no band`(
        sex: String?, value: Int, band: String?
    ) throws {
        var answers: JSONObject = ["q1": .int(value)]
        answers["sex"] = sex.map { .string($0) }
        #expect(S.faults(drinking()) == [])

        let score = try S.scores(drinking(), answers)[0]

        #expect(score.value == Double(value))
        #expect(score.band == band)
    }

    @Test func `bands with the same name or range need mutually exclusive conditions`() {
        let faults = S.faults(drinking { $0.bands[2].conditions = [] })
        #expect(
            faults == [
                "/scales/0/bands/2/id duplicate_id", "/scales/0/bands/2 overlapping_bands",
            ])
    }

    @Test func `bands can depend on an earlier score`() throws {
        // Five symptoms or more, with at least one of the first two.
        let items = S.ratings(3, 0...3)
        let scales = [
            S.scale("core", ["q1", "q2"], .count) { $0.counted = ScoreRange(from: 2) },
            S.scale("all", ["q1", "q2", "q3"], .count) {
                $0.counted = ScoreRange(from: 2)
                $0.bands = [
                    Band(id: "yes", from: 2, when: [ScoreCondition("core", .range(ScoreRange(from: 1)))]),
                    Band(id: "no", from: 2, when: [ScoreCondition("core", .range(ScoreRange(below: 1)))]),
                    Band(id: "no", below: 2),
                ]
            },
        ]
        let questionnaire = S.questionnaire(items, scales)
        func band(_ values: [Int]) throws -> String? {
            try S.scores(questionnaire, Samples.answers(values)).last?.band
        }

        #expect(S.faults(questionnaire) == ["/scales/1/bands/2/id duplicate_id"])
        #expect(try band([2, 0, 2]) == "yes")
        #expect(try band([1, 0, 2]) == "no")
        #expect(try band([3, 1, 1]) == "no")
    }

    @Test func `exclusions are evaluated in order and need all conditions`() throws {
        let scale = S.scale(["q1"], .value) {
            $0.exclude = [
                ScoreExclusion(
                    id: "young",
                    when: [
                        ScoreCondition("age", .range(ScoreRange(below: 18))),
                        ScoreCondition("arm", .code("control")),
                    ]),
                ScoreExclusion(id: "odd", when: [ScoreCondition("q1", .range(ScoreRange(exactly: 8)))]),
            ]
        }
        let questionnaire = S.questionnaire(
            items, [scale],
            covariates: [
                Covariate(id: "age", source: .profile),
                Covariate(id: "arm", source: .enrolment, codes: ["control", "walk"]),
            ])
        func exclusion(_ value: Int, _ given: [String: CovariateValue]) throws -> String? {
            let score = try S.scores(questionnaire, ["q1": .int(value)], given: given)[0]
            #expect((score.value == nil) == (score.reason == .excluded))
            return score.exclusion
        }

        #expect(S.faults(questionnaire) == [])
        #expect(try exclusion(8, ["age": .number(17), "arm": .code("control")]) == "young")
        #expect(try exclusion(8, ["age": .number(17), "arm": .code("walk")]) == "odd")
        #expect(try exclusion(8, ["age": .number(17)]) == "odd")
        #expect(try exclusion(7, ["age": .number(18), "arm": .code("control")]) == nil)
        #expect(try exclusion(7, [:]) == nil)
    }

    @Test func `unknown names and codes are faults`() {
        func faults(_ conditions: [ScoreCondition], _ covariates: [Covariate] = []) -> [String] {
            let scales = [
                S.scale(["q1"], .value) { $0.exclude = [ScoreExclusion(id: "x", when: conditions)] },
                S.scale("later", ["q1"], .value),
            ]
            return S.faults(S.questionnaire(items, scales, covariates: covariates))
                .map { String($0.dropFirst("/scales/0/exclude/0/when".count)) }
        }
        let everything = ScoreCondition.Test.range(ScoreRange(from: 0))

        #expect(faults([ScoreCondition("age", everything)]) == ["/0/of unknown_item"])
        #expect(faults([ScoreCondition("later", everything)]) == ["/0/of later_scale"])
        #expect(faults([ScoreCondition("sex", .code("x"))]) == ["/0/is unknown_option"])
        #expect(faults([ScoreCondition("sex", everything)]) == ["/0/of not_numeric"])
        #expect(faults([ScoreCondition("q1", .range(ScoreRange()))]) == ["/0 no_range"])
        #expect(
            faults([ScoreCondition("q1", .range(ScoreRange(above: 2, below: 2)))]) == ["/0/below empty_range"]
        )
        #expect(faults([]) == [" no_conditions"])
        let arm = Covariate(id: "arm", source: .enrolment, codes: ["a"])
        #expect(faults([ScoreCondition("arm", .code("b"))], [arm]) == ["/0/is unknown_option"])
        #expect(faults([ScoreCondition("arm", everything)], [arm]) == ["/0/of not_numeric"])
    }

    @Test func `a covariate needs a unique name and an existing item`() {
        func faults(_ covariates: Covariate...) -> [String] {
            S.faults(S.questionnaire(items, [S.scale(["q1"], .value)], covariates: covariates))
        }

        #expect(faults(Covariate(id: "sex", source: .item("sex"), codes: ["f"])) == [])
        #expect(faults(Covariate(id: "sex", source: .profile)) == ["/covariates/0/id ambiguous_item"])
        #expect(faults(Covariate(id: "s", source: .profile)) == ["/covariates/0/id ambiguous_item"])
        #expect(faults(Covariate(id: "a", source: .item("b"))) == ["/covariates/0/item unknown_item"])
        #expect(
            faults(Covariate(id: "a", source: .item("sex"), codes: ["x"]))
                == ["/covariates/0/codes unknown_option"])
        #expect(
            faults(Covariate(id: "a", source: .profile), Covariate(id: "a", source: .enrolment))
                == ["/covariates/1/id duplicate_id"])
    }
}
