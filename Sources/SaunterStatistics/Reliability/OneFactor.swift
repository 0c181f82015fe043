/// The common factor of a correlation matrix by minimum residuals: the loadings that minimise the sum of the squared
/// off-diagonal residuals (Harman and Jones 1966).
package struct OneFactor: Sendable, Hashable {
    /// One loading per item. Their sum is not negative.
    package let loadings: [Double]

    /// The upper bound of communalities, so that a Heywood case stops at the bound. R's `psych::fa` has the same
    /// bound.
    private static let maximumCommunality = 0.995
    private static let maximumRounds = 20_000

    /// Optimises one loading after the other, with the others fixed, until no loading changes.
    /// - Throws: `.tooFewItems` for fewer than three items, because the factor is not determined; `.noVariation` if all
    ///   other loadings of an item become zero; the errors of `SymmetricEigen`; `.noConvergence`.
    package init(correlation: Matrix) throws(UndefinedStatistic) {
        guard correlation.columnCount > 2 else { throw .tooFewItems }
        let eigen = try SymmetricEigen(correlation)
        guard let largest = eigen.values.indices.max(by: { eigen.values[$0] < eigen.values[$1] }) else {
            throw .tooFewItems
        }
        let edge = Self.maximumCommunality.squareRoot()
        let scale = max(0, eigen.values[largest]).squareRoot()
        var loadings = eigen.vectors.column(largest).map { min(edge, max(-edge, $0 * scale)) }
        for _ in 0..<Self.maximumRounds {
            var change = 0.0
            for item in loadings.indices {
                var products = 0.0
                var squares = 0.0
                for other in loadings.indices where other != item {
                    products += correlation[other, item] * loadings[other]
                    squares += loadings[other] * loadings[other]
                }
                guard squares > 0 else { throw .noVariation }
                let best = min(edge, max(-edge, products / squares))
                change = max(change, (best - loadings[item]).magnitude)
                loadings[item] = best
            }
            guard change.isFinite else { throw .notFinite }
            if change < 1e-12 {
                self.loadings = loadings.reduce(0, +) < 0 ? loadings.map { -$0 } : loadings
                return
            }
        }
        throw .noConvergence
    }
}
