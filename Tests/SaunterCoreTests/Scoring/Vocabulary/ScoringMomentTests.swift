import Testing

@testable import SaunterCore

@Suite struct ScoringMomentTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let clocks = [Samples.item("bed", .time), Samples.item("rise", .time)]

    @Test(
        arguments: [
            ("22:30", "06:45", 495.0), ("00:15", "07:00", 405), ("23:59", "00:00", 1),
            ("00:00", "23:59", 1439),
            ("07:00", "07:00", 0), ("14:00", "13:00", 1380), ("23:30:30", "00:00", 29.5),
        ] as [(String, String, Double)])
    func `elapsed time is counted forward over midnight`(bed: String, rise: String, minutes: Double) throws {
        let answers: JSONObject = ["bed": .string(bed), "rise": .string(rise)]
        let plain = S.scale(["bed", "rise"], .elapsed)
        let hours = S.scale(["bed", "rise"], .elapsed) { $0.unit = .hours }

        #expect(S.faults(clocks, plain) == [])
        #expect(try S.score(clocks, [plain], answers)?.value == minutes)
        #expect(try S.score(clocks, [hours], answers)?.value == minutes / 60)
    }

    @Test(
        arguments: [
            // 8 h in bed: 6.8 h of sleep are 85 %, exactly the edge; 6.788 h are 84.85 %, below the edge.
            ("23:00", "07:00", 6.8, 85.0, 0.0), ("23:00", "07:00", 6.788, 84.85, 1),
            ("22:00", "08:00", 6.5, 65, 2),
            ("22:00", "08:00", 6.4999, 64.999, 3), ("00:30", "08:30", 8, 100, 0),
        ] as [(String, String, Double, Double, Double)])
    func `sleep efficiency is binned before rounding, with the edge in the better bin`(
        bed: String, rise: String, asleep: Double, percent: Double, points: Double
    ) throws {
        let items =
            clocks + [
                Samples.item("asleep", .decimal) { ($0.minValue, $0.maxValue) = (0, 24) }
            ]
        let scales = [
            S.scale("in_bed", ["bed", "rise"], .elapsed) { $0.unit = .hours },
            S.scale("percent", ["asleep", "in_bed"], .quotient) { $0.factor = 100 },
            S.scale("points", ["percent"], .value) {
                $0.transform = [
                    .bins([
                        ScoreBin(ScoreRange(from: 85), value: 0),
                        ScoreBin(ScoreRange(from: 75, below: 85), value: 1),
                        ScoreBin(ScoreRange(from: 65, below: 75), value: 2),
                        ScoreBin(ScoreRange(below: 65), value: 3),
                    ])
                ]
                ($0.minimum, $0.maximum) = (0, 3)
            },
        ]
        let questionnaire = S.questionnaire(items, scales)

        let scores = try S.scores(
            questionnaire, ["bed": .string(bed), "rise": .string(rise), "asleep": .double(asleep)])

        #expect(S.faults(questionnaire) == [])
        #expect(scores[1].value == percent)
        #expect(scores[2].value == points)
    }

    @Test func `without time in bed the efficiency is undefined, not zero`() throws {
        let items = clocks + [Samples.item("asleep", .decimal)]
        let scales = [
            S.scale("in_bed", ["bed", "rise"], .elapsed), S.scale("e", ["asleep", "in_bed"], .quotient),
        ]

        let score = try S.score(items, scales, ["bed": "22:00", "rise": "22:00", "asleep": 7])

        #expect(score?.value == nil)
        #expect(score?.reason == .undefined)
    }

    @Test func `the middle of sleep is a time of day after midnight`() throws {
        // 430 minutes of sleep from 23:40: the middle is 215 minutes later, at 03:15.
        let items = [Samples.item("onset", .time), Samples.item("length", .integer)]
        let scales = [
            S.scale("start", ["onset"], .clock),
            S.scale("middle", ["start", "length"], .sum) {
                ($0.weights, $0.transform) = (["length": 0.5], [.wrap(1440)])
            },
        ]

        let scores = try S.scores(S.questionnaire(items, scales), ["onset": "23:40", "length": 430])

        #expect(scores.map(\.value) == [1420, 195])
    }

    @Test func `the elapsed time between dates or instants is their difference`() throws {
        let dates = [Samples.item("a", .date), Samples.item("b", .date)]
        let instants = [Samples.item("a", .dateTime), Samples.item("b", .dateTime)]
        let days = S.scale(["a", "b"], .elapsed) { $0.unit = .days }
        let seconds = S.scale(["a", "b"], .elapsed) { $0.unit = .seconds }

        #expect(try S.score(dates, [days], ["a": "2028-02-28", "b": "2028-03-01"])?.value == 2)
        #expect(try S.score(dates, [days], ["a": "2028-03-01", "b": "2028-02-28"])?.value == -2)
        #expect(
            try S.score(
                instants, [seconds], ["a": "2026-03-29T00:30:00Z", "b": "2026-03-29T03:30:00.250+02:00"])?
                .value == 3600.25)
    }

    @Test func `a missing time makes the elapsed time null`() throws {
        let scale = S.scale(["bed", "rise"], .elapsed)

        #expect(try S.score(clocks, [scale], ["bed": "22:00"])?.reason == .tooFewAnswered)
    }

    @Test func `elapsed needs two times of the same kind, and they cannot be imputed`() {
        let items = clocks + [Samples.item("day", .date), Samples.item("n", .integer)]
        func faults(_ names: [String], _ method: ScoringMethod, _ change: (inout Scale) -> Void = { _ in })
            -> [String]
        {
            S.faults(items, S.scale(names, method, change))
        }

        #expect(
            faults(["bed", "n"], .elapsed) == [
                "/scales/0/items/1 no_moment", "/scales/0/items mixed_moments",
            ])
        #expect(faults(["bed", "day"], .elapsed) == ["/scales/0/items mixed_moments"])
        #expect(faults(["bed"], .elapsed) == ["/scales/0/items two_items"])
        #expect(faults(["day"], .clock) == ["/scales/0/items/0 no_moment"])
        #expect(faults(["bed"], .value) == ["/scales/0/items/0 not_numeric"])
        #expect(faults(["n"], .value) { $0.unit = .hours } == ["/scales/0/unit bad_word"])
        #expect(
            faults(["bed", "rise"], .elapsed) {
                $0.missing = .partial(needed: .count(1), remedy: .impute(.personMean))
            }
                == ["/scales/0/missing bad_rule"])
    }
}
