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
    /// After the method: `value × factor + offset`; then the transform, then rounding, then `minimum` and
    /// `maximum`, then the bands.
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
    /// item -> answer as it is written -> what it counts, in place of its weight or number. An answer that is
    /// not there counts as missing.
    package var recode: [String: [String: Double]] = [:]
    /// item -> by what its value is multiplied, after reversing; 1 where it is left out.
    package var weights: [String: Double] = [:]
    /// What `count` counts; nil for everything but 0.
    package var counted: ScoreRange?
    /// What blanks of some kinds count; all others are missing.
    package var blanks: [MissingReason: BlankRule] = [:]
    /// For `elapsed` and `clock`; minutes when nil.
    package var unit: TimeUnit?
    package var transform: [ScoreTransform] = []
    /// Looked at in order; the first that holds makes the score null.
    package var exclude: [Exclusion] = []
    /// What a change between two occasions means.
    package var change: ChangeRule?
    /// Over which spans scores are told together.
    package var windows: [WindowRule] = []

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
