/// A named range of a score. It can apply to some participants only.
package struct Band: Sendable, Hashable {
    /// The code of the band. A result contains it.
    package var id: String
    /// The scores of the band.
    package var range: ScoreRange
    /// The band applies if all conditions are true. Empty: it applies to all participants.
    package var conditions: [ScoreCondition]

    /// - Parameters: `from` and `upTo` belong to the range, `above` and `below` do not.
    package init(
        id: String, from: Double? = nil, above: Double? = nil, below: Double? = nil, upTo: Double? = nil,
        when conditions: [ScoreCondition] = []
    ) {
        self.id = id
        range = ScoreRange(from: from, above: above, below: below, upTo: upTo)
        self.conditions = conditions
    }

    /// The inclusive lower end of the range.
    package var from: Double? {
        get { range.from }
        set { range.from = newValue }
    }

    /// The exclusive upper end of the range.
    package var below: Double? {
        get { range.below }
        set { range.below = newValue }
    }

    /// Whether no participant fulfils the conditions of both bands.
    func excludes(_ other: Band) -> Bool {
        conditions.contains { one in other.conditions.contains { one.excludes($0) } }
    }
}
