/// How one item relates to the other items of its scale.
package struct ItemStatistics: Sendable, Hashable {
    /// The statistics of the item alone.
    package let description: DescriptiveStatistics
    /// The correlation with the sum of the other items (`r.drop` of R's `psych::alpha`).
    package let correctedTotalCorrelation: Estimate<Double>
    /// The raw alpha of the other items.
    package let alphaIfDropped: Estimate<Double>

    /// The statistics of all items, in order.
    /// - Parameter ranges: the lowest and the highest possible value of each item after reversal. The list can be
    ///   shorter than the list of items.
    package static func all(_ table: ItemTable, missing: MissingData, ranges: [ClosedRange<Double>?] = [])
        -> [ItemStatistics]
    {
        let covariance = Estimate { () throws(UndefinedStatistic) in try table.covariance(missing) }
        return table.columns.indices.map { item in
            ItemStatistics(
                description: DescriptiveStatistics(
                    table.columns[item], range: ranges.indices.contains(item) ? ranges[item] : nil),
                correctedTotalCorrelation: Estimate { () throws(UndefinedStatistic) in
                    try corrected(item, try covariance.get())
                },
                alphaIfDropped: Estimate { () throws(UndefinedStatistic) in
                    try Alpha.value(try covariance.get().dropping(item))
                })
        }
    }

    private static func corrected(_ item: Int, _ covariance: Matrix) throws(UndefinedStatistic) -> Double {
        guard covariance.columnCount > 1 else { throw .tooFewItems }
        let own = covariance[item, item]
        let others = covariance.dropping(item).sum
        guard own > 0, others > 0 else { throw .noVariation }
        let shared = covariance.column(item).reduce(0, +) - own
        return try (shared / (own.squareRoot() * others.squareRoot())).finite()
    }
}
