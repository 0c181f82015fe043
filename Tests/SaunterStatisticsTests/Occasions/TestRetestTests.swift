import Testing

@testable import SaunterStatistics

@Suite struct TestRetestTests {
    @Test func `people with both scores are correlated`() throws {
        let retest = try TestRetest(first: [1, 2, 3, nil, 9], second: [1, 3, 2, 4, nil])

        #expect(agree(retest.correlation, 0.5))
        #expect(retest.pairCount == 3)
    }

    @Test func `an undefined statistic has its reason`() {
        #expect(throws: UndefinedStatistic.lengthsDiffer) { try TestRetest(first: [1, 2], second: [1]) }
        #expect(throws: UndefinedStatistic.noValues) { try TestRetest(first: [], second: []) }
        #expect(throws: UndefinedStatistic.tooFewValues) { try TestRetest(first: [1, 2], second: [1, 2]) }
        #expect(throws: UndefinedStatistic.noVariation) {
            try TestRetest(first: [1, 2, 3], second: [1, 1, 1])
        }
        #expect(throws: UndefinedStatistic.notFinite) {
            try TestRetest(first: [1, 2, .nan], second: [1, 1, 1])
        }
    }
}
