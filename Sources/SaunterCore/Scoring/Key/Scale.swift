/// One construct that a questionnaire measures: its items, how they are combined, and what the result means.
package struct Scale: Sendable, Hashable {
    /// `[a-z][a-z0-9_]*`, at most 24 characters, unique in the key.
    package var id: String
    /// The linkIds of items, or the ids of earlier scales of the key.
    package var items: [String]
    /// The reversed items among `items`: their value is `declared minimum + declared maximum − value`.
    package var reverse: [String]
    /// How the items become one value.
    package var method: ScoringMethod
    /// How many items may be missing, and what replaces them.
    package var missing: MissingRule
    /// The result of the method becomes `value × factor + offset`. The next steps are: transform, rounding, check
    /// against `minimum` and `maximum`, band.
    package var factor: Double
    /// Added after the multiplication by `factor`.
    package var offset: Double
    /// Applied after the transforms; nil leaves the value unrounded.
    package var rounding: Rounding?
    /// The named ranges of the score; empty if there are none.
    package var bands: [Band]
    /// The inclusive lower limit; nil for none. The codebook shows both limits, and a score outside of them is null. A
    /// scale that a later scale reverses needs both.
    package var minimum: Double?
    /// The inclusive upper limit; nil for none.
    package var maximum: Double?
    /// Whether the response to an answer sheet shows this score to the participant.
    package var shownToParticipant: Bool
    /// Whether the scale is an intermediate result for later scales. `evaluator score` and `evaluator report` omit it;
    /// datasets contain it.
    package var isHelper = false
    /// linkId -> answer as text -> number that replaces the answer's own weight or number. An answer that is not in the
    /// table is missing.
    package var recode: [String: [String: Double]] = [:]
    /// Item -> factor for its value, applied after reversal. The default is 1.
    package var weights: [String: Double] = [:]
    /// The values that the method `count` counts; nil for all values except 0.
    package var counted: ScoreRange?
    /// Rules for some kinds of blanks. All other blanks are missing.
    package var blanks: [MissingReason: BlankRule] = [:]
    /// The unit of the methods `elapsed` and `clock`; nil means minutes.
    package var unit: TimeUnit?
    /// Steps that change the value, in their order.
    package var transform: [ScoreTransform] = []
    /// Evaluated in order. The first exclusion that applies makes the score null.
    package var exclude: [ScoreExclusion] = []
    /// Whether higher scores are better or worse. Nil if the key does not state it, or if `change` states it.
    package var direction: ChangeRule.Direction?
    /// How a change between two occasions is interpreted.
    package var change: ChangeRule?
    /// The time windows over which datasets summarise the scores.
    package var windows: [WindowRule] = []

    /// Whether higher scores are better. A scale without a direction counts as one whose lower scores are better.
    package var isHigherBetter: Bool { (change?.direction ?? direction) == .higherIsBetter }

    /// - Parameters: see the properties.
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
