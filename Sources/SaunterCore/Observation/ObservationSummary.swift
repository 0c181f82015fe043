/// What the values of one component come to; nil where none was measured. The mean is that of the values as they are, not
/// weighted by time: an observation's samples may lie hours apart.
package struct ObservationSummary: Sendable, Hashable {
    package var count: Int
    package var minimum: Double?
    package var maximum: Double?
    /// To six decimals, ties to even.
    package var mean: Double?

    package init(count: Int, minimum: Double?, maximum: Double?, mean: Double?) {
        self.count = count
        self.minimum = minimum
        self.maximum = maximum
        self.mean = mean
    }

    /// Of one component's values.
    package init(of values: [Double?]) {
        let known = values.compactMap { $0 }
        count = known.count
        minimum = known.min()
        maximum = known.max()
        mean = known.isEmpty ? nil : rounded(known.reduce(0, +) / Double(known.count), places: 6)
    }
}
