import Testing

@testable import SaunterCore

/// Calculated by hand on questionnaires with the structure of public instruments. The texts are neutral.
@Suite struct ScoringKeyTests {
    private typealias Samples = QuestionnaireSamples

    private func score(_ questionnaire: Questionnaire, _ values: [Int?]) throws -> Score {
        let sheet = try AnswerSheet(answers: Samples.answers(values), of: questionnaire)
        let key = try #require(questionnaire.scoring)
        let scores = key.scores(for: sheet, of: questionnaire)
        #expect(scores == QuestionnaireIndex(questionnaire).scores(for: sheet))
        return try #require(scores.first)
    }

    /// The sum of ten items of 0 to 4. Items 4, 5, 7 and 8 are reversed.
    private let stress = Samples.ratings(10, 0...4) {
        $0.reverse = ["q4", "q5", "q7", "q8"]
        ($0.minimum, $0.maximum) = (0, 40)
        $0.bands = [
            Band(id: "low", below: 14), Band(id: "moderate", from: 14, below: 27), Band(id: "high", from: 27),
        ]
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 16.0, "moderate"),
            ([4, 4, 4, 4, 4, 4, 4, 4, 4, 4], 24, "moderate"),
            ([0, 0, 0, 4, 4, 0, 4, 4, 0, 0], 0, "low"),
            ([4, 4, 4, 0, 0, 4, 0, 0, 4, 4], 40, "high"),
            // 1+2+3 + (4−1)+(4−2) + 4 + (4−3)+(4−4) + 0+1
            ([1, 2, 3, 1, 2, 4, 3, 4, 0, 1], 17, "moderate"),
            ([0, 0, 0, 1, 1, 0, 1, 0, 0, 0], 13, "low"), ([0, 0, 0, 1, 1, 0, 0, 0, 0, 0], 14, "moderate"),
            ([4, 4, 4, 2, 2, 2, 2, 0, 0, 2], 26, "moderate"), ([4, 4, 4, 2, 2, 2, 2, 0, 1, 2], 27, "high"),
        ] as [([Int], Double, String)])
    func `a perceived stress sum reverses items in their declared range`(
        values: [Int], sum: Double, band: String
    )
        throws
    {
        let score = try score(stress, values)

        #expect(
            score
                == Score(
                    scale: "score", value: sum, reason: nil, band: band, itemCount: 10, answeredCount: 10,
                    imputedCount: 0))
    }

    @Test func `one blank makes a complete sum null, not smaller`() throws {
        let score = try score(stress, [4, 4, 4, 0, 0, 4, 0, 0, 4, nil])

        #expect(
            score
                == Score(
                    scale: "score", value: nil, reason: .tooFewAnswered, band: nil, itemCount: 10,
                    answeredCount: 9, imputedCount: 0))
    }

    @Test(
        arguments: [
            ([Int](repeating: 1, count: 15), 1.0), ([Int](repeating: 6, count: 15), 6),
            ([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3], 3.2),
            ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], 1.0666666666666667),
        ] as [([Int], Double)])
    func `a mindful attention mean uses fifteen items`(values: [Int], mean: Double) throws {
        let questionnaire = Samples.ratings(15, 1...6) { $0.method = .mean }

        #expect(try score(questionnaire, values).value == mean)
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0, 0], 0.0), ([5, 5, 5, 5, 5], 100), ([3, 2, 4, 1, 3], 52), ([2, 3, 2, 3, 2], 48),
        ] as [([Int], Double)])
    func `a wellbeing sum is multiplied by four`(values: [Int], expected: Double) throws {
        let questionnaire = Samples.ratings(5, 0...5) {
            $0.factor = 4
            ($0.minimum, $0.maximum) = (0, 100)
            $0.bands = [Band(id: "low", below: 51), Band(id: "fair", from: 51)]
        }

        let score = try score(questionnaire, values)

        #expect(score.value == expected)
        #expect(score.band == (expected <= 50 ? "low" : "fair"))
    }

    @Test(
        arguments: [
            ([3, 3, 3, 3, 3, 3, 3, 3, 3, 3], 50.0), ([5, 1, 5, 1, 5, 1, 5, 1, 5, 1], 100),
            ([1, 5, 1, 5, 1, 5, 1, 5, 1, 5], 0),
            ([5, 5, 5, 5, 5, 5, 5, 5, 5, 5], 50),
            // odd x−1: 3+2+4+3+3 = 15; even 5−x: 3+4+3+2+4 = 16; 31 × 2.5
            ([4, 2, 3, 1, 5, 2, 4, 3, 4, 1], 77.5),
        ] as [([Int], Double)])
    func `a usability sum has an offset and a factor`(values: [Int], expected: Double) throws {
        let questionnaire = Samples.ratings(10, 1...5) {
            $0.reverse = ["q2", "q4", "q6", "q8", "q10"]
            ($0.factor, $0.offset) = (2.5, -25)
            ($0.minimum, $0.maximum) = (0, 100)
        }

        #expect(try score(questionnaire, values).value == expected)
        #expect(questionnaire.faults().isEmpty)
    }

    @Test(
        arguments: [
            ([4, 4, 4, nil, 4], 20.0, 4), ([1, 2, nil, nil, 3], 10, 3),
            ([1, nil, nil, 3, 1], 8.333333333333334, 3),
        ] as [([Int?], Double, Int)])
    func `a prorated sum is the mean of the answered items times the number of items`(
        values: [Int?], expected: Double, answered: Int
    ) throws {
        let questionnaire = Samples.ratings(5, 0...4) { $0.missing = .prorate(minimumAnswered: 3) }

        let score = try score(questionnaire, values)

        #expect(score.value == expected)
        #expect(score.answeredCount == answered)
        #expect(score.imputedCount == 5 - answered)
        #expect(score.itemCount == 5)
    }

    @Test func `one answer less than the minimum is too few`() throws {
        for method in ScoringMethod.allCases where method.allowsMissingItems {
            let questionnaire = Samples.ratings(5, 0...4) {
                ($0.method, $0.missing) = (method, .prorate(minimumAnswered: 3))
            }

            #expect(try score(questionnaire, [1, 1, 1, nil, nil]).value != nil)
            let null = try score(questionnaire, [1, 1, nil, nil, nil])
            #expect(null.value == nil)
            #expect(null.reason == .tooFewAnswered)
            #expect(null.imputedCount == 0)
        }
    }

    @Test func `a minimum of zero still needs one answer`() throws {
        let questionnaire = Samples.ratings(2, 0...4) { $0.missing = .prorate(minimumAnswered: 0) }

        #expect(try score(questionnaire, [nil, nil]).reason == .tooFewAnswered)
    }

    @Test func `mean, minimum, maximum and count use the answered items, and the count is prorated`() throws {
        func value(_ method: ScoringMethod) throws -> Score {
            try score(
                Samples.ratings(4, 0...4) {
                    ($0.method, $0.missing) = (method, .prorate(minimumAnswered: 2))
                }, [0, 3, nil, 4])
        }

        #expect(try value(.mean).value == 7.0 / 3)
        #expect(try value(.mean).imputedCount == 1)
        #expect(try value(.minimum).value == 0)
        #expect(try value(.minimum).imputedCount == 0)
        #expect(try value(.maximum).value == 4)
        #expect(try value(.maximum).imputedCount == 0)
        #expect(try value(.count).value == 8.0 / 3)
        #expect(try value(.sum).value == 28.0 / 3)
    }

    @Test(arguments: [(9.0, nil), (10, 10), (20, 20), (21, nil)] as [(Double, Double?)])
    func `a score outside of the declared range is null with a reason`(total: Double, expected: Double?)
        throws
    {
        let questionnaire = Samples.ratings(1, 0...30) { ($0.minimum, $0.maximum) = (10, 20) }

        let score = try score(questionnaire, [Int(total)])

        #expect(score.value == expected)
        #expect(score.reason == (expected == nil ? .outOfRange : nil))
    }

    @Test func `a factor that overflows results in null, not infinity`() throws {
        let questionnaire = Samples.ratings(1, 0...30) { ($0.factor, $0.offset) = (1e308, 1e308) }

        #expect(try score(questionnaire, [30]).reason == .outOfRange)
    }

    @Test func `the digest is stable and different for different keys`() throws {
        let key = try #require(stress.scoring)
        var other = key
        other.scales[0].bands[0].below = 13

        #expect(key.digest == key.digest)
        #expect(key.digest.count == 64)
        #expect(key.digest != other.digest)
        #expect(key.json["scales"]?.array?.first?["reverse"] == ["q4", "q5", "q7", "q8"])
    }
}
