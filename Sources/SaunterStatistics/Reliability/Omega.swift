/// McDonald's omega total, from one factor by minimum residuals on pairwise correlations.
package struct Omega: Sendable, Hashable {
    /// The omega of the sum of standardised items: (Σ correlations − Σ uniquenesses) / Σ correlations over the complete
    /// matrix. It is equal to `omega.tot` of R's `psych::omega(nfactors = 1, flip = FALSE)`.
    package let standardised: Double
    /// The omega of the sum of the items in their own metric, from the same loadings: (Σ covariances − Σ variance ×
    /// uniqueness) / Σ covariances.
    package let raw: Estimate<Double>
    /// The loadings of the items on the factor, in the order of items.
    package let loadings: [Double]

    /// - Throws: the errors of `ItemTable.correlation` and `OneFactor`; `.noVariation` if the correlations sum to zero
    ///   or less.
    package init(_ table: ItemTable, missing: MissingData = .pairwise) throws(UndefinedStatistic) {
        let correlation = try table.correlation(missing)
        let factor = try OneFactor(correlation: correlation)
        let total = correlation.sum
        guard total > 0 else { throw .noVariation }
        let uniquenesses = factor.loadings.map { 1 - $0 * $0 }
        standardised = try ((total - uniquenesses.reduce(0, +)) / total).finite()
        raw = Estimate { () throws(UndefinedStatistic) in
            let covariance = try table.covariance(missing)
            let total = covariance.sum
            guard total > 0 else { throw .noVariation }
            let unique = zip(covariance.diagonal, uniquenesses).reduce(0) { $0 + $1.0 * $1.1 }
            return try ((total - unique) / total).finite()
        }
        loadings = factor.loadings
    }
}
