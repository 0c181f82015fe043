/// Simple randomisation: every position of the list is an independent draw according to the ratios. The arms of small
/// studies may become unequal.
package struct SimpleAllocator: Sendable {
    private let seed: [UInt8]
    private let study: String
    private let arms: [Arm]

    /// Nil if the parameters are invalid: no arms, or a ratio outside 1...1000.
    package init?(seed: [UInt8], study: String, arms: [Arm]) {
        guard !arms.isEmpty,
            arms.allSatisfy({ (1...BlockAllocator.maximumBlockSize).contains($0.ratio) })
        else { return nil }
        self.seed = seed
        self.study = study
        self.arms = arms
    }

    /// The arm at a position, from 0. Nil if the position is negative or at least `BlockAllocator.maximumPositions`.
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
    /// Draws one of these arms according to the ratios. Nil if there are no arms. Ratios are at least 1.
    mutating func arm(of arms: [Arm]) -> String? {
        var offset = below(arms.reduce(0) { $0 + $1.ratio })
        for arm in arms {
            if offset < arm.ratio { return arm.code }
            offset -= arm.ratio
        }
        return nil
    }
}
