/// One step between the result of the method and the score. The steps run in order, after `factor` and `offset` and
/// before `rounding`.
package enum ScoreTransform: Sendable, Hashable {
    case multiply(Double)
    case divide(Double)
    case add(Double)
    /// Percent of the maximum possible score: 100 × (value − least) / (greatest − least). The bounds are those of the
    /// values that the previous step can have.
    case pomp
    /// Moves a value outside of the range to the nearer end.
    case clamp(least: Double?, greatest: Double?)
    /// The remainder after division, 0 ≤ … < modulus. A modulus of 1440 turns minutes into a time of day.
    case wrap(Double)
    case round(Rounding)
    /// The value of the bin that contains it. Null if no bin contains it.
    case bins([ScoreBin])
    /// The value of the table row that contains it. Null if no row contains it: rows are never interpolated.
    case lookup(table: String)
    /// The position in the distribution of a norm table.
    case norm(table: String, form: NormForm)
}

/// The unit of a normed score.
package enum NormForm: String, Sendable, Hashable, CaseIterable {
    /// (value − mean) / SD.
    case z
    /// 50 + 10 z.
    case t
    /// 100 × the share of a normal distribution that is below the value.
    case percentile
}

/// One step of a step function: the values in `range` become `value`.
package struct ScoreBin: Sendable, Hashable {
    /// The values that the step concerns.
    package var range: ScoreRange
    /// Nil leaves the value unchanged.
    package var value: Double?

    /// - Parameter value: nil leaves the value unchanged.
    package init(_ range: ScoreRange, value: Double?) {
        self.range = range
        self.value = value
    }
}
