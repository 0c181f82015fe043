import SaunterCore

/// Random numbers that a seed fixes (SplitMix64), so that a failing case can be had again.
package struct CaseSource: RandomNumberGenerator {
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

    /// True once in so many times.
    package mutating func once(in count: Int) -> Bool { Int.random(in: 0..<max(1, count), using: &self) == 0 }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// The first of an empty list is the given one.
    package mutating func pick<Element>(_ elements: [Element], or other: Element) -> Element {
        elements.randomElement(using: &self) ?? other
    }

    /// Any zone of the database.
    package mutating func zone() -> Zone { pick(Self.zones, or: .utc) }

    private static let zones = Zone.identifiers.sorted().compactMap { Zone($0) }

    /// A moment near a change of this zone's clock where one is found in a year drawn at random, else any of
    /// that year.
    package mutating func moment(near zone: Zone) -> Instant {
        let week = 7 * 86_400
        let start = 1_199_145_600 + number(0...29) * 31_556_952
        let any = Instant(milliseconds: Int64(start + number(0...31_556_951)) * 1000)
        if once(in: 4) { return any }
        let first = number(0...51)
        for step in 0..<52 {
            let from = Instant(milliseconds: Int64(start + (first + step) % 52 * week) * 1000)
            if let change = zone.change(between: from, and: from.adding(seconds: week)) { return change }
        }
        return any
    }
}

extension Zone {
    /// The first second of another offset than that of the beginning, where the two ends differ.
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
