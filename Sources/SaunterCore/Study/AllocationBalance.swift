/// How many participants of one stratum an arm has.
package struct AllocationCount: Sendable, Hashable {
    package var arm: String
    package var stratum: String
    package var levels: FactorLevels
    package var participants: Int

    package init(arm: String, stratum: String, levels: FactorLevels, participants: Int) {
        self.arm = arm
        self.stratum = stratum
        self.levels = levels
        self.participants = participants
    }
}

/// How even the arms of a study are: in all, by level of each factor, and by stratum. Nothing in it tells which arm
/// comes next: no seed, no place in a list, no block.
package struct AllocationBalance: Sendable {
    /// The participants of some group, arm by arm.
    package struct Row: Sendable, Hashable {
        /// In the order of `AllocationBalance.arms`.
        package var counts: [Int]
        /// The largest distance of an arm from its share of the row, in participants.
        package var imbalance: Double

        package var total: Int { counts.reduce(0, +) }
    }

    /// Participants to whom somebody gave another arm than the allocation did. They count in the arm that they have now.
    package struct Move: Sendable, Hashable {
        package var from: String
        package var to: String
        package var participants: Int

        package init(from: String, to: String, participants: Int) {
            self.from = from
            self.to = to
            self.participants = participants
        }
    }

    /// Arm codes: those of the study in its order, then such as earlier versions had.
    package let arms: [String]
    /// Relative shares; 0 for arms that the study does not have any more.
    package let ratios: [Int]
    package let all: Row
    /// Every level of every factor, those without participants included.
    package let levels: [(entry: FactorLevels.Entry, row: Row)]
    /// Of stratified blocks: every stratum that has participants, by name.
    package let strata: [(name: String, row: Row)]
    /// What of this is not the allocation's doing.
    package let moves: [Move]

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
    /// - Parameter ratios: as many as counts.
    init(counts: [Int], ratios: [Int]) {
        let total = Double(counts.reduce(0, +))
        let shares = Double(max(ratios.reduce(0, +), 1))
        self.counts = counts
        imbalance =
            zip(counts, ratios).map { count, ratio in abs(Double(count) - total * Double(ratio) / shares) }
            .max() ?? 0
    }
}
