/// How far the answers of a sheet lie from the middle of all sheets, in units of their spread in that direction.
package struct MahalanobisDistance: Sendable {
    /// Of the complete sheets.
    package let means: [Double]
    /// In how many directions sheets differ; below the number of items the pseudo-inverse is used.
    package let rank: Int
    private let squared: @Sendable ([Double]) -> Double

    /// Means and covariances (n − 1) come from the complete sheets.
    /// - Throws: `.noValues`, `.tooFewValues`, `.noVariation`, `.notFinite`, `.noConvergence`.
    package init(_ table: ItemTable) throws(Gap) {
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

    /// D², as R's `mahalanobis` gives it.
    /// - Throws: `.incomplete` when an answer is missing, `.lengthsDiffer`, `.notFinite`.
    package func squared(_ answers: [Double?]) throws(Gap) -> Double {
        guard answers.count == means.count else { throw .lengthsDiffer }
        let known = answers.compactMap(\.self)
        guard known.count == answers.count else { throw .incomplete }
        return try squared(zip(known, means).map { $0 - $1 }).finite()
    }
}
