/// How participants come to their arm.
package struct Allocation: Sendable, Hashable {
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// Every participant by a draw of their own; see `SimpleAllocator`.
        case simple
        /// One list for all; see `BlockAllocator`.
        case permutedBlocks = "permuted_blocks"
        /// A list for each combination of the factors' levels.
        case stratifiedBlocks = "stratified_blocks"
        /// To the arm that evens the factors out; see `Minimiser`.
        case minimisation
    }

    package var method: Method
    /// Of blocks: each a multiple of the sum of ratios. Empty for the other methods.
    package var blockSizes: [Int]
    /// Participants are not told their arm.
    package var concealed: Bool
    /// What participants tell at enrolment and the method looks at, in this order.
    package var factors: [Factor]
    /// Of minimisation: how likely a participant comes to an arm that evens out best.
    package var probability: Double?

    package init(
        method: Method = .permutedBlocks, blockSizes: [Int] = [], concealed: Bool, factors: [Factor] = [],
        probability: Double? = nil
    ) {
        self.method = method
        self.blockSizes = blockSizes
        self.concealed = concealed
        self.factors = factors
        self.probability = probability
    }
}

extension Allocation {
    /// Something by which arms shall be alike, such as a place or an age group.
    package struct Factor: Sendable, Hashable {
        package var code: String
        package var levels: [String]
        /// Of minimisation: how much an imbalance of this factor counts, beside the others'.
        package var weight: Int

        package init(code: String, levels: [String], weight: Int = 1) {
            self.code = code
            self.levels = levels
            self.weight = weight
        }
    }

    /// Whether arms come from blocks.
    package var usesBlocks: Bool { method == .permutedBlocks || method == .stratifiedBlocks }

    /// Whether the method looks at factors.
    package var usesFactors: Bool { method == .stratifiedBlocks || method == .minimisation }
}

/// What a participant is asked about one factor, in one language.
package struct FactorText: Sendable, Hashable {
    package var title: String
    /// Level -> words.
    package var levels: [String: String]

    package init(title: String, levels: [String: String]) {
        self.title = title
        self.levels = levels
    }
}
