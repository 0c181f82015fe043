/// A measured walking speed, and the percentage by which a mindful walk is slower.
package struct Calibration: Sendable, Hashable {
    /// By the device's clock, uncorrected.
    package let recordedAt: Instant
    /// The mean speed of the calibration walk, in km/h.
    package let meanSpeedKmh: Double
    /// By how much a mindful walk is slower, in percent.
    package let reductionPercent: Double
    /// The duration of the calibration walk, in seconds.
    package let durationS: Double

    /// Accepted walking speeds, in km/h.
    package static let speedRange = 0.5...15.0
    /// Accepted durations of a measurement, in seconds.
    package static let durationRange = 10.0...7200.0

    /// Rejects values out of range, including NaN. Reports all faults.
    /// - Parameter rule: the study's rule with the permitted reduction. Nil permits 0…99 percent.
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
                    detail: "The value must be between \(range.lowerBound) and \(range.upperBound)."))
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

    /// mean × (1 − reduction / 100), in km/h, rounded to three decimals, ties to even.
    package var targetSpeedKmh: Double {
        rounded(meanSpeedKmh * (100 - reductionPercent) / 100, places: 3)
    }
}
