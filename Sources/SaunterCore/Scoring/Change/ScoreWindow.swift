/// A person's scores of one scale over a span of time, in a few numbers.
package struct ScoreWindow: Sendable, Hashable {
    /// Scores in the span, null ones included.
    package let count: Int
    /// Those that are not null.
    package let known: Int
    /// Nil where fewer than the minimum are known.
    package let mean: Double?
    /// Of a sample (divided by n − 1); nil below two scores.
    package let standardDeviation: Double?
    /// Least squares over time, per day of 24 hours; nil below two different times.
    package let slopePerDay: Double?
    package let least: Double?
    package let greatest: Double?
    /// Whether scores of more than one rule are among them: then there are no numbers.
    package let hasOtherDefinitions: Bool

    /// - Parameters:
    ///   - scores: in any order.
    ///   - span: the beginning included, the end not.
    ///   - minimum: how many scores must be known; 1 at the least.
    package init(_ scores: [TimedScore], in span: Range<Instant>, minimum: Int = 1) {
        let inside = scores.filter { span.contains($0.at) }
        let points = inside.compactMap { score in score.value.map { (at: score.at, value: $0) } }
            .filter { $0.value.isFinite }.sorted { ($0.at, $0.value) < ($1.at, $1.value) }
        count = inside.count
        known = points.count
        hasOtherDefinitions = Set(inside.filter { $0.value != nil }.map(\.keyDigest)).count > 1
        guard !hasOtherDefinitions, points.count >= max(minimum, 1), let origin = points.first?.at else {
            (mean, standardDeviation, slopePerDay, least, greatest) = (nil, nil, nil, nil, nil)
            return
        }
        let n = Double(points.count)
        let sum = points.reduce(Quantity.zero) { $0 + Quantity($1.value) }
        let mean = sum.divided(by: points.count).double
        self.mean = Self.finite(mean)
        least = points.map(\.value).min()
        greatest = points.map(\.value).max()
        let squares = points.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) }
        standardDeviation = points.count < 2 ? nil : Self.finite((squares / (n - 1)).squareRoot())
        // Instants may lie at the ends of time, so their distance is taken in doubles.
        let days = points.map {
            (Double($0.at.milliseconds) - Double(origin.milliseconds)) / 86_400_000
        }
        let meanDay = days.reduce(0, +) / n
        let spread = days.reduce(0) { $0 + ($1 - meanDay) * ($1 - meanDay) }
        let product = zip(days, points).reduce(0) { $0 + ($1.0 - meanDay) * ($1.1.value - mean) }
        slopePerDay = spread > 0 ? Self.finite(product / spread) : nil
    }

    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
}
