/// A source of random numbers that gives the same ones for the same seed, on every machine (SplitMix64).
///
/// For making things up only: nothing secret may come from it.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number around a mean, roughly normal: the sum of four even ones.
    package mutating func number(around mean: Double, spread: Double) -> Double {
        let sum = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &self) }
        return mean + spread * sum / 1.155
    }
}
