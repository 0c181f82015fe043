/// How the values of the items become the number of one scale. `ItemWeights` defines the value of one answer.
package enum ScoringMethod: String, Sendable, Hashable, CaseIterable {
    case sum, mean, minimum = "min", maximum = "max"
    /// The number of items whose value is in the scale's `counted` range, or is not 0 if there is no such range.
    /// Without a range, a repeating item adds the number of its chosen options.
    case count
    /// The value of the only item.
    case value
    case product
    /// The first item divided by the second. Undefined if the divisor is 0.
    case quotient
    /// The first item minus the second.
    case difference
    /// The time from the first item to the second. Times of day: forward, if necessary over midnight (0 ≤ … < 24 h).
    /// Dates or instants: the difference, which can be negative.
    case elapsed
    /// The time of day of the only item, since midnight.
    case clock

    /// Whether the items are times, dates or instants instead of numbers.
    var usesTimes: Bool { self == .elapsed || self == .clock }

    /// The exact number of items that the method needs; nil if it accepts any number.
    var itemCount: Int? {
        switch self {
        case .value, .clock: 1
        case .quotient, .difference, .elapsed: 2
        case .sum, .mean, .minimum, .maximum, .count, .product: nil
        }
    }

    /// Whether a result of some of the items can represent all items, either directly or after prorating.
    var allowsMissingItems: Bool {
        switch self {
        case .sum, .mean, .count, .minimum, .maximum: true
        case .value, .product, .quotient, .difference, .elapsed, .clock: false
        }
    }
}

/// The unit of times and durations in scores.
package enum TimeUnit: String, Sendable, Hashable, CaseIterable {
    case seconds, minutes, hours, days

    /// The length of the unit in seconds.
    var seconds: Int {
        switch self {
        case .seconds: 1
        case .minutes: 60
        case .hours: 3600
        case .days: 86_400
        }
    }
}
