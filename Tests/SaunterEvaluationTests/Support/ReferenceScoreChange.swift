@testable import SaunterCore

/// A score of one participant at one instant.
struct TimedScore {
    let value: Double?
    let at: Instant
}

/// Computes the change between two scores in Swift, to check the change that the SQL of the dataset computes.
struct ReferenceScoreChange {
    /// The present score minus the baseline.
    private(set) var difference: Double?
    /// The reliable change index of Jacobson and Truax: the difference divided by SD × √(2 (1 − reliability)).
    private(set) var index: Double?
    private(set) var verdict: ChangeRule.Verdict?
    /// Whether the difference is at least the important difference; nil if the rule has none.
    private(set) var isImportant: Bool?
    /// Nil if and only if there is a difference.
    private(set) var reason: ChangeRule.Reason?

    /// - Parameter scores: all scores of the participant in this scale, in any order. Null scores and scores that are
    ///   not before `present` are ignored.
    init(_ present: TimedScore, since scores: [TimedScore], by rule: ChangeRule) {
        guard let value = present.value else {
            reason = .noScore
            return
        }
        let known = scores.filter { $0.value != nil && $0.at < present.at }
        let baseline =
            switch rule.baseline {
            case .first: known.min { $0.at < $1.at }
            case .previous: known.max { $0.at < $1.at }
            }
        guard let before = baseline?.value else {
            reason = .noBaseline
            return
        }
        let difference = (Quantity(value) - Quantity(before)).double
        let error = rule.standardDeviation * (2 * (1 - rule.reliability)).squareRoot()
        let index = difference / error
        guard difference.isFinite, error > 0, index.isFinite else {
            reason = .undefined
            return
        }
        let isBetter = (difference > 0) == (rule.direction == .higherIsBetter)
        self.difference = difference
        self.index = index
        verdict = abs(index) > 1.96 ? (isBetter ? .improved : .worsened) : .unchanged
        isImportant = rule.important.map { abs(difference) >= $0 }
    }
}
