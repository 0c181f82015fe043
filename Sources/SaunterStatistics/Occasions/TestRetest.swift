/// Whether people who score high once score high again.
package struct TestRetest: Sendable, Hashable {
    /// Pearson's r between both occasions.
    package let correlation: Double
    /// People who have both scores.
    package let pairCount: Int

    /// - Throws: `.lengthsDiffer`, `.tooFewValues` below three pairs (two lie on a line always), `.noVariation`,
    ///   `.notFinite`.
    package init(first: [Double?], second: [Double?]) throws(Gap) {
        let pairs = try ItemTable(columns: [first, second]).complete()
        guard pairs.rowCount > 2 else { throw .tooFewValues }
        pairCount = pairs.rowCount
        correlation = try pairs.correlation(.listwise)[0, 1]
    }
}
