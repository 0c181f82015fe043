import SaunterCore

/// How often values fall into bins of one width.
struct Histogram: Sendable, Hashable {
    /// Where the first bin begins.
    let lower: Double
    let width: Double
    let counts: [Int]
    /// Whether each bin holds one whole number, which is its middle.
    let isWhole: Bool

    private static let mostWholeBins = 61
    private static let binCount = 20

    /// One bin for each whole number of the range where there are few and all values are such, else twenty
    /// over the range (over the values where none is declared). Nil without values.
    init?(_ values: [Double], range: ClosedRange<Double>?) {
        guard let least = values.min(), let most = values.max(), least.isFinite, most.isFinite else {
            return nil
        }
        let low = min(least, range?.lowerBound ?? least)
        let high = max(most, range?.upperBound ?? most)
        let span = high - low
        isWhole =
            span < Double(Self.mostWholeBins) && low == low.rounded() && high == high.rounded()
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
