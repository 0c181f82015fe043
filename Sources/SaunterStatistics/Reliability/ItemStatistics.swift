/// How one item goes with the others of its scale.
package struct ItemStatistics: Sendable, Hashable {
    package let description: Description
    /// Correlation with the sum of the other items (`r.drop` of R's `psych::alpha`).
    package let correctedTotalCorrelation: Estimate<Double>
    /// Raw alpha of the other items.
    package let alphaIfDropped: Estimate<Double>

    /// For each item in order.
    /// - Parameter ranges: lowest and highest possible value of each item, keyed; may be shorter.
    package static func all(_ table: ItemTable, missing: MissingData, ranges: [ClosedRange<Double>?] = [])
        -> [ItemStatistics]
    {
        let covariance = Estimate { () throws(Gap) in try table.covariance(missing) }
        return table.columns.indices.map { item in
            ItemStatistics(
                description: Description(
                    table.columns[item], range: ranges.indices.contains(item) ? ranges[item] : nil),
                correctedTotalCorrelation: Estimate { () throws(Gap) in
                    try corrected(item, try covariance.get())
                },
                alphaIfDropped: Estimate { () throws(Gap) in
                    try Alpha.value(try covariance.get().dropping(item))
                })
        }
    }

    private static func corrected(_ item: Int, _ covariance: Matrix) throws(Gap) -> Double {
        guard covariance.columnCount > 1 else { throw .tooFewItems }
        let own = covariance[item, item]
        let others = covariance.dropping(item).sum
        guard own > 0, others > 0 else { throw .noVariation }
        let shared = covariance.column(item).reduce(0, +) - own
        return try (shared / (own.squareRoot() * others.squareRoot())).finite()
    }
}
