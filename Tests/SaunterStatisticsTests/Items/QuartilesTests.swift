import Testing

@testable import SaunterStatistics

@Suite struct QuartilesTests {
    @Test(
        arguments: [
            ([5], [5, 5, 5]), ([2, 1], [1.25, 1.5, 1.75]), ([4, 1, 3, 2], [1.75, 2.5, 3.25]),
            ([10, 1, 2, 7, 3], [2, 3, 7]),
        ] as [([Double], [Double])])
    func `quartiles are those of R's quantile`(values: [Double], expected: [Double]) throws {
        let quartiles = try Quartiles(values)

        #expect([quartiles.lower, quartiles.median, quartiles.upper] == expected)
    }

    @Test func `quartiles of no values and of infinite values are undefined`() {
        #expect(throws: UndefinedStatistic.noValues) { try Quartiles([]) }
        #expect(throws: UndefinedStatistic.notFinite) { try Quartiles([1, .infinity]) }
        #expect(throws: UndefinedStatistic.notFinite) { try Quartiles([.nan]) }
    }
}
