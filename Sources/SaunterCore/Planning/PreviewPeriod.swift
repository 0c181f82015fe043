/// How many days ahead the plans of enrolled participants are compared before a version is published. The cost grows
/// with the number of participants and occasions, so the number of days depends on both.
package enum PreviewPeriod {
    /// Maximum number of occasions that both versions plan in total. It does not apply to the minimum number of days.
    package static let maximumOccasions = 2_000_000
    /// Days from today. The minimum covers everything that is stored ahead, the maximum covers a study of one year.
    package static let span = 14...366

    /// The largest number of days for which the number of occasions stays within the limit.
    /// - Parameters:
    ///   - participants: number of participants whose plans are compared.
    ///   - occasions: maximum number of occasions of one participant in this number of consecutive days. It must not
    ///     decrease with the number of days.
    package static func days(participants: Int, occasions: (_ days: Int) -> Int) -> Int {
        func fits(_ days: Int) -> Bool {
            let (all, overflows) = max(participants, 0).multipliedReportingOverflow(
                by: max(occasions(days), 0))
            return !overflows && all <= maximumOccasions
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
