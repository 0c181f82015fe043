/// McDonald's omega total from one factor by minimum residuals on pairwise correlations:
/// (Σ correlations − Σ uniquenesses) / Σ correlations, over the whole matrix. What R's
/// `psych::omega(nfactors = 1, flip = FALSE)` gives as `omega.tot`.
package struct Omega: Sendable, Hashable {
    package let value: Double
    /// Of the items on the factor, in their order.
    package let loadings: [Double]

    /// - Throws: as `ItemTable.correlation` and `OneFactor`; `.noVariation` when the items cancel each other.
    package init(_ table: ItemTable, missing: MissingData = .pairwise) throws(Gap) {
        let correlation = try table.correlation(missing)
        let factor = try OneFactor(correlation: correlation)
        let total = correlation.sum
        guard total > 0 else { throw .noVariation }
        let uniqueness = factor.loadings.reduce(0) { $0 + 1 - $1 * $1 }
        value = try ((total - uniqueness) / total).finite()
        loadings = factor.loadings
    }
}
