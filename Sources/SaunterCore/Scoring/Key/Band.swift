/// A named range of a score, perhaps for some people only.
package struct Band: Sendable, Hashable {
    package var id: String
    package var range: ScoreRange
    /// All must hold; none for a band of everybody's.
    package var conditions: [ScoreCondition]

    /// - Parameters: the ends as in `ScoreRange`.
    package init(
        id: String, from: Double? = nil, above: Double? = nil, below: Double? = nil, upTo: Double? = nil,
        when conditions: [ScoreCondition] = []
    ) {
        self.id = id
        range = ScoreRange(from: from, above: above, below: below, upTo: upTo)
        self.conditions = conditions
    }

    /// The closed lower end.
    package var from: Double? {
        get { range.from }
        set { range.from = newValue }
    }

    /// The open upper end.
    package var below: Double? {
        get { range.below }
        set { range.below = newValue }
    }

    /// Whether no person is in both by their conditions.
    func excludes(_ other: Band) -> Bool {
        conditions.contains { one in other.conditions.contains { one.excludes($0) } }
    }
}
