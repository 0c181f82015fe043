import SaunterCore

/// A walk as a device recorded it, before it becomes the API's.
package struct RecordedWalk: Sendable {
    /// What was measured at a moment.
    package struct Point: Sendable {
        package var at: Instant
        /// Metres since the start.
        package var distanceM: Double?
        package var heartRateBpm: Double?
        package var speedKmh: Double?
    }

    /// What the device reckoned itself; nil where it says nothing.
    package struct Totals: Sendable {
        package var distanceM: Double?
        package var activeEnergyKcal: Double?
        package var meanHeartRateBpm: Double?
        package var maxHeartRateBpm: Double?
    }

    /// What recorded it. Neither its serial number nor the name that its owner gave it is ever read.
    package struct Device: Sendable {
        package var manufacturer: String?
        package var model: String?
        package var software: String?
    }

    package var startedAt: Instant
    package var endedAt: Instant
    /// In any order; they may overlap.
    package var pauses: [WalkPause]
    package var totals: Totals
    package var device: Device?
    /// In any order; the same moment may come twice, as at the edge of two laps.
    package var points: [Point]
    /// What names it beside its times, where a later export of the same walk may hold more of it than an earlier one did. Nil:
    /// all of it.
    package var kind: String?

    /// One sample for each moment within the walk, in order; distance never falls, and what no sensor can mean is left out.
    package var samples: [Point] {
        var merged: [Point] = []
        for point in points.sorted(by: { $0.at < $1.at }) where startedAt <= point.at && point.at <= endedAt {
            if let last = merged.last, last.at == point.at {
                merged[merged.count - 1].distanceM = last.distanceM ?? point.distanceM
                merged[merged.count - 1].heartRateBpm = last.heartRateBpm ?? point.heartRateBpm
                merged[merged.count - 1].speedKmh = last.speedKmh ?? point.speedKmh
            } else {
                merged.append(point)
            }
        }
        var farthest = 0.0
        for index in merged.indices {
            if let distance = merged[index].distanceM {
                if !(farthest...1_000_000).contains(distance) { merged[index].distanceM = nil }
                farthest = max(farthest, merged[index].distanceM ?? 0)
            }
            if !(20...255).contains(merged[index].heartRateBpm ?? 0) { merged[index].heartRateBpm = nil }
            if !(0...50).contains(merged[index].speedKmh ?? -1) { merged[index].speedKmh = nil }
        }
        return merged.filter { $0.distanceM != nil || $0.heartRateBpm != nil || $0.speedKmh != nil }
    }
}
