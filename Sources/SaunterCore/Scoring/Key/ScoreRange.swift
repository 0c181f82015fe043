/// A range of real numbers whose ends are closed, open or not there.
package struct ScoreRange: Sendable, Hashable {
    /// The closed lower end: `from` ≤ value.
    package var from: Double?
    /// The open lower end: `above` < value.
    package var above: Double?
    /// The open upper end: value < `below`.
    package var below: Double?
    /// The closed upper end: value ≤ `upTo`.
    package var upTo: Double?

    /// - Parameters: at most one of `from` and `above`, and of `below` and `upTo`; none for an end that is not
    ///   there.
    package init(from: Double? = nil, above: Double? = nil, below: Double? = nil, upTo: Double? = nil) {
        self.from = from
        self.above = above
        self.below = below
        self.upTo = upTo
    }

    /// One value alone.
    package init(exactly value: Double) {
        self.init(from: value, upTo: value)
    }

    /// Whether no end is there.
    package var isEverything: Bool { from == nil && above == nil && below == nil && upTo == nil }
}

/// A range ready to be compared exactly.
struct ExactRange: Sendable {
    struct End: Sendable {
        let value: Quantity
        let isClosed: Bool
    }

    let lower: End?
    let upper: End?

    init(_ range: ScoreRange) {
        lower =
            range.from.map { End(value: Quantity($0), isClosed: true) }
            ?? range.above.map { End(value: Quantity($0), isClosed: false) }
        upper =
            range.below.map { End(value: Quantity($0), isClosed: false) }
            ?? range.upTo.map { End(value: Quantity($0), isClosed: true) }
    }

    func contains(_ value: Quantity) -> Bool {
        if let lower, value < lower.value || !lower.isClosed && !(lower.value < value) { return false }
        if let upper, upper.value < value || !upper.isClosed && !(value < upper.value) { return false }
        return true
    }

    /// Whether no number lies in it.
    var isEmpty: Bool {
        guard let lower, let upper else { return false }
        return upper.value < lower.value
            || !(lower.value < upper.value) && !(lower.isClosed && upper.isClosed)
    }

    /// Whether all of it lies before the other.
    func isBefore(_ other: ExactRange) -> Bool {
        guard let upper, let lower = other.lower else { return false }
        return upper.value < lower.value
            || !(lower.value < upper.value) && !(upper.isClosed && lower.isClosed)
    }

    func overlaps(_ other: ExactRange) -> Bool {
        !isEmpty && !other.isEmpty && !isBefore(other) && !other.isBefore(self)
    }
}
