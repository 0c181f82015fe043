/// Minimisation after Pocock and Simon (Biometrics 31, 1975, 103-115). The next participant is assigned with a high
/// probability to the arm that keeps the arms most similar at this participant's levels.
///
/// Let n(i,j) be the number of participants of arm j at the new participant's level of factor i, r(j) the ratio of arm
/// j, and L the least common multiple of the ratios. The imbalance after an assignment to arm k is
///
///     G(k) = Σ over i of weight(i) · (max over j − min over j) of (n(i,j) + [j = k]) · L / r(j)
///
/// The measure of spread is the range, and the counts are divided by the ratios of the arms. Arms with the smallest G
/// are preferred. With the study's probability one of the preferred arms is drawn, otherwise one of the others, both
/// according to their ratios. If all arms have the same G, one of all arms is drawn. The computation uses integers, so
/// ties are exact.
package struct Minimiser: Sendable {
    private let seed: [UInt8]
    private let study: String
    private let arms: [Arm]
    private let weights: [String: Int]
    /// Probability × 1,000,000.
    private let chance: Int
    /// The least common multiple of the ratios.
    private let multiple: Int

    /// Maximum weight of a factor.
    package static let maximumWeight = 100
    /// Maximum number of factors.
    package static let maximumFactors = 10
    /// Maximum of the least common multiple of the ratios. It keeps all sums within 64 bits.
    package static let maximumMultiple = 1_000_000
    private static let million = 1_000_000

    /// The decision for one participant.
    package struct Decision: Sendable, Hashable {
        /// The code of the chosen arm.
        package var arm: String
        /// G of each arm, in the study's order.
        package var imbalances: [Int]
        /// The arms with the smallest G.
        package var preferred: [String]
    }

    /// Nil if the allocation is invalid.
    package init?(seed: [UInt8], study: String, arms: [Arm], allocation: Allocation) {
        guard !arms.isEmpty, arms.allSatisfy({ (1...100).contains($0.ratio) }),
            let multiple = Self.commonMultiple(of: arms.map(\.ratio)),
            let probability = allocation.probability, probability > 0, probability <= 1,
            (1...Self.maximumFactors).contains(allocation.factors.count),
            allocation.factors.allSatisfy({ (1...Self.maximumWeight).contains($0.weight) })
        else { return nil }
        self.seed = seed
        self.study = study
        self.arms = arms
        self.multiple = multiple
        chance = Int((probability * Double(Self.million)).rounded())
        weights = Dictionary(
            allocation.factors.map { ($0.code, $0.weight) }, uniquingKeysWith: { first, _ in first })
    }

    /// The least common multiple of the ratios. Nil if it is larger than `maximumMultiple`.
    static func commonMultiple(of ratios: [Int]) -> Int? {
        var multiple = 1
        for ratio in ratios where ratio > 0 {
            var (large, small) = (multiple, ratio)
            while small != 0 { (large, small) = (small, large % small) }
            multiple *= ratio / large
            guard multiple <= maximumMultiple else { return nil }
        }
        return multiple
    }

    /// Chooses the arm of one participant.
    /// - Parameters:
    ///   - position: index in the list of all participants, from 0.
    ///   - tally: previous participants.
    /// - Returns: nil if the position is negative or at least `BlockAllocator.maximumPositions`.
    package func decide(
        _ levels: FactorLevels, position: Int, tally: AllocationTally
    ) -> Decision? {
        guard (0..<BlockAllocator.maximumPositions).contains(position) else { return nil }
        let imbalances = arms.indices.map { imbalance(givingArmAt: $0, levels, tally) }
        let least = imbalances.min()
        let isPreferred = imbalances.map { $0 == least }
        let preferred = arms.indices.filter { isPreferred[$0] }.map { arms[$0] }
        let others = arms.indices.filter { !isPreferred[$0] }.map { arms[$0] }
        var draw = SeededDraw(
            seed: seed,
            label: [
                Array("saunter.allocation.minimisation".utf8), Array(study.utf8),
                bigEndian(Int64(position)),
            ])
        let drawsPreferred = draw.below(Self.million) < chance
        guard let arm = draw.arm(of: drawsPreferred || others.isEmpty ? preferred : others) else {
            return nil
        }
        return Decision(arm: arm, imbalances: imbalances, preferred: preferred.map(\.code))
    }

    private func imbalance(givingArmAt armIndex: Int, _ levels: FactorLevels, _ tally: AllocationTally) -> Int
    {
        levels.entries.reduce(0) { sum, entry in
            let shares = arms.indices.map { index in
                let count = min(max(tally[entry, arms[index].code], 0), BlockAllocator.maximumPositions)
                return (count + (index == armIndex ? 1 : 0)) * (multiple / arms[index].ratio)
            }
            return sum + weights[entry.factor, default: 1] * ((shares.max() ?? 0) - (shares.min() ?? 0))
        }
    }
}
