/// The samples of a walk: one axis of time, and a column for each thing that was measured. A nil in a column
/// means that nothing was measured at that time.
package struct WalkSeries: Sendable, Hashable {
    /// Milliseconds since the walk's start, increasing.
    package var tMs: [Int]
    package var speedKmh: [Double?]?
    package var heartRateBpm: [Double?]?
    /// Metres since the start, never decreasing.
    package var distanceM: [Double?]?
    /// Kilocalories since the start, never decreasing.
    package var activeEnergyKcal: [Double?]?

    package init(
        tMs: [Int], speedKmh: [Double?]? = nil, heartRateBpm: [Double?]? = nil, distanceM: [Double?]? = nil,
        activeEnergyKcal: [Double?]? = nil
    ) {
        self.tMs = tMs
        self.speedKmh = speedKmh
        self.heartRateBpm = heartRateBpm
        self.distanceM = distanceM
        self.activeEnergyKcal = activeEnergyKcal
    }

    /// Samples of one walk.
    package static let maximumSamples = 100_000
}

/// What a device says of the whole walk. It stands in where there is no series to reckon from.
package struct WalkTotals: Sendable, Hashable {
    package var distanceM: Double?
    package var activeEnergyKcal: Double?
    package var meanHeartRateBpm: Double?
    package var maxHeartRateBpm: Double?

    package init(
        distanceM: Double? = nil, activeEnergyKcal: Double? = nil, meanHeartRateBpm: Double? = nil,
        maxHeartRateBpm: Double? = nil
    ) {
        self.distanceM = distanceM
        self.activeEnergyKcal = activeEnergyKcal
        self.meanHeartRateBpm = meanHeartRateBpm
        self.maxHeartRateBpm = maxHeartRateBpm
    }
}

/// A span in which the walk stood still by the participant's wish.
package struct WalkPause: Sendable, Hashable {
    package var from: Instant
    package var to: Instant

    package init(from: Instant, to: Instant) {
        self.from = from
        self.to = to
    }
}
