/// Why a score is null.
package enum ScoreReason: String, Sendable, Hashable, CaseIterable {
    case tooFewAnswered = "too_few_answered"
    /// Too few were answered, and every blank item was one that was not shown.
    case notShown = "not_shown"
    /// A value outside the declared range of the scale: the key or the data is wrong, so no number is shown.
    case outOfRange = "out_of_range"
    /// Too few were answered, and every blank item was refused, or refused and not shown.
    case declined
    /// An exclusion of the key holds, or a missing item excludes the case.
    case excluded
    /// The value lies in no bin, or in no row of a table.
    case notInTable = "not_in_table"
    /// There is no such number: divided by zero.
    case undefined
    /// The table needs a covariate that is not known.
    case noCovariate = "no_covariate"
}

/// One result: a value, or null with its reason, never 0 for "not known".
package struct Score: Sendable, Hashable {
    package var scale: String
    package var value: Double?
    package var reason: ScoreReason?
    package var band: String?
    /// Items that belong to the scale for this person.
    package var itemCount: Int
    package var answeredCount: Int
    /// Items whose value was stood in for by prorating or imputing; in a mean, those that it leaves out, which
    /// comes to the same.
    package var imputedCount: Int
    /// Which exclusion holds, where the reason is `excluded` by one.
    package var exclusion: String?
    /// Of the row that a lookup table gave the value from, where the table has one.
    package var standardError: Double?

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

/// The scores of one sheet and which rule they came from.
package struct ScoredSheet: Sendable, Hashable {
    package let scores: [Score]
    package let keyVersion: String
    package let keyDigest: String
    package let engineVersion: String
}
