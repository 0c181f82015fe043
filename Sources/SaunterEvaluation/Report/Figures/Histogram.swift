import SaunterCore

/// The number of values in bins of equal width.
struct Histogram: Sendable, Hashable {
    /// The lower end of the first bin.
    let lower: Double
    let width: Double
    let counts: [Int]
    /// Whether each bin contains exactly one possible value, its middle.
    let hasOneValuePerBin: Bool

    private static let maximumBins = 61
    private static let binCount = 20

    /// If all values are multiples of a step above the lower end, each bin contains one possible value, or the same
    /// number of possible values if there are more than 61. Values that were rounded to two decimals count as the
    /// multiples from which they come. Otherwise 20 bins over the declared range, or over the
    /// values if no range is declared. Nil without values.
    init?(_ values: [Double], range: ClosedRange<Double>?) {
        guard let minimum = values.min(), let maximum = values.max(), minimum.isFinite, maximum.isFinite
        else {
            return nil
        }
        let low = min(minimum, range?.lowerBound ?? minimum)
        let high = max(maximum, range?.upperBound ?? maximum)
        let span = high - low
        guard span.isFinite else { return nil }
        var step = Self.step(values, low: low, high: high)
        if (step ?? 0) * Double(Self.maximumBins) <= span {
            step = Self.roundedStep(values, low: low, high: high) ?? step
        }
        let valueCount = step.map { Int((span / $0).rounded()) + 1 }
        let valuesPerBin = valueCount.map { ($0 - 1) / Self.maximumBins + 1 } ?? 1
        hasOneValuePerBin = step != nil && valuesPerBin == 1
        width = step.map { $0 * Double(valuesPerBin) } ?? (span > 0 ? span / Double(Self.binCount) : 1)
        lower = step.map { low - $0 / 2 } ?? low
        guard width > 0 else { return nil }
        let count = valueCount.map { ($0 - 1) / valuesPerBin + 1 } ?? Self.binCount
        counts = Self.counts(values, lower: lower, width: width, count: count)
    }

    private init(_ values: [Double], binsOf other: Histogram) {
        (lower, width, hasOneValuePerBin) = (other.lower, other.width, other.hasOneValuePerBin)
        counts = Self.counts(values, lower: lower, width: width, count: other.counts.count)
    }

    /// The distribution of a part of the values in the same bins.
    func counting(_ values: [Double]) -> Histogram { Histogram(values, binsOf: self) }

    private static func counts(_ values: [Double], lower: Double, width: Double, count: Int) -> [Int] {
        var counts = Array(repeating: 0, count: count)
        for value in values { counts[min(count - 1, max(0, Int((value - lower) / width)))] += 1 }
        return counts
    }

    private static let maximumValues = 1000

    /// The distance between two possible values: 1 if a short range and all values are whole, otherwise the greatest
    /// number that divides the distances of all values and of the upper end from the lower end. Nil if there are more
    /// than 1000 possible values.
    private static func step(_ values: [Double], low: Double, high: Double) -> Double? {
        let span = high - low
        if span < Double(maximumBins), ([low, high] + values).allSatisfy({ $0 == $0.rounded() }) { return 1 }
        guard span > 0 else { return nil }
        let smallest = span / Double(maximumValues)
        let tolerance = smallest / 100
        var step = span
        for distance in Set(values.map { $0 - low }) where distance > tolerance {
            var (larger, smaller) = (max(step, distance), min(step, distance))
            while smaller > tolerance {
                let rest = larger.truncatingRemainder(dividingBy: smaller)
                (larger, smaller) = (smaller, smaller - rest < tolerance ? 0 : rest)
            }
            step = larger
            guard step >= smallest else { return nil }
        }
        // Rounding the quotient removes the rounding errors of the remainders above.
        return span / (span / step).rounded()
    }

    /// The greatest part of the range, of at most 60 equal ones, of which all values are multiples, if they were
    /// rounded to two decimals: the mean of three items is 3.33 for 10/3. Nil if there is none.
    private static func roundedStep(_ values: [Double], low: Double, high: Double) -> Double? {
        let rounding = 0.005
        guard values.allSatisfy({ abs($0 * 100 - ($0 * 100).rounded()) < 1e-6 }) else { return nil }
        for parts in 1..<maximumBins {
            let step = (high - low) / Double(parts)
            // With smaller steps, most values would be near a multiple.
            guard step > 8 * rounding else { return nil }
            let areMultiples = values.allSatisfy {
                let multiple = (($0 - low) / step).rounded() * step
                return abs($0 - low - multiple) <= rounding * 1.001
            }
            if areMultiples { return step }
        }
        return nil
    }

    var json: JSON {
        [
            "lower": .double(lower), "width": .double(width), "one_value_per_bin": .bool(hasOneValuePerBin),
            "counts": .array(counts.map(JSON.int)),
        ]
    }
}
