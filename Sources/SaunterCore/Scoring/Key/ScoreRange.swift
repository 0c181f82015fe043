/// A range of real numbers. Each end is inclusive, exclusive or absent.
package struct ScoreRange: Sendable, Hashable {
    /// The inclusive lower end: `from` ≤ value.
    package var from: Double?
    /// The exclusive lower end: `above` < value.
    package var above: Double?
    /// The exclusive upper end: value < `below`.
    package var below: Double?
    /// The inclusive upper end: value ≤ `upTo`.
    package var upTo: Double?

    /// - Parameters: at most one of `from` and `above`, and at most one of `below` and `upTo`.
    package init(from: Double? = nil, above: Double? = nil, below: Double? = nil, upTo: Double? = nil) {
        self.from = from
        self.above = above
        self.below = below
        self.upTo = upTo
    }

    /// The range that contains only this value.
    package init(exactly value: Double) {
        self.init(from: value, upTo: value)
    }

    /// Whether both ends are absent.
    package var isUnbounded: Bool { from == nil && above == nil && below == nil && upTo == nil }
}

/// A `ScoreRange` whose ends are fractions. A comparison with them has no rounding error.
struct ExactRange: Sendable {
    /// One end of the range.
    struct End: Sendable {
        let value: Quantity
        let isInclusive: Bool
    }

    let lower: End?
    let upper: End?

    init(_ range: ScoreRange) {
        lower =
            range.from.map { End(value: Quantity($0), isInclusive: true) }
            ?? range.above.map { End(value: Quantity($0), isInclusive: false) }
        upper =
            range.below.map { End(value: Quantity($0), isInclusive: false) }
            ?? range.upTo.map { End(value: Quantity($0), isInclusive: true) }
    }

    func contains(_ value: Quantity) -> Bool {
        if let lower, value < lower.value || !lower.isInclusive && !(lower.value < value) { return false }
        if let upper, upper.value < value || !upper.isInclusive && !(value < upper.value) { return false }
        return true
    }

    /// Whether it contains no number.
    var isEmpty: Bool {
        guard let lower, let upper else { return false }
        return upper.value < lower.value
            || !(lower.value < upper.value) && !(lower.isInclusive && upper.isInclusive)
    }

    /// Whether each of its numbers is less than each number of the other range.
    func isBefore(_ other: ExactRange) -> Bool {
        guard let upper, let lower = other.lower else { return false }
        return upper.value < lower.value
            || !(lower.value < upper.value) && !(upper.isInclusive && lower.isInclusive)
    }

    func overlaps(_ other: ExactRange) -> Bool {
        !isEmpty && !other.isEmpty && !isBefore(other) && !other.isBefore(self)
    }
}
