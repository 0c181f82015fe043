import Testing

@testable import SaunterCore

@Suite struct ScoreChangeTests {
    private func score(_ value: Double?, day: Int, key: String = "k") -> TimedScore {
        TimedScore(value: value, at: Instant(milliseconds: Int64(day) * 86_400_000), keyDigest: key)
    }

    /// SD 7.5 and reliability 0.8: an error of difference of 7.5 · √0.4.
    private func rule(_ change: (inout ChangeRule) -> Void = { _ in }) -> ChangeRule {
        var rule = ChangeRule(
            standardDeviation: 7.5, reliability: 0.8, source: "made up", direction: .lowerIsBetter,
            important: 5)
        change(&rule)
        return rule
    }

    @Test(
        arguments: [
            // 1.96 · 7.5 · √0.4 = 9.297…
            (47.5, 32.5, -15.0, ScoreChange.Verdict.improved, true), (40, 30.8, -9.2, .unchanged, true),
            (40, 30.7, -9.3, .improved, true), (40, 49.3, 9.3, .worsened, true),
            (40, 36, -4, .unchanged, false),
            (40, 40, 0, .unchanged, false), (40, 35, -5, .unchanged, true),
        ] as [(Double, Double, Double, ScoreChange.Verdict, Bool)])
    func `a change is reliable beyond what error brings about`(
        before: Double, after: Double, difference: Double, verdict: ScoreChange.Verdict, isImportant: Bool
    ) throws {
        let change = ScoreChange(score(after, day: 9), since: [score(before, day: 0)], by: rule())

        #expect(change.difference == difference)
        #expect(change.verdict == verdict)
        #expect(change.isImportant == isImportant)
        #expect(change.reason == nil)
        let index = try #require(change.index)
        #expect(abs(index - difference / 4.743_416_490_252_569) < 1e-12)
    }

    @Test func `where higher is better the same change is the other way`() {
        let change = ScoreChange(
            score(60, day: 9), since: [score(40, day: 0)],
            by: rule { ($0.direction, $0.important) = (.higherIsBetter, nil) })

        #expect(change.verdict == .improved)
        #expect(change.isImportant == nil)
    }

    @Test func `the baseline is the first or the last known score before`() {
        let earlier = [
            score(30, day: 5), score(nil, day: 0), score(10, day: 1), score(nil, day: 7), score(90, day: 9),
            score(70, day: 12),
        ]

        #expect(ScoreChange(score(40, day: 9), since: earlier, by: rule()).difference == 30)
        #expect(
            ScoreChange(score(40, day: 9), since: earlier, by: rule { $0.baseline = .previous }).difference
                == 10)
    }

    @Test func `without two comparable scores nothing is said, and why`() {
        func reason(_ present: TimedScore, _ earlier: TimedScore...) -> ScoreChange.Reason? {
            let change = ScoreChange(present, since: earlier, by: rule())
            #expect(change.difference == nil)
            #expect(change.verdict == nil)
            return change.reason
        }

        #expect(reason(score(nil, day: 9), score(1, day: 0)) == .noScore)
        #expect(reason(score(1, day: 9)) == .noBaseline)
        #expect(reason(score(1, day: 9), score(nil, day: 0), score(2, day: 9)) == .noBaseline)
        #expect(reason(score(1, day: 9), score(1, day: 0, key: "other")) == .otherDefinition)
    }

    @Test(
        arguments: [
            (0.0, 0.8), (7.5, 1), (7.5, 1.1), (.nan, 0.5), (1e-300, 0.999_999_999_999_999_9), (-1, 0.5),
        ] as [(Double, Double)])
    func `an error of nothing gives no index`(deviation: Double, reliability: Double) {
        let rule = rule { ($0.standardDeviation, $0.reliability) = (deviation, reliability) }

        #expect(
            ScoreChange(score(1e300, day: 1), since: [score(-1e300, day: 0)], by: rule).reason == .undefined)
    }
}

@Suite struct ScoreWindowTests {
    private let day: Int64 = 86_400_000

    private func score(_ value: Double?, _ milliseconds: Int64, key: String = "k") -> TimedScore {
        TimedScore(value: value, at: Instant(milliseconds: milliseconds), keyDigest: key)
    }

    private var span: Range<Instant> { Instant(milliseconds: 0)..<Instant(milliseconds: 10 * day) }

    @Test func `mean, SD and slope of five evenings`() throws {
        // Values 2 4 4 5 10 on days 0 1 2 3 6: mean 5, squares 36, SD 3; slope 28.8 / 21.2… by hand:
        // days' mean 2.4; spread 5.76 + 1.96 + 0.16 + 0.36 + 12.96 = 21.2;
        // products 7.2 + 1.4 + 0.4 + 0 + 18 = 27.
        let scores = [(2.0, 0), (4, 1), (4, 2), (5, 3), (10, 6)].map { score($0.0, Int64($0.1) * day) }
        let window = ScoreWindow(
            (scores + [score(nil, 4 * day), score(99, 10 * day), score(99, -1)]).reversed(), in: span)

        #expect(window.count == 6)
        #expect(window.known == 5)
        #expect(window.mean == 5)
        #expect(window.standardDeviation == 3)
        #expect(window.least == 2)
        #expect(window.greatest == 10)
        let slope = try #require(window.slopePerDay)
        #expect(abs(slope - 27 / 21.2) < 1e-12)
    }

    @Test func `one score has a mean and no spread, and none has nothing`() {
        let one = ScoreWindow([score(3, 0)], in: span)
        #expect(one.mean == 3)
        #expect(one.standardDeviation == nil)
        #expect(one.slopePerDay == nil)
        let none = ScoreWindow([score(nil, 0)], in: span)
        #expect(none.count == 1)
        #expect(none.known == 0)
        #expect(none.mean == nil)
        #expect(ScoreWindow([score(1, 5), score(3, 5)], in: span).slopePerDay == nil)
    }

    @Test func `fewer than the minimum, and two rules, give no numbers`() {
        let two = [score(1, 0), score(2, day)]
        #expect(ScoreWindow(two, in: span, minimum: 2).mean == 1.5)
        #expect(ScoreWindow(two, in: span, minimum: 3).mean == nil)
        let mixed = ScoreWindow(two + [score(3, 2 * day, key: "other")], in: span)
        #expect(mixed.hasOtherDefinitions)
        #expect(mixed.mean == nil)
        #expect(!ScoreWindow(two + [score(nil, 2 * day, key: "other")], in: span).hasOtherDefinitions)
    }

    @Test func `hostile numbers and times never trap`() {
        let scores = [
            score(.infinity, 0), score(.nan, 1), score(1e308, .min), score(-1e308, 7), score(1e308, 5),
        ]
        let window = ScoreWindow(scores, in: Instant.minimum..<Instant.maximum)

        #expect(window.known == 3)
        #expect(window.slopePerDay?.isFinite ?? true)
        #expect(window.standardDeviation == nil)
    }
}
