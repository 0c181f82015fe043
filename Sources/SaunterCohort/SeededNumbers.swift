import Foundation
import SaunterCore

/// A pseudo-random generator (SplitMix64). The same seed produces the same numbers on every machine.
///
/// Only for simulated data. Never derive secrets from it.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. The same seed results in the same numbers.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number of the sequence.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// An approximately normal number: the sum of four uniform ones, with standard deviation `spread`.
    package mutating func number(around mean: Double, spread: Double) -> Double {
        let sum = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &self) }
        return mean + spread * sum / 1.155
    }
}

extension SeededNumbers {
    /// A separate generator for each combination of `parts`. Its numbers do not depend on draws from other generators.
    package init(seed: UInt64, _ parts: Int...) {
        var mixed = SeededNumbers(seed: seed)
        for part in parts {
            mixed = SeededNumbers(seed: mixed.next() ^ UInt64(bitPattern: Int64(part)))
        }
        self = mixed
    }

    /// Returns true with this probability.
    package mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    /// A UUID of version 7 for an instant.
    package mutating func uuid(at instant: Instant) -> UUID {
        let time = UInt64(clamping: instant.milliseconds)
        let (high, low) = (next(), next())
        let first = (time << 16) | 0x7000 | (high & 0x0FFF)
        let second = (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
        }
        return UUID(
            uuid: (
                byte(first, 0), byte(first, 1), byte(first, 2), byte(first, 3), byte(first, 4),
                byte(first, 5),
                byte(first, 6), byte(first, 7), byte(second, 0), byte(second, 1), byte(second, 2),
                byte(second, 3),
                byte(second, 4), byte(second, 5), byte(second, 6), byte(second, 7)
            ))
    }
}
