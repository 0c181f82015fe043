/// How the answers of one scale become a number. What one answer counts is told at `ItemWeights`.
package enum ScoringMethod: String, Sendable, Hashable, CaseIterable {
    case sum, mean, minimum = "min", maximum = "max"
    /// How many items count other than 0, or lie in the scale's `counted` range; without one a repeating item
    /// adds the number of its chosen options.
    case count
    /// The value of the only item.
    case value
    case product
    /// The first item divided by the second; undefined for a divisor of 0.
    case quotient
    /// The first item less the second.
    case difference
    /// From the first time to the second: on the clock's face forward, over midnight if need be (0 ≤ … < 24 h);
    /// between dates or instants the plain difference, which may be negative.
    case elapsed
    /// The time of day of the only item, since midnight.
    case clock

    /// Whether items are moments instead of numbers.
    var takesMoments: Bool { self == .elapsed || self == .clock }

    /// How many items it takes; nil for any number.
    var itemCount: Int? {
        switch self {
        case .value, .clock: 1
        case .quotient, .difference, .elapsed: 2
        case .sum, .mean, .minimum, .maximum, .count, .product: nil
        }
    }

    /// Whether a result of fewer items can be brought up to all, or stands for all as it is.
    var canDoWithFewer: Bool {
        switch self {
        case .sum, .mean, .count, .minimum, .maximum: true
        case .value, .product, .quotient, .difference, .elapsed, .clock: false
        }
    }
}

/// The unit in which moments and lengths of time count.
package enum TimeUnit: String, Sendable, Hashable, CaseIterable {
    case seconds, minutes, hours, days

    var seconds: Int {
        switch self {
        case .seconds: 1
        case .minutes: 60
        case .hours: 3600
        case .days: 86_400
        }
    }
}
