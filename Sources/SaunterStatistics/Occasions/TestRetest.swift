/// The test-retest reliability: the correlation of the scores of two occasions.
package struct TestRetest: Sendable, Hashable {
    /// Pearson's r of both occasions.
    package let correlation: Double
    /// The number of people with both scores.
    package let pairCount: Int

    /// - Throws: `.lengthsDiffer`; `.noValues` without pairs; `.tooFewValues` for one or two pairs, because two pairs
    ///   always have a correlation of ±1; `.noVariation`; `.notFinite`.
    package init(first: [Double?], second: [Double?]) throws(UndefinedStatistic) {
        let pairs = try ItemTable(columns: [first, second]).complete()
        guard pairs.rowCount > 2 else { throw .tooFewValues }
        pairCount = pairs.rowCount
        correlation = try pairs.correlation(.listwise)[0, 1]
    }
}
