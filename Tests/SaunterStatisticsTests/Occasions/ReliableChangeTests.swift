import Testing

@testable import SaunterStatistics

@Suite struct ReliableChangeTests {
    @Test func `a change is divided by the standard error of the difference`() throws {
        let change = try ReliableChange(deviation: 8, reliability: 0.875)

        // SEM² is 8, so the squared error of the difference is 16.
        #expect(agree(change.errorOfDifference, 4))
        #expect(agree(try change.index(before: 10, after: 2), -2))
        #expect(agree(change.smallestReliable, 4 * 1.959963984540054))
    }

    @Test func `an undefined statistic has its reason`() throws {
        #expect(throws: UndefinedStatistic.noVariation) { try ReliableChange(deviation: 8, reliability: 1) }
        #expect(throws: UndefinedStatistic.noVariation) { try ReliableChange(deviation: 0, reliability: 0.5) }
        #expect(throws: UndefinedStatistic.noReliability) {
            try ReliableChange(deviation: 8, reliability: -0.2)
        }
        let change = try ReliableChange(deviation: 8, reliability: 0.5)
        #expect(throws: UndefinedStatistic.notFinite) { try change.index(before: .nan, after: 1) }
    }
}
