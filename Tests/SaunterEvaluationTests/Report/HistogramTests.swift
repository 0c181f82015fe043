import Testing

@testable import SaunterEvaluation

@Suite struct HistogramTests {
    @Test func `whole scores have one bin each over the complete range`() throws {
        let histogram = try #require(Histogram([0, 1, 1, 4], range: 0...5))

        #expect(histogram.counts == [1, 2, 0, 0, 1, 0])
        #expect(histogram.isWhole)
        #expect(histogram.lower == -0.5)
    }

    @Test func `means have twenty bins, and the largest value is in the last one`() throws {
        let histogram = try #require(Histogram([1, 1.5, 3], range: 1...3))

        #expect(histogram.counts.count == 20)
        #expect(histogram.counts[0] == 1)
        #expect(histogram.counts[5] == 1)
        #expect(histogram.counts[19] == 1)
    }

    @Test(
        arguments: [
            [], [.nan], [.infinity, 1], [1e308, -1e308], [1e300], [0.5],
            [.leastNonzeroMagnitude, .leastNormalMagnitude], [-1e18, 1e18],
        ] as [[Double]])
    func `values that do not fit into bins cause no error`(values: [Double]) {
        let histogram = Histogram(values, range: nil)
        #expect(histogram.map { $0.counts.reduce(0, +) == values.count } ?? true)
        #expect(histogram.map { $0.plot(title: "odd").hasSuffix("</svg>") } ?? true)
    }
}
