/// The distance of the answers of a sheet from the mean of all sheets, relative to the variation in that direction.
package struct MahalanobisDistance: Sendable {
    /// The means of the complete sheets.
    package let means: [Double]
    /// The number of dimensions in which sheets differ. If it is less than the number of items, the pseudo-inverse is
    /// used.
    package let rank: Int
    private let squared: @Sendable ([Double]) -> Double

    /// Computes means and covariances (n − 1) from the complete sheets.
    /// - Throws: `.noValues`, `.tooFewValues`, `.noVariation`, `.notFinite`, `.noConvergence`.
    package init(_ table: ItemTable) throws(UndefinedStatistic) {
        let complete = try table.complete()
        let covariance = try complete.covariance(.listwise)
        means = complete.columns.map { Moments.mean($0.compactMap(\.self)) }
        if let cholesky = Cholesky(covariance) {
            rank = covariance.columnCount
            squared = { cholesky.inverseForm($0) }
        } else {
            let inverse = try PseudoInverse(covariance)
            rank = inverse.rank
            squared = { inverse.form($0) }
        }
    }

    /// D², equal to the result of R's `mahalanobis`.
    /// - Throws: `.incomplete` if an answer is missing; `.lengthsDiffer`; `.notFinite`.
    package func squared(_ answers: [Double?]) throws(UndefinedStatistic) -> Double {
        guard answers.count == means.count else { throw .lengthsDiffer }
        let known = answers.compactMap(\.self)
        guard known.count == answers.count else { throw .incomplete }
        return try squared(zip(known, means).map { $0 - $1 }).finite()
    }
}
