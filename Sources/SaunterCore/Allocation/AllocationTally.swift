/// Number of participants in each arm for each level of each factor. A participant counts in the current arm, also
/// after a manual change of the arm or a withdrawal (intention to treat). Erased participants do not count.
package struct AllocationTally: Sendable, Hashable {
    private struct Cell: Hashable {
        var entry: FactorLevels.Entry
        var arm: String
    }

    private var counts: [Cell: Int] = [:]

    /// Creates a tally without participants.
    package init() {}

    /// Number of participants of an arm at a level of a factor.
    package subscript(entry: FactorLevels.Entry, arm: String) -> Int {
        get { counts[Cell(entry: entry, arm: arm), default: 0] }
        set { counts[Cell(entry: entry, arm: arm)] = newValue }
    }

    /// Adds one participant.
    package mutating func add(_ levels: FactorLevels, to arm: String) {
        for entry in levels.entries { self[entry, arm] += 1 }
    }
}
