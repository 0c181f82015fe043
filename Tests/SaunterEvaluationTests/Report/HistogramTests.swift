import Testing

@testable import SaunterEvaluation

@Suite struct HistogramTests {
    @Test func `whole scores have one bin each over the complete range`() throws {
        let histogram = try #require(Histogram([0, 1, 1, 4], range: 0...5))

        #expect(histogram.counts == [1, 2, 0, 0, 1, 0])
        #expect(histogram.hasOneValuePerBin)
        #expect(histogram.lower == -0.5)
    }

    @Test(
        arguments: [
            ([1, 1 + 2.0 / 15, 1 + 1.0 / 3, 6], 1.0...6, 1.0 / 15, 38, 2),
            ([0, 2.5, 10, 97.5], 0...100, 2.5, 41, 1), ([0, 4, 8, 24, 100], 0...100, 4, 26, 1),
            ([1, 1.5, 3], 1...3, 0.5, 5, 1), ([0, 1, 7, 200], 0...200, 1, 51, 4),
        ] as [([Double], ClosedRange<Double>, Double, Int, Int)])
    func `bins match the possible values of a score`(
        values: [Double], range: ClosedRange<Double>, step: Double, bins: Int, valuesPerBin: Int
    ) throws {
        let histogram = try #require(Histogram(values, range: range))

        #expect(abs(histogram.width - step * Double(valuesPerBin)) < 1e-9)
        #expect(histogram.counts.count == bins)
        #expect(abs(histogram.lower - (range.lowerBound - step / 2)) < 1e-9)
        #expect(histogram.counts.reduce(0, +) == values.count)
        #expect(histogram.hasOneValuePerBin == (valuesPerBin == 1))
        // No value is on an edge of its bin.
        for value in values {
            let offset = (value - histogram.lower) / histogram.width
            #expect(abs(offset - offset.rounded()) * histogram.width > step / 4)
        }
    }

    @Test func `values without a common step have twenty bins, and the largest value is in the last one`()
        throws
    {
        let histogram = try #require(Histogram([1, 1.234567, 2.718281, 3], range: 1...3))

        #expect(histogram.counts.count == 20)
        #expect(histogram.counts[0] == 1)
        #expect(histogram.counts[2] == 1)
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

    @Test func `rounded means have one bin for each possible value`() throws {
        let values = [1, 1.33, 2.67, 3.67, 3.67, 5]

        let histogram = try #require(Histogram(values, range: 1...5))

        #expect(histogram.counts == [1, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1])
        #expect(histogram.hasOneValuePerBin)
    }
}
