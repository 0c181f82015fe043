/// Number of participants of one stratum in one arm.
package struct AllocationCount: Sendable, Hashable {
    /// The code of the current arm.
    package var arm: String
    /// The name of the allocation list.
    package var stratum: String
    /// The levels of these participants.
    package var levels: FactorLevels
    /// The number of participants.
    package var participants: Int

    /// Creates a row of counts.
    package init(arm: String, stratum: String, levels: FactorLevels, participants: Int) {
        self.arm = arm
        self.stratum = stratum
        self.levels = levels
        self.participants = participants
    }
}

/// The balance of a study's arms: in total, by level of each factor, and by stratum. It does not reveal the next arm:
/// it contains no seed, no list position and no block.
package struct AllocationBalance: Sendable {
    /// Number of participants per arm in one group.
    package struct Row: Sendable, Hashable {
        /// In the order of `AllocationBalance.arms`.
        package var counts: [Int]
        /// The largest difference between an arm's count and its share of the row, in participants.
        package var imbalance: Double

        /// Number of participants in the group.
        package var total: Int { counts.reduce(0, +) }
    }

    /// Participants whose arm was changed after the allocation. They count in their current arm.
    package struct Move: Sendable, Hashable {
        /// The code of the assigned arm.
        package var from: String
        /// The code of the later arm.
        package var to: String
        /// The number of participants with this change.
        package var participants: Int

        /// Creates a row of changes.
        package init(from: String, to: String, participants: Int) {
            self.from = from
            self.to = to
            self.participants = participants
        }
    }

    /// Arm codes: the study's arms in their order, then arms of earlier versions.
    package let arms: [String]
    /// Relative shares. 0 for arms that the study does not have any more.
    package let ratios: [Int]
    /// All participants.
    package let all: Row
    /// Every level of every factor, including levels without participants.
    package let levels: [(entry: FactorLevels.Entry, row: Row)]
    /// Stratified blocks only: every stratum that has participants, sorted by name.
    package let strata: [(name: String, row: Row)]
    /// Changes of the arm after the allocation.
    package let moves: [Move]

    /// Computes the balance. Arms that the study no longer has follow its present arms.
    package init(_ study: Study, _ counts: [AllocationCount], moves: [Move] = []) {
        let former = Set(counts.map(\.arm)).subtracting(study.arms.map(\.code)).sorted()
        let arms = study.arms.map(\.code) + former
        let ratios = study.arms.map(\.ratio) + former.map { _ in 0 }
        func row(_ counts: some Sequence<AllocationCount>) -> Row {
            let byArm = Dictionary(counts.map { ($0.arm, $0.participants) }, uniquingKeysWith: +)
            return Row(counts: arms.map { byArm[$0, default: 0] }, ratios: ratios)
        }
        self.arms = arms
        self.moves = moves
        self.ratios = ratios
        all = row(counts)
        levels = study.allocation.factors.flatMap { factor in
            factor.levels.map { level in
                let entry = FactorLevels.Entry(factor: factor.code, level: level)
                return (entry: entry, row: row(counts.filter { $0.levels.entries.contains(entry) }))
            }
        }
        strata =
            study.allocation.method == .stratifiedBlocks
            ? Dictionary(grouping: counts, by: \.stratum).sorted { $0.key < $1.key }
                .map { (name: $0.key, row: row($0.value)) } : []
    }
}

extension AllocationBalance.Row {
    /// - Parameter ratios: one ratio per count.
    init(counts: [Int], ratios: [Int]) {
        let total = Double(counts.reduce(0, +))
        let shares = Double(max(ratios.reduce(0, +), 1))
        self.counts = counts
        imbalance =
            zip(counts, ratios).map { count, ratio in abs(Double(count) - total * Double(ratio) / shares) }
            .max() ?? 0
    }
}
