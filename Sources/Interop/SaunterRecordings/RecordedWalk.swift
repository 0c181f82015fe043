import SaunterCore

/// A walk as a device recorded it, before it is converted to a request body of the API.
package struct RecordedWalk: Sendable {
    /// The measurements at one instant.
    package struct Point: Sendable {
        /// The instant of the measurement.
        package var at: Instant
        /// The distance since the start in metres.
        package var distanceM: Double?
        /// The heart rate in beats per minute.
        package var heartRateBpm: Double?
        /// The speed in kilometres per hour.
        package var speedKmh: Double?
    }

    /// The totals that the device calculated; nil if it states none.
    package struct Totals: Sendable {
        /// The distance in metres.
        package var distanceM: Double?
        /// The active energy in kilocalories.
        package var activeEnergyKcal: Double?
        /// The mean heart rate in beats per minute.
        package var meanHeartRateBpm: Double?
        /// The maximum heart rate in beats per minute.
        package var maxHeartRateBpm: Double?
    }

    /// The recording device. Its serial number and the name that its owner chose are never read.
    package struct Device: Sendable {
        /// The manufacturer, such as `Garmin`.
        package var manufacturer: String?
        /// The model.
        package var model: String?
        /// The version of its software.
        package var software: String?
    }

    /// The start of the walk.
    package var startedAt: Instant
    /// The end of the walk.
    package var endedAt: Instant
    /// The pauses, in any order; they may overlap.
    package var pauses: [WalkPause]
    /// The totals that the device states.
    package var totals: Totals
    /// The recording device; nil if the file does not name it.
    package var device: Device?
    /// What the participant did; nil if the file does not name a known sport.
    package var sport: Sport?
    /// The measurements, in any order. Several may have the same instant, for example at the border of two laps.
    package var points: [Point]
    /// A name such as `healthkit HKWorkoutActivityTypeWalking`, if a later export of the same walk may contain more
    /// data. The id of the walk then depends only on this name, the start and the end. Nil if it depends on all data.
    package var stableName: String?
    /// Whether the format counts the distance from the start of the walk, so that the distance was 0 there.
    package var countsFromStart = false

    /// The measured samples. If the format counts from the start of the walk, a sample with distance 0 is added at the
    /// start. Exception: if the stated distance is closer to the distance that was covered after the first sample, the
    /// recording is a part of a longer one, and no sample is added.
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

    /// One sample per instant within the walk, in order. Distances that decrease and implausible values are removed.
    var measured: [Point] { cleaned.samples }

    /// Remarks about the discarded values, one phrase per kind.
    var remarks: [String] { cleaned.discarded.remarks }

    /// The number of discarded values, by kind.
    private struct DiscardedValues {
        var outside = 0
        var heartRates = 0
        var distances = 0
        var speeds = 0

        var remarks: [String] {
            [
                ("points before its start or after its end, left out", outside),
                ("heart rates below 20 or above 255, left out", heartRates),
                ("distances that decrease or exceed 1000 km, left out", distances),
                ("speeds below 0 or above 50 km/h, left out", speeds),
            ].filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
        }
    }

    private var cleaned: (samples: [Point], discarded: DiscardedValues) {
        var merged: [Point] = []
        var discarded = DiscardedValues()
        for point in points.sorted(by: { $0.at < $1.at }) {
            guard startedAt <= point.at, point.at <= endedAt else {
                discarded.outside += 1
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
                    discarded.distances += 1
                }
                farthest = max(farthest, merged[index].distanceM ?? 0)
            }
            if let heartRate = merged[index].heartRateBpm, !(20...255).contains(heartRate) {
                merged[index].heartRateBpm = nil
                discarded.heartRates += 1
            }
            if let speed = merged[index].speedKmh, !(0...50).contains(speed) {
                merged[index].speedKmh = nil
                discarded.speeds += 1
            }
        }
        let samples = merged.filter { $0.distanceM != nil || $0.heartRateBpm != nil || $0.speedKmh != nil }
        return (samples, discarded)
    }
}
