/// How participants are assigned to arms.
package struct Allocation: Sendable, Hashable {
    /// The method of assigning arms.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// An independent draw for every participant; see `SimpleAllocator`.
        case simple
        /// One list of permuted blocks for all participants; see `BlockAllocator`.
        case permutedBlocks = "permuted_blocks"
        /// One list of permuted blocks for each combination of factor levels.
        case stratifiedBlocks = "stratified_blocks"
        /// The arm that balances the factors best; see `Minimiser`.
        case minimisation
    }

    /// How participants are allocated to arms.
    package var method: Method
    /// Sizes of the blocks. Each is a multiple of the sum of ratios. Empty for methods without blocks.
    package var blockSizes: [Int]
    /// Whether the arm is hidden from participants.
    package var isConcealed: Bool
    /// Whether the arm is hidden from members of the study team who have no permission to see arms. They see letters.
    package var isBlinded: Bool
    /// The factors that the method uses, in this order. The participant states the levels at enrolment.
    package var factors: [Factor]
    /// Minimisation only: probability of an arm with the best balance.
    package var probability: Double?

    /// Creates an allocation. By default it has blocks, no factors, and is not blinded.
    package init(
        method: Method = .permutedBlocks, blockSizes: [Int] = [], isConcealed: Bool, isBlinded: Bool = false,
        factors: [Factor] = [], probability: Double? = nil
    ) {
        self.method = method
        self.blockSizes = blockSizes
        self.isConcealed = isConcealed
        self.isBlinded = isBlinded
        self.factors = factors
        self.probability = probability
    }
}

extension Allocation {
    /// A property that is balanced between the arms, such as a site or an age group.
    package struct Factor: Sendable, Hashable {
        /// The code of the factor, unique in the study.
        package var code: String
        /// The codes of the levels, at least two.
        package var levels: [String]
        /// Minimisation only: weight of the imbalance of this factor.
        package var weight: Int

        /// Creates a factor; by default its imbalance has the weight 1.
        package init(code: String, levels: [String], weight: Int = 1) {
            self.code = code
            self.levels = levels
            self.weight = weight
        }
    }

    /// Whether the method uses blocks.
    package var usesBlocks: Bool { method == .permutedBlocks || method == .stratifiedBlocks }

    /// Whether the method uses factors.
    package var usesFactors: Bool { method == .stratifiedBlocks || method == .minimisation }
}
