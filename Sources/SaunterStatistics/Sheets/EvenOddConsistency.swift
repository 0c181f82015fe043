/// How consistently a participant answers the items of the scales. For each scale, the mean of the items at odd
/// positions and the mean of the items at even positions are computed. Both are correlated over all scales, and the
/// correlation is corrected by the Spearman-Brown formula 2r/(1+r).
package enum EvenOddConsistency {
    /// - Parameter scales: the recoded answers of one sheet, by scale, in the order of items. A scale is ignored if
    ///   one of its halves has no answers.
    /// - Throws: `.tooFewItems` for fewer than three scales; `.noVariation`; `.notFinite`.
    /// - Returns: from −1 to 1. Lower values are returned as −1.
    package static func value(_ scales: [[Double?]]) throws(UndefinedStatistic) -> Double {
        var odd: [Double] = []
        var even: [Double] = []
        for scale in scales {
            let first = stride(from: 0, to: scale.count, by: 2).compactMap { scale[$0] }
            let second = stride(from: 1, to: scale.count, by: 2).compactMap { scale[$0] }
            guard !first.isEmpty, !second.isEmpty else { continue }
            odd.append(Moments.mean(first))
            even.append(Moments.mean(second))
        }
        guard odd.count > 2 else { throw .tooFewItems }
        let r = try Moments.correlation(odd, even)
        guard r > -1 else { return -1 }
        return max(-1, 2 * r / (1 + r))
    }
}
