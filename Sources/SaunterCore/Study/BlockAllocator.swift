/// One place on the list by which participants come to their arm.
package struct AllocationSlot: Sendable, Hashable {
    /// From 0, in the order of enrolment in the stratum.
    package var position: Int
    /// From 0.
    package var block: Int
    package var blockSize: Int
    package var arm: String
}

/// Permuted blocks: a list of arms, fixed by its seed, in which every block holds each arm by its ratio. The
/// sizes of the blocks are drawn at random, so that nobody who counts can foresee the end of one.
package struct BlockAllocator: Sendable {
    private let seed: [UInt8]
    private let label: [[UInt8]]
    private let arms: [Arm]
    private let blockSizes: [Int]
    private let shares: Int

    /// The longest list; whoever asks beyond it gets nothing.
    package static let maximumPositions = 1_000_000
    /// The largest block, in places.
    package static let maximumBlockSize = 1000

    /// Nil for a rule that cannot be followed: no arms, a ratio below 1, no sizes, or one that is no multiple
    /// of the sum of ratios.
    /// - Parameters:
    ///   - seed: secret; who knows it knows all allocations to come.
    ///   - stratum: participants of different strata have lists of their own; empty where there are none.
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

    /// The slots of a range of positions; what lies outside 0 ..< `maximumPositions` is left out. The time
    /// grows with the last position.
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

    /// Nil below 0 and at `maximumPositions` and beyond.
    package func arm(at position: Int) -> String? {
        guard (0..<Self.maximumPositions).contains(position) else { return nil }
        return slots(position..<position + 1).first?.arm
    }

    /// A block in the order of a Fisher-Yates shuffle.
    private func permuted(_ size: Int, _ draw: inout SeededDraw) -> [String] {
        var block = arms.flatMap { Array(repeating: $0.code, count: $0.ratio * (size / shares)) }
        for last in stride(from: block.count - 1, to: 0, by: -1) {
            block.swapAt(last, draw.below(last + 1))
        }
        return block
    }
}
