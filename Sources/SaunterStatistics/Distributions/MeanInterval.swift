/// A mean with its confidence interval by Student's t.
package struct MeanInterval: Sendable, Hashable {
    /// The number of values.
    package let count: Int
    /// The arithmetic mean, in the unit of the values.
    package let mean: Double
    /// The lower end of the interval; nil for fewer than two values.
    package let lower: Double?
    /// The upper end of the interval; nil for fewer than two values.
    package let upper: Double?

    /// - Parameter level: the confidence level, such as 0.95.
    /// - Throws: `.noValues`, `.notFinite`.
    package init(_ values: [Double], level: Double = 0.95) throws(UndefinedStatistic) {
        guard !values.isEmpty else { throw .noValues }
        count = values.count
        mean = try Moments.mean(values).finite()
        guard values.count > 1 else {
            lower = nil
            upper = nil
            return
        }
        let degreesOfFreedom = Double(values.count - 1)
        let variance = Moments.crossProducts(values, values) / degreesOfFreedom
        let standardError = (variance / Double(values.count)).squareRoot()
        // The square of t with ν degrees of freedom is F with 1 and ν degrees of freedom.
        guard let distribution = FDistribution(1, degreesOfFreedom) else { throw .notFinite }
        let marginOfError = try (distribution.quantile(level).squareRoot() * standardError).finite()
        lower = mean - marginOfError
        upper = mean + marginOfError
    }
}
