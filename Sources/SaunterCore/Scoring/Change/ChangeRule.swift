/// What a change of a score between two occasions means.
package struct ChangeRule: Sendable, Hashable {
    package enum Baseline: String, Sendable, Hashable, CaseIterable {
        /// The person's first score.
        case first
        /// The score before the present one.
        case previous
    }

    package enum Direction: String, Sendable, Hashable, CaseIterable {
        case higherIsBetter = "higher_is_better", lowerIsBetter = "lower_is_better"
    }

    /// Of the score in a reference sample, above 0.
    package var standardDeviation: Double
    /// Of the score, 0 ≤ … < 1: test-retest or internal consistency, as the source says.
    package var reliability: Double
    /// Where both come from, for people.
    package var source: String
    package var baseline: Baseline
    package var direction: Direction
    /// The least difference that matters to people, whatever its reliability.
    package var important: Double?

    package init(
        standardDeviation: Double, reliability: Double, source: String, baseline: Baseline = .first,
        direction: Direction, important: Double? = nil
    ) {
        self.standardDeviation = standardDeviation
        self.reliability = reliability
        self.source = source
        self.baseline = baseline
        self.direction = direction
        self.important = important
    }
}
