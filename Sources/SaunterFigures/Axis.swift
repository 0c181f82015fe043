import Foundation

/// Maps values to positions along one side of a plot.
package struct Axis {
    /// The least visible value.
    package let low: Double
    /// The greatest visible value.
    package let high: Double
    /// The position of the least value in pixels.
    package let start: Double
    /// The position of the greatest value in pixels.
    package let end: Double

    /// - Parameter values: values that must be visible. A single value gets a range of 1 around it. Without values the
    ///   range is 0 to 1.
    package init(_ values: [Double], start: Double, end: Double) {
        let known = values.filter { $0.isFinite && $0.magnitude < 1e100 }
        let minimum = known.min() ?? 0
        let maximum = known.max() ?? 1
        low = maximum > minimum ? minimum : minimum - 0.5
        high = maximum > minimum ? maximum : maximum + 0.5
        self.start = start
        self.end = end
    }

    /// The position of a value in pixels.
    package func position(_ value: Double) -> Double {
        start + (min(high, max(low, value)) - low) / (high - low) * (end - start)
    }

    /// At most six round numbers along the axis.
    package var ticks: [Double] {
        let roughStep = (high - low) / 5
        let power = pow(10, floor(log10(roughStep)))
        guard power > 0, power.isFinite else { return [low] }
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= roughStep } ?? roughStep
        let first = (low / step).rounded(.up)
        return (0...10).map { (first + Double($0)) * step }.filter { $0 <= high }
    }
}
