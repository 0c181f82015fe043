@testable import SaunterCore

/// Summarises the scores of a time window in Swift, to check the summary that the SQL of the dataset computes.
struct ReferenceScoreWindow {
    /// The number of scores in the window, with null scores.
    let count: Int
    /// The number of scores that are not null.
    let known: Int
    /// Nil if fewer scores than the minimum are known.
    private(set) var mean: Double?
    /// The standard deviation of a sample (divided by n − 1); nil for fewer than two scores.
    private(set) var standardDeviation: Double?
    /// The slope by least squares, per day of 24 hours; nil for fewer than two different instants.
    private(set) var slopePerDay: Double?
    private(set) var least: Double?

    /// - Parameters:
    ///   - scores: in any order.
    ///   - span: the end is not part of the window.
    ///   - minimum: the number of scores that must be known; 1 or more.
    init(_ scores: [TimedScore], in span: Range<Instant>, minimum: Int = 1) {
        let inside = scores.filter { span.contains($0.at) }
        let points = inside.compactMap { score in score.value.map { (at: score.at, value: $0) } }
            .sorted { ($0.at, $0.value) < ($1.at, $1.value) }
        count = inside.count
        known = points.count
        guard points.count >= max(minimum, 1), let origin = points.first?.at else { return }
        let n = Double(points.count)
        let mean = points.reduce(Quantity.zero) { $0 + Quantity($1.value) }.divided(by: points.count).double
        self.mean = mean
        least = points.map(\.value).min()
        let squares = points.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) }
        standardDeviation = points.count < 2 ? nil : (squares / (n - 1)).squareRoot()
        let days = points.map { Double($0.at.milliseconds - origin.milliseconds) / 86_400_000 }
        let meanDay = days.reduce(0, +) / n
        let spread = days.reduce(0) { $0 + ($1 - meanDay) * ($1 - meanDay) }
        let product = zip(days, points).reduce(0) { $0 + ($1.0 - meanDay) * ($1.1.value - mean) }
        slopePerDay = spread > 0 ? product / spread : nil
    }
}
