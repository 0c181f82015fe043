import SaunterCore

/// The number of values in bins of equal width.
struct Histogram: Sendable, Hashable {
    /// The lower end of the first bin.
    let lower: Double
    let width: Double
    let counts: [Int]
    /// Whether each bin contains exactly one whole number, its middle.
    let isWhole: Bool

    private static let maximumWholeBins = 61
    private static let binCount = 20

    /// One bin per whole number if all values are whole and the range has at most 61. Otherwise 20 bins over the
    /// declared range, or over the values if no range is declared. Nil without values.
    init?(_ values: [Double], range: ClosedRange<Double>?) {
        guard let minimum = values.min(), let maximum = values.max(), minimum.isFinite, maximum.isFinite
        else {
            return nil
        }
        let low = min(minimum, range?.lowerBound ?? minimum)
        let high = max(maximum, range?.upperBound ?? maximum)
        let span = high - low
        isWhole =
            span < Double(Self.maximumWholeBins) && low == low.rounded() && high == high.rounded()
            && values.allSatisfy { $0 == $0.rounded() }
        width = isWhole ? 1 : span > 0 ? span / Double(Self.binCount) : 1
        lower = isWhole ? low - 0.5 : low
        guard span.isFinite, width > 0 else { return nil }
        let count = isWhole ? Int(span) + 1 : Self.binCount
        var counts = Array(repeating: 0, count: count)
        for value in values { counts[min(count - 1, max(0, Int((value - lower) / width)))] += 1 }
        self.counts = counts
    }

    var json: JSON {
        [
            "lower": .double(lower), "width": .double(width), "counts": .array(counts.map(JSON.int)),
        ]
    }
}
