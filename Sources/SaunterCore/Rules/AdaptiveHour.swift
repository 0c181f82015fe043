/// The hour of the day that a rule with `adaptive` seeks.
struct AdaptiveHour {
    /// n and mean of the entries of each hour with entries, by hour.
    let hours: [Int: (n: Int, mean: Quantity)]
    /// Local dates with an entry.
    let days: Int

    /// The local time of a day in seconds since 00:00.
    ///
    /// 1. Below `needs`, the time is `otherwise`.
    /// 2. M is the mean of all entries. With n(h) and m(h) of an hour, circular over 24 hours:
    ///    N(h) = ¼ n(h−1) + ½ n(h) + ¼ n(h+1),
    ///    s(h) = (¼ n(h−1) m(h−1) + ½ n(h) m(h) + ¼ n(h+1) m(h+1)) / N(h),
    ///    v(h) = M + (s(h) − M) · N(h) / (N(h) + 3). The computation is exact.
    /// 3. The time of an hour is its start minus `ahead`. Candidates are hours with entries whose time is in
    ///    `from`...`to` and outside the quiet hours. The lowest or highest v(h) wins; the earlier hour wins a tie.
    /// 4. Without a candidate, the time is `otherwise`.
    func seconds(_ point: DecisionPoint.Adaptive, quietHours: QuietHours?) -> Int {
        let total = hours.values.reduce(0) { $0 + $1.n }
        guard total > 0, total >= point.leastEntries, days >= point.leastDays else {
            return point.otherwise.seconds
        }
        let mean = hours.values.reduce(Quantity.zero) { $0 + $1.mean * Quantity($1.n) }.divided(by: total)
        var best: (seconds: Int, value: Quantity)?
        for hour in 0..<24 where hours[hour].map({ $0.n > 0 }) == true {
            let seconds = hour * 3600 - point.ahead
            guard (point.from.seconds...max(point.from.seconds, point.to.seconds)).contains(seconds),
                let time = LocalTime(seconds: seconds), quietHours?.contains(time) != true,
                let value = smoothed(hour, mean)
            else { continue }
            guard let other = best else {
                best = (seconds, value)
                continue
            }
            if point.seek == .low ? value < other.value : other.value < value { best = (seconds, value) }
        }
        return best?.seconds ?? point.otherwise.seconds
    }

    /// v(h). All weights are multiplied by 4.
    private func smoothed(_ hour: Int, _ mean: Quantity) -> Quantity? {
        var count = 0
        var sum = Quantity.zero
        for (offset, weight) in [(23, 1), (0, 2), (1, 1)] {
            guard let neighbour = hours[(hour + offset) % 24] else { continue }
            count += weight * neighbour.n
            sum = sum + neighbour.mean * Quantity(weight * neighbour.n)
        }
        guard count > 0 else { return nil }
        let smooth = sum.divided(by: count)
        return mean + ((smooth - mean) * Quantity(count)).divided(by: count + 12)
    }
}
