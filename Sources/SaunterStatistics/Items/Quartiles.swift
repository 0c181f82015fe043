/// The median and the quartiles of numbers: type 7 of Hyndman and Fan (1996), the default of R's `quantile`.
package struct Quartiles: Sendable, Hashable {
    /// A quarter of the values is below it.
    package let lower: Double
    /// Half of the values is below it.
    package let median: Double
    /// Three quarters of the values are below it.
    package let upper: Double

    /// - Throws: `.noValues`, `.notFinite`.
    package init(_ values: [Double]) throws(UndefinedStatistic) {
        guard !values.isEmpty else { throw .noValues }
        guard values.allSatisfy(\.isFinite) else { throw .notFinite }
        let sorted = values.sorted()
        func quantile(_ share: Double) throws(UndefinedStatistic) -> Double {
            let position = share * Double(sorted.count - 1)
            let index = Int(position)
            let next = min(index + 1, sorted.count - 1)
            let rest = position - Double(index)
            return try (sorted[index] * (1 - rest) + sorted[next] * rest).finite()
        }
        lower = try quantile(0.25)
        median = try quantile(0.5)
        upper = try quantile(0.75)
    }
}
