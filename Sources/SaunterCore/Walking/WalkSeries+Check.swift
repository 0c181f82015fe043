extension WalkSeries {
    static let heartRateRange = 20.0...255.0
    static let speedRange = 0.0...50.0

    /// Names what is wrong with the samples of a walk of this length.
    func check(lengthMs: Int64, pointer: String, faults: inout WalkFaults) {
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

    private func checkTimes(lengthMs: Int64, pointer: String, faults: inout WalkFaults) {
        var previous = Int.min
        for (index, time) in tMs.enumerated() {
            if faults.isFull { return }
            if time < 0 || Int64(time) > lengthMs {
                faults.add(
                    "\(pointer)/\(index)", "outside_walk", "A sample lies between the walk's start and end.")
            } else if index > 0, time <= previous {
                faults.add("\(pointer)/\(index)", "not_increasing", "Times of samples must increase.")
            }
            previous = time
        }
    }

    private func checkRange(
        _ column: [Double?]?, _ range: ClosedRange<Double>, pointer: String, faults: inout WalkFaults
    ) {
        guard let column = fitting(column, pointer: pointer, faults: &faults) else { return }
        for case (let index, let value?) in column.enumerated() where !range.contains(value) {
            if faults.isFull { return }
            faults.add(
                "\(pointer)/\(index)", value.isFinite ? "out_of_range" : "not_finite",
                "It must be between \(range.lowerBound) and \(range.upperBound).")
        }
    }

    private func checkCumulative(_ column: [Double?]?, pointer: String, faults: inout WalkFaults) {
        guard let column = fitting(column, pointer: pointer, faults: &faults) else { return }
        var highest = 0.0
        for case (let index, let value?) in column.enumerated() {
            if faults.isFull { return }
            let place = "\(pointer)/\(index)"
            if !value.isFinite {
                faults.add(place, "not_finite", "It must be a finite number.")
            } else if value < 0 || value > WalkTotals.maximumCumulative {
                faults.add(place, "out_of_range", "It must be between 0 and \(WalkTotals.maximumCumulative).")
            } else if value < highest {
                faults.add(place, "decreasing", "It counts from the walk's start and cannot decrease.")
            } else {
                highest = value
            }
        }
    }

    /// The column if it has a value, or null, for every time.
    private func fitting(_ column: [Double?]?, pointer: String, faults: inout WalkFaults) -> [Double?]? {
        guard let column else { return nil }
        guard column.count == tMs.count else {
            faults.add(pointer, "unequal_length", "It has \(column.count) values for \(tMs.count) times.")
            return nil
        }
        return column
    }
}

extension WalkTotals {
    /// A million metres or kilocalories: far beyond what a day holds, near enough to keep sums exact.
    static let maximumCumulative = 1_000_000.0

    func check(pointer: String, faults: inout WalkFaults) {
        func check(_ value: Double?, _ range: ClosedRange<Double>, _ name: String) {
            guard let value, !range.contains(value) else { return }
            faults.add(
                "\(pointer)/\(name)", value.isFinite ? "out_of_range" : "not_finite",
                "It must be between \(range.lowerBound) and \(range.upperBound).")
        }
        check(distanceM, 0...Self.maximumCumulative, "distance_m")
        check(activeEnergyKcal, 0...Self.maximumCumulative, "active_energy_kcal")
        check(meanHeartRateBpm, WalkSeries.heartRateRange, "mean_heart_rate_bpm")
        check(maxHeartRateBpm, WalkSeries.heartRateRange, "max_heart_rate_bpm")
    }
}
