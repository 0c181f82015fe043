extension TailoringVariable.Statistic {
    /// The statistic of numbers; nil if it does not exist.
    func value(of numbers: [Quantity]) -> Quantity? {
        guard !numbers.isEmpty else { return nil }
        switch self {
        case .sum: return numbers.reduce(.zero, +)
        case .mean: return numbers.reduce(.zero, +).divided(by: numbers.count)
        case .min: return numbers.min(by: <)
        case .max: return numbers.max(by: <)
        case .sd: return Self.deviation(of: numbers)
        }
    }

    /// The standard deviation of a sample: √((Σx² − (Σx)² / n) / (n − 1)). Exact until the root.
    private static func deviation(of numbers: [Quantity]) -> Quantity? {
        guard numbers.count > 1 else { return nil }
        let sum = numbers.reduce(.zero, +)
        let squares = numbers.reduce(Quantity.zero) { $0 + $1 * $1 }
        let variance = (squares - (sum * sum).divided(by: numbers.count)).divided(by: numbers.count - 1)
        return .approximate(Swift.max(variance.double, 0).squareRoot())
    }
}

extension Quantity {
    /// The slope per day of 24 hours, by ordinary least squares; nil for fewer than two different moments.
    /// Formula: (n Σxy − Σx Σy) / (n Σx² − (Σx)²).
    static func slopePerDay(_ points: [(moment: Instant, value: Quantity)]) -> Quantity? {
        guard let origin = points.first?.moment else { return nil }
        let n = Quantity(points.count)
        var (sumX, sumY, sumXX, sumXY) = (Quantity.zero, Quantity.zero, Quantity.zero, Quantity.zero)
        for point in points {
            let x = Quantity(Int(point.moment.milliseconds(since: origin)))
            sumX = sumX + x
            sumY = sumY + point.value
            sumXX = sumXX + x * x
            sumXY = sumXY + x * point.value
        }
        let slope = (n * sumXY - sumX * sumY).divided(by: n * sumXX - sumX * sumX)
        return slope.map { $0 * Quantity(86_400_000) }
    }
}
