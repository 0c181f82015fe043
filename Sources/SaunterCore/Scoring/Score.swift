/// The reason why a score is null. A scale that needs an earlier scale inherits its reason `outOfRange`, `notInTable`,
/// `undefined` or `noCovariate`.
package enum ScoreReason: String, Sendable, Hashable, CaseIterable {
    /// Fewer items are answered than the missing rule of the scale requires, and neither `notShown` nor `declined`
    /// applies.
    case tooFewAnswered = "too_few_answered"
    /// Too few items are answered, and no blank item was shown.
    case notShown = "not_shown"
    /// The value is outside the declared range of the scale. The key or the data is wrong, so there is no number.
    case outOfRange = "out_of_range"
    /// Too few items are answered, and each blank item was refused or not shown. At least one was refused.
    case declined
    /// An exclusion of the key applies, or the missing rule is `exclude` and an item is missing.
    case excluded
    /// No bin and no table row contains the value.
    case notInTable = "not_in_table"
    /// The number does not exist, for example because of a division by zero.
    case undefined
    /// A table needs a covariate whose value is not known.
    case noCovariate = "no_covariate"
}

/// The result of one scale: a value, or null with a reason. An unknown value is never 0.
package struct Score: Sendable, Hashable {
    /// The id of the scale.
    package var scale: String
    /// Nil if and only if there is a reason.
    package var value: Double?
    /// Why there is no value; nil if there is one.
    package var reason: ScoreReason?
    /// The id of the band that contains the value.
    package var band: String?
    /// The number of items that belong to the scale for this participant.
    package var itemCount: Int
    /// The number of these items that have a value.
    package var answeredCount: Int
    /// The number of items whose value was prorated or imputed. For a mean: the items that the mean leaves out,
    /// because leaving an item out of a mean is the same as prorating it.
    package var imputedCount: Int
    /// The id of the exclusion that applies; nil unless the reason is `excluded`.
    package var exclusion: String?
    /// The standard error in the table row that gave the value; nil if the row has none.
    package var standardError: Double?

    /// - Parameters: see the properties.
    package init(
        scale: String, value: Double?, reason: ScoreReason?, band: String?, itemCount: Int,
        answeredCount: Int, imputedCount: Int, exclusion: String? = nil, standardError: Double? = nil
    ) {
        self.scale = scale
        self.value = value
        self.reason = reason
        self.band = band
        self.itemCount = itemCount
        self.answeredCount = answeredCount
        self.imputedCount = imputedCount
        self.exclusion = exclusion
        self.standardError = standardError
    }
}
