/// How a change of a score between two occasions is interpreted. The SQL in `sql/dataset` computes the reliable change
/// index of Jacobson and Truax (1991): (score − baseline) / (SD × √(2 (1 − reliability))).
package struct ChangeRule: Sendable, Hashable {
    /// The score that a score is compared with.
    package enum Baseline: String, Sendable, Hashable, CaseIterable {
        /// The participant's first known score.
        case first
        /// The last known score before this score.
        case previous
    }

    /// The direction of an improvement.
    package enum Direction: String, Sendable, Hashable, CaseIterable {
        case higherIsBetter = "higher_is_better", lowerIsBetter = "lower_is_better"
    }

    /// The result of the comparison with the baseline.
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// `improved` and `worsened` mean that the index is above 1.96 or below −1.96. By measurement error alone, this
        /// happens in 1 of 20 cases.
        case improved, unchanged, worsened
    }

    /// The reason why there is no comparison with the baseline.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case noBaseline = "no_baseline"
        /// The present score is null.
        case noScore = "no_score"
        /// The baseline was computed with another scoring key.
        case otherDefinition = "other_definition"
        /// The index cannot be computed from the rule's numbers, or the numbers are too large.
        case undefined
    }

    /// The standard deviation of the score in a reference sample, above 0.
    package var standardDeviation: Double
    /// The reliability of the score, 0 ≤ … < 1: test-retest reliability or internal consistency; `source` says which.
    package var reliability: Double
    /// The source of both numbers, as text for readers.
    package var source: String
    /// The earlier score with which a score is compared.
    package var baseline: Baseline
    /// Whether a higher score is better or worse.
    package var direction: Direction
    /// The smallest difference that is clinically important, independent of the reliability.
    package var important: Double?

    /// - Parameters: see the properties.
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
