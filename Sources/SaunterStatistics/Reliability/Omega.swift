/// McDonald's omega total, from one factor by minimum residuals on pairwise correlations: (Σ correlations − Σ
/// uniquenesses) / Σ correlations over the complete matrix. It is equal to `omega.tot` of R's `psych::omega(nfactors =
/// 1, flip = FALSE)`.
package struct Omega: Sendable, Hashable {
    package let value: Double
    /// The loadings of the items on the factor, in the order of items.
    package let loadings: [Double]

    /// - Throws: the errors of `ItemTable.correlation` and `OneFactor`; `.noVariation` if the correlations sum to zero
    ///   or less.
    package init(_ table: ItemTable, missing: MissingData = .pairwise) throws(UndefinedStatistic) {
        let correlation = try table.correlation(missing)
        let factor = try OneFactor(correlation: correlation)
        let total = correlation.sum
        guard total > 0 else { throw .noVariation }
        let uniqueness = factor.loadings.reduce(0) { $0 + 1 - $1 * $1 }
        value = try ((total - uniqueness) / total).finite()
        loadings = factor.loadings
    }
}
