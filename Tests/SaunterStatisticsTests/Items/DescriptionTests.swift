import Testing

@testable import SaunterStatistics

@Suite struct DescriptionTests {
    @Test func `a column is described by what is there`() throws {
        let description = Description([1, nil, 2, 3, 4, 10, nil], range: 1...10)

        #expect(description.count == 5)
        #expect(description.missing == 2)
        #expect(description.mean.value == 4)
        #expect(agree(try description.deviation.get(), 12.5.squareRoot()))
        // Deviations −3, −2, −1, 0 and 6: their cubes add up to 180.
        #expect(agree(try description.skew.get(), 180 / (5 * 12.5 * 12.5.squareRoot())))
        #expect(description.floor.value == 0.2)
        #expect(description.ceiling.value == 0.2)
        #expect(description.minimum == 1)
        #expect(description.maximum == 10)
    }

    @Test func `a large mean does not swallow the spread`() throws {
        let description = Description([1e15 + 1, 1e15 + 2, 1e15 + 3])

        #expect(description.deviation.value == 1)
        #expect(agree(try description.skew.get(), 0))
    }

    @Test func `what cannot be told has its reason`() {
        #expect(Description([]).mean.gap == .noValues)
        #expect(Description([nil, nil]).deviation.gap == .noValues)
        #expect(Description([3]).mean.value == 3)
        #expect(Description([3]).deviation.gap == .tooFewValues)
        #expect(Description([0.1, 0.1, 0.1]).deviation.value == 0)
        #expect(Description([0.1, 0.1, 0.1]).skew.gap == .noVariation)
        #expect(Description([1, 2]).floor.gap == .noRange)
        #expect(Description([1, .nan]).mean.gap == .notFinite)
        #expect(Description([1, .infinity], range: 0...1).ceiling.gap == .notFinite)
        #expect(Description([1e308, 1e308, -1e308]).deviation.gap == .notFinite)
    }
}
