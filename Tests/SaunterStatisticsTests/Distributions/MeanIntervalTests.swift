import Testing

@testable import SaunterStatistics

@Suite struct MeanIntervalTests {
    @Test func `with two values the interval follows Cauchy's distribution`() throws {
        let interval = try MeanInterval([1, 3])

        // t with one degree of freedom: 12.7062047361747 at 97.5 %; the standard error is 1.
        #expect(interval.mean == 2)
        #expect(agree(interval.upper ?? 0, 14.7062047361747))
        #expect(agree(interval.lower ?? 0, -10.7062047361747))
    }

    @Test func `a single value has no interval, and no values have no mean`() throws {
        #expect(try MeanInterval([4]).lower == nil)
        #expect(try MeanInterval([4, 4]).upper == 4)
        #expect(throws: UndefinedStatistic.noValues) { try MeanInterval([]) }
        #expect(throws: UndefinedStatistic.notFinite) { try MeanInterval([1, .nan]) }
    }
}
