/// What was measured of one thing, in order of time, and how it is reckoned over a walk.
struct SampleColumn {
    private let times: [Int]
    private let values: [Double]
    private let active: ActiveTime

    /// A sample speaks for the time up to the next. Of a longer gap, 30 s, nobody knows what went on in it,
    /// and it is left out.
    static let longestGapMs = 30_000

    /// Nil when nothing was measured.
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

    /// Every sample that speaks for some active time, with that time in milliseconds. The last one speaks for
    /// none.
    private func held(_ body: (_ value: Double, _ ms: Int) -> Void) {
        for index in values.indices.dropLast() {
            guard times[index + 1] - times[index] <= Self.longestGapMs else { continue }
            let ms = active.between(times[index], times[index + 1])
            if ms > 0 { body(values[index], ms) }
        }
    }

    /// Σ value × Δt and Σ Δt, in the value's unit × ms and in ms.
    var weighted: (sum: Double, ms: Int) {
        var sum = 0.0
        var total = 0
        held { value, ms in
            sum += value * Double(ms)
            total += ms
        }
        return (sum, total)
    }

    /// Mean over time; of the samples alone where none speaks for any time (a single one, or gaps only).
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
        held { value, ms in
            if value > limit { total += ms }
        }
        return total
    }

    /// How often the limit was passed upwards. A walk that begins above it has passed it once, and each pause
    /// is an end: whoever goes on above the limit after one passes it anew.
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

    /// What a cumulative column grew by in active time; nil with fewer than two samples.
    ///
    /// Between two samples of which a pause took only a part, nobody measured where the growth fell: it
    /// counts, but for at most twice what the walk's own rate outside such spans makes of the active part. So
    /// a device that counts nothing in pauses loses nothing, and one that counts on gives nothing away.
    /// Without any other span to take a rate from, growth is shared by time.
    ///
    /// The first value is growth since the start, as the column is defined, where anybody can have come so far
    /// by then: at `possiblePerS`, or by that same measure. Else the column is an odometer's, and what it showed
    /// before does not count. A second is allowed for devices that date a sample to the beginning of its second.
    /// - Parameter possiblePerS: in the column's unit per second.
    func growth(possiblePerS: Double) -> Double? {
        guard values.count >= 2 else { return nil }
        var sum = 0.0
        var wholeMs = 0
        var parted: [(growth: Double, activeMs: Int, ms: Int)] = []
        for index in values.indices.dropLast() {
            let grown = values[index + 1] - values[index]
            let span = times[index + 1] - times[index]
            let ms = active.between(times[index], times[index + 1])
            if ms == span {
                sum += grown
                wholeMs += ms
            } else if ms > 0 {
                parted.append((grown, ms, span))
            }
        }
        let most = wholeMs > 0 ? 2 * sum / Double(wholeMs) : 0
        for part in parted {
            sum +=
                wholeMs > 0
                ? min(part.growth, most * Double(part.activeMs))
                : part.growth * Double(part.activeMs) / Double(part.ms)
        }
        let lead = Double(active.between(0, times[0]) + 1000)
        return values[0] <= max(most, possiblePerS / 1000) * lead ? sum + values[0] : sum
    }
}
