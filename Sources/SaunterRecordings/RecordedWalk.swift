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
    /// Whether its format counts the distance from the walk's start, so that it was 0 there.
    package var countsFromStart = false

    /// What was measured; and, where the format counts from the walk's start, that it had no distance then. Not so where the stated distance fits what
    /// follows the first one better: then the recording was cut out of a longer one.
    package var samples: [Point] {
        var samples = measured
        guard countsFromStart, let first = samples.first(where: { $0.distanceM != nil }),
            first.at > startedAt, let metres = first.distanceM, metres > 0,
            let last = samples.last(where: { $0.distanceM != nil })?.distanceM
        else { return samples }
        if let stated = totals.distanceM, abs(last - metres - stated) < abs(last - stated) { return samples }
        if samples[0].at == startedAt {
            samples[0].distanceM = 0
        } else {
            samples.insert(Point(at: startedAt, distanceM: 0), at: 0)
        }
        return samples
    }

    /// One sample for each moment within the walk, in order; distance never falls, and what no sensor can mean is left out.
    var measured: [Point] { sampled.samples }

    /// What of its points is no sample, a sentence for each kind.
    var remarks: [String] { sampled.left.remarks }

    /// How many values no sample has.
    private struct LeftOut {
        var outside = 0
        var heartRates = 0
        var distances = 0
        var speeds = 0

        var remarks: [String] {
            [
                ("points before its start or after its end, left out", outside),
                ("heart rates below 20 or above 255, left out", heartRates),
                ("distances that fall or are beyond all measure, left out", distances),
                ("speeds below 0 or above 50 km/h, left out", speeds),
            ].filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
        }
    }

    private var sampled: (samples: [Point], left: LeftOut) {
        var merged: [Point] = []
        var left = LeftOut()
        for point in points.sorted(by: { $0.at < $1.at }) {
            guard startedAt <= point.at, point.at <= endedAt else {
                left.outside += 1
                continue
            }
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
                if !(farthest...1_000_000).contains(distance) {
                    merged[index].distanceM = nil
                    left.distances += 1
                }
                farthest = max(farthest, merged[index].distanceM ?? 0)
            }
            if let heartRate = merged[index].heartRateBpm, !(20...255).contains(heartRate) {
                merged[index].heartRateBpm = nil
                left.heartRates += 1
            }
            if let speed = merged[index].speedKmh, !(0...50).contains(speed) {
                merged[index].speedKmh = nil
                left.speeds += 1
            }
        }
        let samples = merged.filter { $0.distanceM != nil || $0.heartRateBpm != nil || $0.speedKmh != nil }
        return (samples, left)
    }
}
