/// The reason why a statistic is undefined. No data can make these functions stop the process: an undefined statistic
/// has one of these reasons.
package enum UndefinedStatistic: String, Error, Sendable, Hashable, CaseIterable {
    /// There are no values.
    case noValues = "no_values"
    /// There are fewer values than the statistic needs.
    case tooFewValues = "too_few_values"
    /// There are fewer items, scales or occasions than the statistic needs.
    case tooFewItems = "too_few_items"
    /// All values are equal, so the statistic would divide by zero.
    case noVariation = "no_variation"
    /// A value is not finite, or an intermediate result is too large.
    case notFinite = "not_finite"
    /// An answer that the statistic needs is missing.
    case incomplete = "incomplete"
    /// Columns or pairs have different lengths.
    case lengthsDiffer = "lengths_differ"
    /// The lowest and the highest possible value are not known.
    case noRange = "no_range"
    /// The items have different possible values, so their answers cannot be compared with each other.
    case rangesDiffer = "ranges_differ"
    /// The reliability is negative or above 1, so there is no measurement error to compute.
    case noReliability = "no_reliability"
    /// The score is neither a sum nor a mean of the items, nor a linear function of one. Alpha, omega and the standard
    /// error of measurement are properties of such a sum.
    case notSum = "not_a_sum"
    /// An iteration did not converge.
    case noConvergence = "no_convergence"

    /// The reason as text for readers.
    package var sentence: String {
        switch self {
        case .noValues: "there are no values"
        case .tooFewValues: "there are too few values"
        case .tooFewItems: "there are too few items"
        case .noVariation: "all values are the same"
        case .notFinite: "a value is too large or not a number"
        case .incomplete: "an answer is missing"
        case .lengthsDiffer: "the columns differ in length"
        case .noRange: "the possible range is not known"
        case .rangesDiffer: "the items have different ranges"
        case .noReliability: "the reliability is not between 0 and 1"
        case .notSum: "the score is not a sum or mean of the items"
        case .noConvergence: "the computation did not converge"
        }
    }
}
