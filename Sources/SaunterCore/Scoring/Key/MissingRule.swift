/// How a scale treats missing items. The default is that a score needs every item. A sum never becomes smaller
/// because items are missing, unless the key demands it.
///
/// An item that was not shown or that was refused is missing like any other item, unless `Scale.blanks` has a rule
/// for it. The reason of the null score distinguishes these cases. An earlier scale among the items is missing if its
/// score is null.
package enum MissingRule: Sendable, Hashable {
    case complete
    /// At least `minimumAnswered` items (1 or more) must be answered. Then a sum or count is prorated: the mean of the
    /// answered items × the number of items. A mean, minimum or maximum uses the answered items.
    case prorate(minimumAnswered: Int)
    /// Enough items must be answered; then the remedy applies. Covers all combinations that `prorate` does not.
    case partial(needed: NeededAnswers, remedy: MissingRemedy)
    /// A missing item excludes the participant from this scale: the score is null with the reason `excluded`.
    case exclude
}

/// How many items must be answered.
package enum NeededAnswers: Sendable, Hashable {
    case count(Int)
    /// A share of the items that belong to the scale for this participant: above 0, up to 1.
    case share(Double)
}

/// How missing items are replaced if enough items are answered.
package enum MissingRemedy: Sendable, Hashable {
    /// See `MissingRule.prorate`.
    case prorate
    /// Missing items are not replaced, so a sum or count becomes smaller. Only for published keys that demand it.
    case answered
    case impute(Imputation)
}

/// The value that replaces a missing item. It is inserted after recoding and reversal.
package enum Imputation: Sendable, Hashable {
    case constant(Double)
    /// The mean of the participant's answers in this scale.
    case personMean
    /// The median of the participant's answers in this scale.
    case personMedian
    /// The midpoint of the item's declared range.
    case midpoint
}

/// How a scale treats one kind of blank, instead of counting it as a missing item.
package enum BlankRule: Sendable, Hashable {
    /// The item has this value. It is neither recoded nor reversed.
    case counts(Double)
    /// The item does not belong to the scale for this participant: the number of items decreases by one.
    case leftOut
}

extension MissingReason {
    /// The kinds of blanks for which `Scale.blanks` can have a rule.
    static let scored: [MissingReason] = [
        .notShown, .notReached, .skipped, .refused, .dontKnow, .notApplicable,
    ]

    /// Whether the participant saw the question and refused to answer it.
    var isDeclined: Bool { self == .refused }
}
