/// A mean with its interval by Student's t: how far the mean of another sample would plausibly lie.
package struct MeanInterval: Sendable, Hashable {
    package let count: Int
    package let mean: Double
    /// Both nil below two values.
    package let lower: Double?
    package let upper: Double?

    /// - Parameter level: the share of samples whose interval holds the true mean.
    /// - Throws: `.noValues`, `.notFinite`.
    package init(_ values: [Double], level: Double = 0.95) throws(Gap) {
        guard !values.isEmpty else { throw .noValues }
        count = values.count
        mean = try Moments.mean(values).finite()
        guard values.count > 1 else {
            lower = nil
            upper = nil
            return
        }
        let freedom = Double(values.count - 1)
        let error = (Moments.crossProducts(values, values) / freedom / Double(values.count)).squareRoot()
        // t² with ν degrees of freedom is F with 1 and ν.
        guard let distribution = FDistribution(1, freedom) else { throw .notFinite }
        let reach = try (distribution.quantile(level).squareRoot() * error).finite()
        lower = mean - reach
        upper = mean + reach
    }
}
