/// The samples of a walk: one time axis and one column per measured quantity. Nil in a column means that there is no
/// value at that time.
package struct WalkSeries: Sendable, Hashable {
    /// Milliseconds since the start of the walk, strictly increasing.
    package var tMs: [Int]
    /// The speed in km/h; nil if not reported.
    package var speedKmh: [Double?]?
    /// The heart rate in beats per minute; nil if not reported.
    package var heartRateBpm: [Double?]?
    /// The distance since the start of the walk, in metres; nil if not reported.
    package var distanceM: [Double?]?
    /// The active energy since the start of the walk, in kilocalories; nil if not reported.
    package var activeEnergyKcal: [Double?]?

    /// Creates a series without checking the lengths of its columns.
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

    /// Maximum number of samples of one walk.
    package static let maximumSamples = 100_000
}

/// The totals that a device reports for the complete walk. They are used if the series does not have the values.
package struct WalkTotals: Sendable, Hashable {
    /// The distance in metres; nil if not reported.
    package var distanceM: Double?
    /// The active energy in kilocalories; nil if not reported.
    package var activeEnergyKcal: Double?
    /// The mean heart rate in beats per minute; nil if not reported.
    package var meanHeartRateBpm: Double?
    /// The maximum heart rate in beats per minute; nil if not reported.
    package var maxHeartRateBpm: Double?

    /// Creates totals; by default nothing is reported.
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

extension WalkSeries {
    static let heartRateRange = 20.0...255.0
    static let speedRange = 0.0...50.0

    /// Reports the faults of the samples.
    /// - Parameter lengthMs: length of the walk in milliseconds.
    func check(lengthMs: Int64, pointer: String, faults: inout FaultCollector) {
        guard tMs.count <= Self.maximumSamples else {
            faults.add("\(pointer)/t_ms", "too_many", "A walk has at most \(Self.maximumSamples) samples.")
            return
        }
        checkTimes(lengthMs: lengthMs, pointer: "\(pointer)/t_ms", faults: &faults)
        checkRange(speedKmh, Self.speedRange, pointer: "\(pointer)/speed_kmh", faults: &faults)
        checkRange(heartRateBpm, Self.heartRateRange, pointer: "\(pointer)/heart_rate_bpm", faults: &faults)
        checkCumulative(distanceM, pointer: "\(pointer)/distance_m", faults: &faults)
        checkCumulative(activeEnergyKcal, pointer: "\(pointer)/active_energy_kcal", faults: &faults)
    }

    private func checkTimes(lengthMs: Int64, pointer: String, faults: inout FaultCollector) {
        var previous = Int.min
        for (index, time) in tMs.enumerated() {
            if faults.isFull { return }
            if time < 0 || Int64(time) > lengthMs {
                faults.add(
                    "\(pointer)/\(index)", "outside_walk",
                    "A sample must be between the start and the end of the walk.")
            } else if index > 0, time <= previous {
                faults.add("\(pointer)/\(index)", "not_increasing", "The times of samples must increase.")
            }
            previous = time
        }
    }

    private func checkRange(
        _ column: [Double?]?, _ range: ClosedRange<Double>, pointer: String, faults: inout FaultCollector
    ) {
        guard let column = fitting(column, pointer: pointer, faults: &faults) else { return }
        for case (let index, let value?) in column.enumerated() where !range.contains(value) {
            if faults.isFull { return }
            faults.add(
                "\(pointer)/\(index)", value.isFinite ? "out_of_range" : "not_finite",
                "The value must be between \(range.lowerBound) and \(range.upperBound).")
        }
    }

    private func checkCumulative(_ column: [Double?]?, pointer: String, faults: inout FaultCollector) {
        guard let column = fitting(column, pointer: pointer, faults: &faults) else { return }
        var highest = 0.0
        for case (let index, let value?) in column.enumerated() {
            if faults.isFull { return }
            let path = "\(pointer)/\(index)"
            if !value.isFinite {
                faults.add(path, "not_finite", "The value must be a finite number.")
            } else if value < 0 || value > WalkTotals.maximumCumulative {
                faults.add(
                    path, "out_of_range", "The value must be between 0 and \(WalkTotals.maximumCumulative).")
            } else if value < highest {
                faults.add(
                    path, "decreasing", "The value counts from the start of the walk and cannot decrease.")
            } else {
                highest = value
            }
        }
    }

    /// The column, if it has as many entries as there are times. Otherwise reports a fault and returns nil.
    private func fitting(_ column: [Double?]?, pointer: String, faults: inout FaultCollector) -> [Double?]? {
        guard let column else { return nil }
        guard column.count == tMs.count else {
            faults.add(
                pointer, "unequal_length", "The column has \(column.count) values for \(tMs.count) times.")
            return nil
        }
        return column
    }
}

extension WalkTotals {
    /// The maximum of a total, in metres or kilocalories. It is far above a day's value, and small enough for exact
    /// sums.
    static let maximumCumulative = 1_000_000.0

    func check(pointer: String, faults: inout FaultCollector) {
        func check(_ value: Double?, _ range: ClosedRange<Double>, _ name: String) {
            guard let value, !range.contains(value) else { return }
            faults.add(
                "\(pointer)/\(name)", value.isFinite ? "out_of_range" : "not_finite",
                "The value must be between \(range.lowerBound) and \(range.upperBound).")
        }
        check(distanceM, 0...Self.maximumCumulative, "distance_m")
        check(activeEnergyKcal, 0...Self.maximumCumulative, "active_energy_kcal")
        check(meanHeartRateBpm, WalkSeries.heartRateRange, "mean_heart_rate_bpm")
        check(maxHeartRateBpm, WalkSeries.heartRateRange, "max_heart_rate_bpm")
    }
}
