import Testing

@testable import SaunterStatistics

@Suite struct EvenOddConsistencyTests {
    @Test func `equal halves are consistent`() throws {
        #expect(agree(try EvenOddConsistency.value([[1, 1], [3, 3, 3], [5, 5]]), 1))
        #expect(agree(try EvenOddConsistency.value([[1, 3], [3, 2], [5, 1]]), -1))
    }

    @Test func `a correlation of one half is corrected to two thirds`() throws {
        // Means 1, 2, 3 against 1, 3, 2.
        let scales: [[Double?]] = [[1, 0, 1, 2], [2, 3], [nil, 2, 3]]
        #expect(agree(try EvenOddConsistency.value(scales), 2.0 / 3))
    }

    @Test func `an undefined statistic has its reason`() {
        #expect(throws: UndefinedStatistic.tooFewItems) { try EvenOddConsistency.value([]) }
        #expect(throws: UndefinedStatistic.tooFewItems) {
            try EvenOddConsistency.value([[1, 2], [2, 2], [1]])
        }
        #expect(throws: UndefinedStatistic.tooFewItems) {
            try EvenOddConsistency.value([[1, 2], [2, 2], [1, nil]])
        }
        #expect(throws: UndefinedStatistic.noVariation) {
            try EvenOddConsistency.value([[1, 2], [1, 3], [1, 4]])
        }
        #expect(throws: UndefinedStatistic.notFinite) {
            try EvenOddConsistency.value([[1, .nan], [1, 3], [2, 4]])
        }
    }
}
