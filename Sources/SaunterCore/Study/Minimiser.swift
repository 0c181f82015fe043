/// How many participants each arm has at each level of each factor: everybody in the arm in which they are now, whatever method or
/// person gave it to them, those who withdrew included, as the analysis by intention to treat has them; those who were erased not.
package struct AllocationTally: Sendable, Hashable {
    private struct Place: Hashable {
        var entry: FactorLevels.Entry
        var arm: String
    }

    private var counts: [Place: Int] = [:]

    package init() {}

    package subscript(entry: FactorLevels.Entry, arm: String) -> Int {
        get { counts[Place(entry: entry, arm: arm), default: 0] }
        set { counts[Place(entry: entry, arm: arm)] = newValue }
    }

    /// Counts one participant more.
    package mutating func add(_ levels: FactorLevels, to arm: String) {
        for entry in levels.entries { self[entry, arm] += 1 }
    }
}

/// Minimisation after Pocock and Simon (Biometrics 31, 1975, 103-115): whoever comes next goes, most likely, to
/// the arm by which the arms stay most alike at this participant's levels.
///
/// With n(i,j) participants of arm j at the newcomer's level of factor i, ratio r(j), and L the least common
/// multiple of the ratios, the imbalance of giving arm k is
///
///     G(k) = Σ over i of weight(i) · (max over j − min over j) of (n(i,j) + [j = k]) · L / r(j)
///
/// the range as the measure of spread, counts being divided by the arms' shares. Arms of least G are preferred:
/// with the study's probability one of them is drawn, else one of the others, by their ratios; where all are
/// alike, one of all. All in whole numbers, so that ties are ties everywhere.
package struct Minimiser: Sendable {
    private let seed: [UInt8]
    private let study: String
    private let arms: [Arm]
    private let weights: [String: Int]
    /// Of a million.
    private let chance: Int
    private let multiple: Int

    package static let maximumWeight = 100
    package static let maximumFactors = 10
    /// The largest least common multiple of ratios: the sums stay far within 64 bits.
    package static let maximumMultiple = 1_000_000
    private static let million = 1_000_000

    /// How one participant came to their arm.
    package struct Decision: Sendable, Hashable {
        package var arm: String
        /// G of each arm, in the order of the study.
        package var imbalances: [Int]
        /// The arms of least G.
        package var preferred: [String]
    }

    /// Nil for a rule that cannot be followed.
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

    /// Nil where it is larger than `maximumMultiple`.
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

    /// Nil below position 0 and at `BlockAllocator.maximumPositions` and beyond.
    package func decide(
        _ levels: FactorLevels, position: Int, tally: AllocationTally
    ) -> Decision? {
        guard (0..<BlockAllocator.maximumPositions).contains(position) else { return nil }
        let imbalances = arms.indices.map { imbalance(giving: $0, levels, tally) }
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
        let follows = draw.below(Self.million) < chance
        guard let arm = draw.arm(of: follows || others.isEmpty ? preferred : others) else { return nil }
        return Decision(arm: arm, imbalances: imbalances, preferred: preferred.map(\.code))
    }

    private func imbalance(giving place: Int, _ levels: FactorLevels, _ tally: AllocationTally) -> Int {
        levels.entries.reduce(0) { sum, entry in
            let shares = arms.indices.map { index in
                let count = min(max(tally[entry, arms[index].code], 0), BlockAllocator.maximumPositions)
                return (count + (index == place ? 1 : 0)) * (multiple / arms[index].ratio)
            }
            return sum + weights[entry.factor, default: 1] * ((shares.max() ?? 0) - (shares.min() ?? 0))
        }
    }
}
