/// A measured walking speed and by how much a mindful walk shall be slower.
package struct Calibration: Sendable, Hashable {
    package let recordedAt: Instant
    package let meanSpeedKmh: Double
    package let reductionPercent: Double
    package let durationS: Double

    /// What a person can walk, in km/h.
    package static let speedRange = 0.5...15.0
    /// How long a measurement takes, in seconds.
    package static let durationRange = 10.0...7200.0

    /// Refuses numbers out of range, NaN included; every fault is named.
    /// - Parameter rule: the study's, for the permitted reduction; nil permits 0…99 percent.
    package init(
        recordedAt: Instant, meanSpeedKmh: Double, reductionPercent: Double, durationS: Double,
        rule: WalkingRule?, pointer: String = ""
    ) throws(Faults) {
        var faults: [Fault] = []
        func check(_ value: Double, _ range: ClosedRange<Double>, _ name: String) {
            if range.contains(value) { return }
            faults.append(
                Fault(
                    pointer: "\(pointer)/\(name)", code: "out_of_range",
                    detail: "It must be between \(range.lowerBound) and \(range.upperBound)."))
        }
        check(meanSpeedKmh, Self.speedRange, "mean_speed_kmh")
        check(reductionPercent, rule?.reductionPercent ?? 0...99, "reduction_percent")
        check(durationS, Self.durationRange, "duration_s")
        if !faults.isEmpty { throw Faults(faults) }
        self.recordedAt = recordedAt
        self.meanSpeedKmh = meanSpeedKmh
        self.reductionPercent = reductionPercent
        self.durationS = durationS
    }

    /// mean × (1 − reduction / 100), in km/h, to three decimals (ties to even).
    package var targetSpeedKmh: Double {
        rounded(meanSpeedKmh * (100 - reductionPercent) / 100, places: 3)
    }
}

/// Rounded to decimal places, ties to even, as near as a double can.
func rounded(_ value: Double, places: Int) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded(.toNearestOrEven)
    return scaled.isFinite ? scaled / scale : value
}
