import Foundation

/// Where values stand along one side of a plot.
struct Axis {
    let low: Double
    let high: Double
    let start: Double
    let end: Double

    /// - Parameter values: what must be seen; a single value, or none, gets some room around it.
    init(_ values: [Double], start: Double, end: Double) {
        let known = values.filter { $0.isFinite && $0.magnitude < 1e100 }
        let least = known.min() ?? 0
        let most = known.max() ?? 1
        low = most > least ? least : least - 0.5
        high = most > least ? most : most + 0.5
        self.start = start
        self.end = end
    }

    func place(_ value: Double) -> Double {
        start + (min(high, max(low, value)) - low) / (high - low) * (end - start)
    }

    /// Round numbers along the side, about five.
    var ticks: [Double] {
        let rough = (high - low) / 5
        let power = pow(10, floor(log10(rough)))
        guard power > 0, power.isFinite else { return [low] }
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? rough
        let first = (low / step).rounded(.up)
        return (0...10).map { (first + Double($0)) * step }.filter { $0 <= high }
    }
}
