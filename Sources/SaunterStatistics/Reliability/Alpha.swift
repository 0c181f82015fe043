/// Cronbach's alpha, raw: from covariances. What R's `psych::alpha` prints as `raw_alpha` with the same
/// treatment of missing answers; items without any spread stay in, which that function takes out.
package struct Alpha: Sendable, Hashable {
    package let value: Double
    package let missing: MissingData
    /// The sheets that it rests on, which the interval takes for n: the complete ones, or all.
    package let sheetCount: Int
    package let itemCount: Int
    /// Mean correlation between two items, from the same covariances.
    package let meanCorrelation: Estimate<Double>

    /// - Throws: `.tooFewItems` below two items, `.tooFewValues`, `.noValues`, `.noVariation` when the sum of
    ///   the items does not vary, `.notFinite`.
    package init(_ table: ItemTable, missing: MissingData) throws(Gap) {
        let covariance = try table.covariance(missing)
        value = try Self.value(covariance)
        self.missing = missing
        sheetCount = table.sheetCount(missing)
        itemCount = table.itemCount
        meanCorrelation = Estimate { () throws(Gap) in try Self.meanCorrelation(covariance) }
    }

    /// k/(k−1)·(1 − Σ variances / Σ covariances).
    static func value(_ covariance: Matrix) throws(Gap) -> Double {
        let count = Double(covariance.columnCount)
        guard count > 1 else { throw .tooFewItems }
        let total = covariance.sum
        guard total > 0 else { throw .noVariation }
        let own = covariance.diagonal.reduce(0, +)
        return try (count / (count - 1) * (1 - own / total)).finite()
    }

    private static func meanCorrelation(_ covariance: Matrix) throws(Gap) -> Double {
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
