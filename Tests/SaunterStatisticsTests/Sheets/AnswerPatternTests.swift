import Testing

@testable import SaunterStatistics

@Suite struct AnswerPatternTests {
    @Test(
        arguments: [
            ([], 0), ([nil, nil], 0), ([1], 1), ([1, 1, 2, 2, 2, 1], 3), ([1, 1, nil, 1], 2),
            ([3, 3, 3], 3), ([.nan, .nan], 1),
        ] as [([Double?], Int)])
    func `the longest run ends at a blank`(answers: [Double?], longest: Int) {
        #expect(AnswerPattern(answers).longestRun == longest)
    }

    @Test func `the deviation within a sheet is that of its answers`() throws {
        let pattern = AnswerPattern([1, nil, 3, 5])

        #expect(pattern.withinDeviation.value == 2)
        #expect(pattern.answered == 3)
        #expect(AnswerPattern([4, nil]).withinDeviation.undefined == .tooFewValues)
        #expect(AnswerPattern([4, 4]).withinDeviation.value == 0)
        #expect(AnswerPattern([4, .infinity]).withinDeviation.undefined == .notFinite)
    }
}
