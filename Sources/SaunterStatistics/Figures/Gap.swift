/// Why a figure cannot be told. Nothing that data hold makes these functions stop the process: what cannot be
/// computed is absent, with one of these reasons.
package enum Gap: String, Error, Sendable, Hashable, CaseIterable {
    /// There is not one value.
    case noValues = "no_values"
    /// Fewer values than the figure needs.
    case tooFewValues = "too_few_values"
    /// Fewer items, scales or occasions than the figure needs.
    case tooFewItems = "too_few_items"
    /// All values are the same, so that nothing can be divided by their spread.
    case noVariation = "no_variation"
    /// A value is no finite number, or the computation leaves the range of numbers.
    case notFinite = "not_finite"
    /// An answer that the figure needs is missing.
    case incomplete = "incomplete"
    /// Columns or pairs of different length.
    case lengthsDiffer = "lengths_differ"
    /// The lowest and highest possible value are not known.
    case noRange = "no_range"
    /// The reliability is negative or above 1, so that it leaves no error to compute.
    case noReliability = "no_reliability"
    /// An iteration did not come to rest.
    case noConvergence = "no_convergence"

    /// The reason in words, for a reader.
    package var sentence: String {
        switch self {
        case .noValues: "there are no values"
        case .tooFewValues: "there are too few values"
        case .tooFewItems: "there are too few items"
        case .noVariation: "all values are the same"
        case .notFinite: "a value is too large or no number"
        case .incomplete: "an answer is missing"
        case .lengthsDiffer: "the columns differ in length"
        case .noRange: "the possible range is not known"
        case .noReliability: "the reliability is not between 0 and 1"
        case .noConvergence: "the computation did not converge"
        }
    }
}
