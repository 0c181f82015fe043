/// What happens when answers are missing. Unless a pack says otherwise a score needs every item: never a
/// smaller sum.
///
/// An item that was not shown or that was declined is missing here as any other, unless the scale's `blanks`
/// say what it counts; the reason of a null score tells them apart. An earlier scale among the items is
/// missing when its score is null.
package enum MissingRule: Sendable, Hashable {
    case complete
    /// At least this many items answered (1 at the least); then a sum or count is prorated (mean of answered
    /// × number of items), the mean, least and greatest are of the answered.
    case prorate(minimumAnswered: Int)
    /// At least so many answered, and something else than prorating, or a share of the items.
    case partial(needed: NeededAnswers, remedy: MissingRemedy)
    /// A missing item excludes the case: null, and the reason is `excluded`.
    case exclude
}

/// How many items must be answered.
package enum NeededAnswers: Sendable, Hashable {
    case count(Int)
    /// A share of the items that apply, above 0 and up to 1.
    case share(Double)
}

/// What stands for the items that are missing, once enough are answered.
package enum MissingRemedy: Sendable, Hashable {
    /// As `MissingRule.prorate`.
    case prorate
    /// Nothing: a sum or count becomes smaller. Only where the published key wants it so.
    case answered
    case impute(Imputation)
}

/// The named ways to fill in a missing item, after recoding and reversing.
package enum Imputation: Sendable, Hashable {
    case constant(Double)
    /// The mean of what this person answered in this scale.
    case personMean
    /// The median of what this person answered in this scale.
    case personMedian
    /// The middle of the item's declared range.
    case midpoint
}

/// What a blank of one kind counts, where it is not simply missing.
package enum BlankRule: Sendable, Hashable {
    /// The item counts this, as if it had been answered so.
    case counts(Double)
    /// The item does not belong to the scale for this person: the number of items falls by one.
    case leftOut
}

extension MissingReason {
    /// The kinds of blanks that a key can tell apart.
    static let scored: [MissingReason] = [
        .notShown, .notReached, .skipped, .refused, .dontKnow, .notApplicable,
    ]

    /// Somebody saw the question and said that there will be no answer.
    var isDeclined: Bool { self == .refused }
}
