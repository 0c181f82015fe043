import Testing

@testable import SaunterStatistics

@Suite struct DescriptiveStatisticsTests {
    @Test func `the statistics of a column use its known values`() throws {
        let description = DescriptiveStatistics([1, nil, 2, 3, 4, 10, nil], range: 1...10)

        #expect(description.count == 5)
        #expect(description.missingCount == 2)
        #expect(description.mean.value == 4)
        #expect(agree(try description.deviation.get(), 12.5.squareRoot()))
        // The deviations are −3, −2, −1, 0 and 6. The sum of their cubes is 180.
        #expect(agree(try description.skew.get(), 180 / (5 * 12.5 * 12.5.squareRoot())))
        #expect(description.floor.value == 0.2)
        #expect(description.ceiling.value == 0.2)
        #expect(description.minimum == 1)
        #expect(description.maximum == 10)
    }

    @Test func `a large mean does not reduce the precision of the deviation`() throws {
        let description = DescriptiveStatistics([1e15 + 1, 1e15 + 2, 1e15 + 3])

        #expect(description.deviation.value == 1)
        #expect(agree(try description.skew.get(), 0))
    }

    @Test func `an undefined statistic has its reason`() {
        #expect(DescriptiveStatistics([]).mean.undefined == .noValues)
        #expect(DescriptiveStatistics([nil, nil]).deviation.undefined == .noValues)
        #expect(DescriptiveStatistics([3]).mean.value == 3)
        #expect(DescriptiveStatistics([3]).deviation.undefined == .tooFewValues)
        #expect(DescriptiveStatistics([0.1, 0.1, 0.1]).deviation.value == 0)
        #expect(DescriptiveStatistics([0.1, 0.1, 0.1]).skew.undefined == .noVariation)
        #expect(DescriptiveStatistics([1, 2]).floor.undefined == .noRange)
        #expect(DescriptiveStatistics([1, .nan]).mean.undefined == .notFinite)
        #expect(DescriptiveStatistics([1, .infinity], range: 0...1).ceiling.undefined == .notFinite)
        #expect(DescriptiveStatistics([1e308, 1e308, -1e308]).deviation.undefined == .notFinite)
    }
}
