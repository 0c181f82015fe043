/// The samples of one measured quantity, in chronological order, and their statistics over a walk.
struct SampleColumn {
    private let times: [Int]
    private let values: [Double]
    private let active: ActiveTime

    /// A sample is valid until the next sample. Intervals longer than 30 s are left out, because the values in between
    /// are unknown.
    static let longestGapMs = 30_000

    /// Nil if the column has no values.
    init?(_ column: [Double?]?, of series: WalkSeries, active: ActiveTime) {
        guard let column else { return nil }
        var times: [Int] = []
        var values: [Double] = []
        for (time, value) in zip(series.tMs, column) {
            guard let value else { continue }
            times.append(time)
            values.append(value)
        }
        guard !values.isEmpty else { return nil }
        self.times = times
        self.values = values
        self.active = active
    }

    /// Calls `body` for every sample that is valid for some active time, with that time in milliseconds. The last
    /// sample is left out.
    private func forEachInterval(_ body: (_ value: Double, _ ms: Int) -> Void) {
        for index in values.indices.dropLast() {
            guard times[index + 1] - times[index] <= Self.longestGapMs else { continue }
            let ms = active.between(times[index], times[index + 1])
            if ms > 0 { body(values[index], ms) }
        }
    }

    /// Σ value × Δt and Σ Δt, in the unit of the values × ms, and in ms.
    var weighted: (sum: Double, ms: Int) {
        var sum = 0.0
        var total = 0
        forEachInterval { value, ms in
            sum += value * Double(ms)
            total += ms
        }
        return (sum, total)
    }

    /// Time-weighted mean. If no sample is valid for any active time (a single sample, or only gaps): the mean of the
    /// samples outside pauses.
    var mean: Double? {
        let (sum, ms) = weighted
        if ms > 0 { return sum / Double(ms) }
        let counting = outsidePauses
        return counting.isEmpty ? nil : counting.reduce(0, +) / Double(counting.count)
    }

    var maximum: Double? { outsidePauses.max() }

    private var outsidePauses: [Double] {
        zip(times, values).filter { !active.isPaused(at: $0.0) }.map(\.1)
    }

    /// Active milliseconds above a limit.
    func ms(above limit: Double) -> Int {
        var total = 0
        forEachInterval { value, ms in
            if value > limit { total += ms }
        }
        return total
    }

    /// How often the values rise above a limit. A walk that starts above the limit counts as one crossing. A pause ends
    /// a crossing: if the values are still above the limit after the pause, that is another crossing.
    func crossings(above limit: Double) -> Int {
        var count = 0
        var isAbove = false
        var begun = 0
        for (time, value) in zip(times, values) {
            if active.pausesBegun(by: time) != begun {
                begun = active.pausesBegun(by: time)
                isAbove = false
            }
            guard !active.isPaused(at: time) else { continue }
            if value > limit, !isAbove { count += 1 }
            isAbove = value > limit
        }
        return count
    }

    /// The growth of a cumulative column in active time. Nil if there are fewer than two samples.
    ///
    /// If a pause covers a part of an interval, the distribution of the growth within the interval is unknown. The
    /// growth then counts, but at most twice the mean rate of the fully active intervals, multiplied by the active
    /// part. Devices that stop counting in pauses therefore lose nothing, and devices that continue counting gain
    /// little. If there is no fully active interval, the growth is distributed by time.
    ///
    /// The first value is the growth since the start, if that growth is plausible: at most `plausiblePerS`, or at most
    /// the same limit as above. Otherwise the column is the reading of an odometer, and the first value does not count.
    /// One second is added to the elapsed time, because some devices round the time of a sample down to a full second.
    ///
    /// - Parameter plausiblePerS: largest plausible growth, in the unit of the column per second.
    func growth(plausiblePerS: Double) -> Double? {
        guard values.count >= 2 else { return nil }
        var sum = 0.0
        var wholeMs = 0
        var partlyPaused: [(growth: Double, activeMs: Int, ms: Int)] = []
        for index in values.indices.dropLast() {
            let growth = values[index + 1] - values[index]
            let span = times[index + 1] - times[index]
            let ms = active.between(times[index], times[index + 1])
            if ms == span {
                sum += growth
                wholeMs += ms
            } else if ms > 0 {
                partlyPaused.append((growth, ms, span))
            }
        }
        let maximumPerMs = wholeMs > 0 ? 2 * sum / Double(wholeMs) : 0
        for part in partlyPaused {
            sum +=
                wholeMs > 0
                ? min(part.growth, maximumPerMs * Double(part.activeMs))
                : part.growth * Double(part.activeMs) / Double(part.ms)
        }
        let leadMs = Double(active.between(0, times[0]) + 1000)
        return values[0] <= max(maximumPerMs, plausiblePerS / 1000) * leadMs ? sum + values[0] : sum
    }
}
