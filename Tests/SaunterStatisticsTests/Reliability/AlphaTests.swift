import Testing

@testable import SaunterStatistics

@Suite struct AlphaTests {
    @Test func `two items with variances 1 and covariance a half have an alpha of two thirds`() throws {
        let alpha = try Alpha(ItemTable(columns: [[1, 2, 3], [1, 3, 2]]), missing: .listwise)

        #expect(agree(alpha.value, 2.0 / 3))
        #expect(agree(try alpha.meanCorrelation.get(), 0.5))
        #expect(alpha.sheetCount == 3)
    }

    @Test func `the interval follows from quantiles of F with two and two degrees of freedom`() throws {
        let alpha = try Alpha(ItemTable(columns: [[1, 2, 3], [1, 3, 2]]), missing: .listwise)

        // With 2 and 2 degrees of freedom the quantile is p/(1−p): 39 and 1/39.
        let interval = try alpha.interval()
        #expect(agree(interval.lowerBound, 1 - 39.0 / 3))
        #expect(agree(interval.upperBound, 1 - 1.0 / 39 / 3))
        #expect(try alpha.interval(level: 0.5).upperBound < interval.upperBound)
    }

    @Test func `equal items have an alpha of one`() throws {
        let column: [Double?] = [1, 5, 2, 4]
        #expect(try Alpha(ItemTable(columns: [column, column, column]), missing: .pairwise).value == 1)
    }

    @Test(arguments: MissingData.allCases)
    func `an undefined alpha has its reason`(missing: MissingData) {
        func gap(_ columns: [[Double?]]) -> UndefinedStatistic? {
            Estimate { () throws(UndefinedStatistic) in
                try Alpha(ItemTable(columns: columns), missing: missing)
            }.undefined
        }
        #expect(gap([[1, 2, 3]]) == .tooFewItems)
        #expect(gap([[1], [2]]) == .tooFewValues)
        #expect(gap([[1, 1], [2, 2]]) == .noVariation)
        #expect(gap([[1, 2], [2, 1]]) == .noVariation)
        #expect(gap([[1e200, -1e200], [1e200, 3]]) == .notFinite)
        #expect(gap([[nil, nil], [1, 2]]) != nil)
    }

    @Test func `an invalid level has no interval`() throws {
        let alpha = try Alpha(ItemTable(columns: [[1, 2, 3], [1, 3, 2]]), missing: .listwise)
        for level in [1, 2, -1, .nan, .infinity] as [Double] {
            #expect(throws: UndefinedStatistic.notFinite) { try alpha.interval(level: level) }
        }
    }
}
