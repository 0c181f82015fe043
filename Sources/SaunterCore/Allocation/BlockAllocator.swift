/// One entry of an allocation list.
package struct AllocationSlot: Sendable, Hashable {
    /// From 0, in the order of enrolment in the stratum.
    package var position: Int
    /// From 0.
    package var block: Int
    /// The number of positions in the block.
    package var blockSize: Int
    /// The code of the arm at this position.
    package var arm: String
}

/// Permuted blocks: a list of arms, determined by its seed. Every block contains each arm according to its ratio. The
/// block sizes are random, so that the end of a block cannot be predicted by counting.
package struct BlockAllocator: Sendable {
    private let seed: [UInt8]
    private let label: [[UInt8]]
    private let arms: [Arm]
    private let blockSizes: [Int]
    /// The sum of the ratios.
    private let shares: Int

    /// Maximum length of a list. Positions beyond it have no arm.
    package static let maximumPositions = 1_000_000
    /// Maximum size of a block, in positions.
    package static let maximumBlockSize = 1000

    /// Nil if the parameters are invalid: no arms, a ratio out of range, no sizes, or a size that is not a multiple of
    /// the sum of ratios.
    /// - Parameters:
    ///   - seed: secret, because all future assignments can be computed from it.
    ///   - stratum: name of the list. Each stratum has a separate list; see `Study.allocationList(of:)`.
    package init?(seed: [UInt8], study: String, stratum: String = "", arms: [Arm], blockSizes: [Int]) {
        let ratios = arms.map(\.ratio)
        guard !arms.isEmpty, !blockSizes.isEmpty,
            ratios.allSatisfy({ (1...Self.maximumBlockSize).contains($0) })
        else { return nil }
        let shares = ratios.reduce(0, +)
        guard blockSizes.allSatisfy({ (1...Self.maximumBlockSize).contains($0) && $0 % shares == 0 }) else {
            return nil
        }
        self.seed = seed
        self.arms = arms
        self.blockSizes = blockSizes
        self.shares = shares
        label = [Array("saunter.allocation".utf8), Array(study.utf8), Array(stratum.utf8)]
    }

    /// The entries of a range of positions. Positions outside 0 ..< `maximumPositions` are left out. The time grows
    /// with the last position.
    package func slots(_ positions: Range<Int>) -> [AllocationSlot] {
        let wanted = positions.clamped(to: 0..<Self.maximumPositions)
        var slots: [AllocationSlot] = []
        var start = 0
        var block = 0
        while start < wanted.upperBound {
            var draw = SeededDraw(seed: seed, label: label + [bigEndian(Int64(block))])
            let size = blockSizes[draw.below(blockSizes.count)]
            if start + size > wanted.lowerBound {
                for (offset, arm) in permuted(size, &draw).enumerated() where wanted.contains(start + offset)
                {
                    slots.append(
                        AllocationSlot(position: start + offset, block: block, blockSize: size, arm: arm))
                }
            }
            start += size
            block += 1
        }
        return slots
    }

    /// The arm at a position, from 0. Nil if the position is negative or at least `maximumPositions`.
    package func arm(at position: Int) -> String? {
        guard (0..<Self.maximumPositions).contains(position) else { return nil }
        return slots(position..<position + 1).first?.arm
    }

    /// A block in random order (Fisher-Yates shuffle).
    private func permuted(_ size: Int, _ draw: inout SeededDraw) -> [String] {
        var block = arms.flatMap { Array(repeating: $0.code, count: $0.ratio * (size / shares)) }
        for last in stride(from: block.count - 1, to: 0, by: -1) {
            block.swapAt(last, draw.below(last + 1))
        }
        return block
    }
}
