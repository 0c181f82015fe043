/// Whether a person answers items of one scale alike: means of each scale's items in odd and in even place,
/// correlated over scales and stepped up by Spearman and Brown's 2r/(1+r).
package enum EvenOddConsistency {
    /// - Parameter scales: the keyed answers of one sheet, by scale, in order of items. A scale that has no
    ///   answer in one of both halves counts nothing.
    /// - Throws: `.tooFewItems` below three scales, `.noVariation`, `.notFinite`.
    /// - Returns: from −1, which stands for all that is lower, to 1.
    package static func value(_ scales: [[Double?]]) throws(Gap) -> Double {
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
