/// How far ahead the plans of those who are enrolled are compared before a version is published. With people and occasions grows what that costs, so
/// that it is not the same number of days for all studies; for the same study and as many people it is.
package enum PreviewReach {
    /// So many occasions are laid out in all, by both versions, where that is more than the fewest days.
    package static let mostOccasions = 2_000_000
    /// From today on: at least what is stored ahead, at most all of a year's study.
    package static let span = 14...366

    /// The most days for which the occasions of all do not go beyond the limit.
    /// - Parameters:
    ///   - people: whose plans are compared.
    ///   - occasions: how many of one participant fall into so many days in a row, at most; no fewer into more days.
    package static func days(people: Int, occasions: (_ days: Int) -> Int) -> Int {
        func fits(_ days: Int) -> Bool {
            let (all, isBeyond) = max(people, 0).multipliedReportingOverflow(by: max(occasions(days), 0))
            return !isBeyond && all <= mostOccasions
        }
        if fits(span.upperBound) { return span.upperBound }
        var (low, high) = (span.lowerBound, span.upperBound)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if fits(middle) { low = middle } else { high = middle }
        }
        return low
    }
}
