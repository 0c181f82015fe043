/// A score of one person at one time.
package struct TimedScore: Sendable, Hashable {
    package var value: Double?
    package var at: Instant
    /// The rule that it comes from: scores of two rules are never compared.
    package var keyDigest: String

    package init(value: Double?, at: Instant, keyDigest: String) {
        self.value = value
        self.at = at
        self.keyDigest = keyDigest
    }
}

/// How a score differs from the person's baseline.
package struct ScoreChange: Sendable, Hashable {
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        case improved, unchanged, worsened
    }

    /// Why nothing can be said.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case noBaseline = "no_baseline"
        /// The present score is null.
        case noScore = "no_score"
        case otherDefinition = "other_definition"
        /// The rule's SD or reliability allows no index, or the numbers are too large.
        case undefined
    }

    /// The present score less the baseline.
    package let difference: Double?
    /// The reliable change index of Jacobson and Truax: the difference divided by SD × √(2 (1 − reliability)).
    package let index: Double?
    /// Improved or worsened beyond an index of 1.96 either way, which happens by error of measurement alone in
    /// one case of twenty.
    package let verdict: Verdict?
    /// Whether the difference is at least the least important one; nil where the rule names none.
    package let isImportant: Bool?
    /// Nil exactly when there is a difference.
    package let reason: Reason?

    private init(
        difference: Double? = nil, index: Double? = nil, verdict: Verdict? = nil, isImportant: Bool? = nil,
        reason: Reason? = nil
    ) {
        self.difference = difference
        self.index = index
        self.verdict = verdict
        self.isImportant = isImportant
        self.reason = reason
    }

    /// - Parameter earlier: the person's other scores of this scale, in any order. Those that are null, and
    ///   those that are not before `present`, are passed over.
    package init(_ present: TimedScore, since earlier: [TimedScore], by rule: ChangeRule) {
        guard let value = present.value else {
            self.init(reason: .noScore)
            return
        }
        let known = earlier.filter { $0.value != nil && $0.at < present.at }
        let baseline =
            switch rule.baseline {
            case .first: known.min { $0.at < $1.at }
            case .previous: known.max { $0.at < $1.at }
            }
        guard let baseline, let before = baseline.value else {
            self.init(reason: .noBaseline)
            return
        }
        guard baseline.keyDigest == present.keyDigest else {
            self.init(reason: .otherDefinition)
            return
        }
        let difference = (Quantity(value) - Quantity(before)).double
        let error = rule.standardDeviation * (2 * (1 - rule.reliability)).squareRoot()
        let index = difference / error
        guard difference.isFinite, error > 0, index.isFinite else {
            self.init(reason: .undefined)
            return
        }
        let isBetter = (difference > 0) == (rule.direction == .higherIsBetter)
        self.init(
            difference: difference, index: index,
            verdict: abs(index) > 1.96 ? (isBetter ? .improved : .worsened) : .unchanged,
            isImportant: rule.important.map { abs(difference) >= $0 })
    }
}
