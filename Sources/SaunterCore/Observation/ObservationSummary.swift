/// The summary of one component's values. The minimum, maximum and mean are nil if nothing was measured. The mean is
/// not weighted by time, although samples may be hours apart.
package struct ObservationSummary: Sendable, Hashable {
    /// The number of values.
    package var count: Int
    /// The smallest value.
    package var minimum: Double?
    /// The largest value.
    package var maximum: Double?
    /// The mean, rounded to six decimal places, ties to even.
    package var mean: Double?

    /// Creates a summary that was computed before, for example by the database.
    package init(count: Int, minimum: Double?, maximum: Double?, mean: Double?) {
        self.count = count
        self.minimum = minimum
        self.maximum = maximum
        self.mean = mean
    }

    /// Summarises one component's values.
    package init(of values: [Double?]) {
        let known = values.compactMap { $0 }
        count = known.count
        minimum = known.min()
        maximum = known.max()
        mean = known.isEmpty ? nil : rounded(known.reduce(0, +) / Double(known.count), places: 6)
    }
}
