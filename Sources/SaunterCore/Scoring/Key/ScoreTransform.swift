/// One step from the method's result to the score. Steps run in their order, after `factor` and `offset` and
/// before `rounding`.
package enum ScoreTransform: Sendable, Hashable {
    case multiply(Double)
    case divide(Double)
    case add(Double)
    /// Percent of the maximum possible: 100 × (value − least) / (greatest − least), by what the step before can
    /// reach.
    case pomp
    /// Brought to the nearer end when outside.
    case clamp(least: Double?, greatest: Double?)
    /// The remainder after whole multiples, 0 ≤ … < modulus: 1440 brings minutes back onto the clock's face.
    case wrap(Double)
    case round(Rounding)
    /// The value of the bin that it lies in; null when in none.
    case bins([ScoreBin])
    /// The value that a table of the key has for it; null when it has none, never a guess between rows.
    case lookup(table: String)
    /// Where it lies among the people of a norm table.
    case norm(table: String, form: NormForm)
}

/// How a place among others is told.
package enum NormForm: String, Sendable, Hashable, CaseIterable {
    /// (value − mean) / SD.
    case z
    /// 50 + 10 z.
    case t
    /// 100 × the share of a normal distribution that lies below.
    case percentile
}

/// A piece of a step function.
package struct ScoreBin: Sendable, Hashable {
    package var range: ScoreRange
    /// Nil keeps the value as it is.
    package var value: Double?

    package init(_ range: ScoreRange, value: Double?) {
        self.range = range
        self.value = value
    }
}
