import SaunterCore

/// Random numbers that depend only on a seed (SplitMix64), so that a failing case can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed &* 0xD134_2543_DE82_EF95 &+ 1
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// True with the probability 1 / `count`.
    package mutating func chance(oneIn count: Int) -> Bool {
        Int.random(in: 0..<max(1, count), using: &self) == 0
    }

    /// A random number of the range.
    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A random element, or `other` if the list is empty.
    package mutating func element<Element>(from elements: [Element], or other: Element) -> Element {
        elements.randomElement(using: &self) ?? other
    }

    /// A random zone of the zone database.
    package mutating func zone() -> Zone { element(from: Self.zones, or: .utc) }

    private static let zones = Zone.identifiers.sorted().compactMap { Zone($0) }

    /// A moment near a transition of this zone in a random year. If the year has no transition, any moment of the year.
    package mutating func moment(near zone: Zone) -> Instant {
        let week = 7 * 86_400
        let start = 1_199_145_600 + number(0...29) * 31_556_952
        let any = Instant(milliseconds: Int64(start + number(0...31_556_951)) * 1000)
        if chance(oneIn: 4) { return any }
        let first = number(0...51)
        for step in 0..<52 {
            let from = Instant(milliseconds: Int64(start + (first + step) % 52 * week) * 1000)
            if let change = zone.change(between: from, and: from.adding(seconds: week)) { return change }
        }
        return any
    }
}

extension Zone {
    /// The first second at which the offset differs from the offset at `from`. Nil if both ends have the same offset.
    func change(between from: Instant, and to: Instant) -> Instant? {
        let old = offset(at: from)
        guard offset(at: to) != old else { return nil }
        var low = from.seconds
        var high = to.seconds
        while high - low > 1 {
            let middle = (low + high) / 2
            if offset(at: Instant(milliseconds: middle * 1000)) == old { low = middle } else { high = middle }
        }
        return Instant(milliseconds: high * 1000)
    }
}
