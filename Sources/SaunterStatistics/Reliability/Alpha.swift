/// Cronbach's alpha from covariances (raw alpha). It is equal to `raw_alpha` of R's `psych::alpha` with the same
/// treatment of missing answers. Unlike that function, it keeps items without variation.
package struct Alpha: Sendable, Hashable {
    /// At most 1. Negative if the items vary in opposite directions.
    package let value: Double
    /// The treatment of missing answers.
    package let missing: MissingData
    /// The number of sheets that the statistic uses; the confidence interval uses it as n.
    package let sheetCount: Int
    /// The number of items, at least 2.
    package let itemCount: Int
    /// The mean correlation of two items, from the same covariances.
    package let meanCorrelation: Estimate<Double>

    /// - Throws: `.tooFewItems` for fewer than two items; `.tooFewValues`; `.noValues`; `.noVariation` if the sum of
    ///   the items does not vary; `.notFinite`.
    package init(_ table: ItemTable, missing: MissingData) throws(UndefinedStatistic) {
        let covariance = try table.covariance(missing)
        value = try Self.value(covariance)
        self.missing = missing
        sheetCount = table.sheetCount(missing)
        itemCount = table.itemCount
        meanCorrelation = Estimate { () throws(UndefinedStatistic) in try Self.meanCorrelation(covariance) }
    }

    /// Feldt's confidence interval (Feldt, Woodruff and Salih 1987): 1 − (1−α)·F, with the quantiles of F for n−1 and
    /// (n−1)(k−1) degrees of freedom.
    /// - Parameter level: 0.95 for the 95 % interval.
    /// - Throws: `.tooFewValues` for fewer than two sheets; `.notFinite` if the level is not between 0 and 1;
    ///   `.noConvergence`.
    package func interval(level: Double = 0.95) throws(UndefinedStatistic) -> ClosedRange<Double> {
        guard sheetCount > 1 else { throw .tooFewValues }
        let degreesOfFreedom = Double(sheetCount - 1)
        guard let distribution = FDistribution(degreesOfFreedom, degreesOfFreedom * Double(itemCount - 1))
        else {
            throw .notFinite
        }
        let tail = (1 - level) / 2
        let upper = 1 - (1 - value) * (try distribution.quantile(tail))
        let lower = 1 - (1 - value) * (try distribution.quantile(1 - tail))
        // Pairwise covariances can result in an alpha above 1. Then the bounds are swapped.
        return try min(lower.finite(), upper.finite())...max(lower, upper)
    }

    /// k/(k−1)·(1 − Σ variances / Σ covariances).
    static func value(_ covariance: Matrix) throws(UndefinedStatistic) -> Double {
        let count = Double(covariance.columnCount)
        guard count > 1 else { throw .tooFewItems }
        let total = covariance.sum
        guard total > 0 else { throw .noVariation }
        let itemVariances = covariance.diagonal.reduce(0, +)
        return try (count / (count - 1) * (1 - itemVariances / total)).finite()
    }

    private static func meanCorrelation(_ covariance: Matrix) throws(UndefinedStatistic) -> Double {
        let deviations = covariance.diagonal.map { $0.squareRoot() }
        guard deviations.allSatisfy({ $0 > 0 }) else { throw .noVariation }
        var sum = 0.0
        var pairs = 0.0
        for column in deviations.indices {
            for row in 0..<column {
                sum += covariance[row, column] / (deviations[row] * deviations[column])
                pairs += 1
            }
        }
        return try (sum / pairs).finite()
    }
}
