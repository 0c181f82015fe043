/// Simple randomisation: each place of the list is drawn by itself, each arm with the chance of its ratio. Small
/// studies may come out uneven by it.
package struct SimpleAllocator: Sendable {
    private let seed: [UInt8]
    private let study: String
    private let arms: [Arm]

    /// Nil for a rule that cannot be followed: no arms, or a ratio beyond 1...1000.
    package init?(seed: [UInt8], study: String, arms: [Arm]) {
        guard !arms.isEmpty,
            arms.allSatisfy({ (1...BlockAllocator.maximumBlockSize).contains($0.ratio) })
        else { return nil }
        self.seed = seed
        self.study = study
        self.arms = arms
    }

    /// Nil below 0 and at `BlockAllocator.maximumPositions` and beyond.
    package func arm(at position: Int) -> String? {
        guard (0..<BlockAllocator.maximumPositions).contains(position) else { return nil }
        var draw = SeededDraw(
            seed: seed,
            label: [
                Array("saunter.allocation.simple".utf8), Array(study.utf8), bigEndian(Int64(position)),
            ])
        return draw.arm(of: arms)
    }
}

extension SeededDraw {
    /// One of these, each with the chance of its ratio; nil of none. Ratios are at least 1.
    mutating func arm(of arms: [Arm]) -> String? {
        var place = below(arms.reduce(0) { $0 + $1.ratio })
        for arm in arms {
            if place < arm.ratio { return arm.code }
            place -= arm.ratio
        }
        return nil
    }
}
