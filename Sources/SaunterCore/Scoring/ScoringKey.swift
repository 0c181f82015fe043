/// How the answers of one scale become a number. What one answer counts is told at `ItemWeights`.
package enum ScoringMethod: String, Sendable, Hashable, CaseIterable {
    case sum, mean, minimum = "min", maximum = "max"
    /// How many items count other than 0; a repeating item adds the number of its chosen options.
    case count
    /// The value of the only item.
    case value
}

/// What happens when answers are missing. Unless a pack says otherwise a score needs every item: never a
/// smaller sum.
///
/// An item that was not shown is missing here as any other: it is not answered and, where the rule allows,
/// prorated. Only the reason of a null score tells it apart. An earlier scale among the items is missing when
/// its score is null.
package enum MissingRule: Sendable, Hashable {
    case complete
    /// At least this many items answered (1 at the least); then a sum or count is prorated (mean of answered
    /// × number of items), the mean, least and greatest are of the answered.
    case prorate(minimumAnswered: Int)
}

/// Where a decimal goes that lies between two that can be written.
package enum RoundingMode: String, Sendable, Hashable, CaseIterable {
    /// To the nearest; a tie to the even digit.
    case halfEven = "half_even"
    /// To the nearest; a tie away from zero.
    case halfUp = "half_up"
    /// Toward zero.
    case down
    /// Away from zero.
    case up
}

/// To how many decimal places a score is rounded, and how.
package struct Rounding: Sendable, Hashable {
    /// Decimal places, 0…9.
    package var places: Int
    package var mode: RoundingMode

    package init(places: Int, mode: RoundingMode) {
        self.places = places
        self.mode = mode
    }
}

/// A named range of a score: `from` ≤ score < `below`, either end may be open.
package struct Band: Sendable, Hashable {
    package var id: String
    package var from: Double?
    package var below: Double?

    package init(id: String, from: Double? = nil, below: Double? = nil) {
        self.id = id
        self.from = from
        self.below = below
    }
}

/// One construct: which items, how they are combined, and what the result means.
package struct Scale: Sendable, Hashable {
    /// `[a-z][a-z0-9_]*`, at most 24 characters, unique in the key.
    package var id: String
    /// linkIds of items, or ids of scales that stand earlier in the key.
    package var items: [String]
    /// Those of `items` that count as `declared minimum + declared maximum − value`.
    package var reverse: [String]
    package var method: ScoringMethod
    package var missing: MissingRule
    /// After the method: `value × factor + offset`; then rounding, then `minimum` and `maximum`, then the
    /// bands.
    package var factor: Double
    package var offset: Double
    package var rounding: Rounding?
    package var bands: [Band]
    /// The inclusive range that scores can take, for the codebook and as a check; needed where a later scale
    /// reverses this one.
    package var minimum: Double?
    package var maximum: Double?
    /// Whether participants see this score in the reply to their sheet.
    package var shownToParticipant: Bool

    package init(
        id: String, items: [String], reverse: [String] = [], method: ScoringMethod,
        missing: MissingRule = .complete,
        factor: Double = 1, offset: Double = 0, rounding: Rounding? = nil, bands: [Band] = [],
        minimum: Double? = nil, maximum: Double? = nil, shownToParticipant: Bool = false
    ) {
        self.id = id
        self.items = items
        self.reverse = reverse
        self.method = method
        self.missing = missing
        self.factor = factor
        self.offset = offset
        self.rounding = rounding
        self.bands = bands
        self.minimum = minimum
        self.maximum = maximum
        self.shownToParticipant = shownToParticipant
    }
}

/// The versioned rule that turns an answer sheet into scores.
package struct ScoringKey: Sendable, Hashable {
    package var version: String
    package var scales: [Scale]

    package init(version: String, scales: [Scale]) {
        self.version = version
        self.scales = scales
    }
}

/// Why a score is null.
package enum ScoreReason: String, Sendable, Hashable, CaseIterable {
    case tooFewAnswered = "too_few_answered"
    /// Too few were answered, and every blank item was one that was not shown.
    case notShown = "not_shown"
    /// A value outside the declared range of the scale: the key or the data is wrong, so no number is shown.
    case outOfRange = "out_of_range"
}

/// One result: a value, or null with its reason, never 0 for "not known".
package struct Score: Sendable, Hashable {
    package var scale: String
    package var value: Double?
    package var reason: ScoreReason?
    package var band: String?
    package var itemCount: Int
    package var answeredCount: Int
    /// Items whose value was stood in for by prorating; in a mean, those that it leaves out, which comes to
    /// the same.
    package var imputedCount: Int

    package init(
        scale: String, value: Double?, reason: ScoreReason?, band: String?, itemCount: Int,
        answeredCount: Int,
        imputedCount: Int
    ) {
        self.scale = scale
        self.value = value
        self.reason = reason
        self.band = band
        self.itemCount = itemCount
        self.answeredCount = answeredCount
        self.imputedCount = imputedCount
    }
}
