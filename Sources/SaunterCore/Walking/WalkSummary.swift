/// The numbers of one walk; nil where nothing was measured, never 0 for "not known".
///
/// Each value is reckoned from unrounded ones and rounded once, ties to even: seconds and km/h to 3 decimals,
/// metres, beats per minute and kilocalories to 2, pace to 1, coverage to 4.
package struct WalkSummary: Sendable, Hashable {
    /// End − start, in seconds.
    package var elapsedS: Double
    /// Elapsed − the union of the pauses.
    package var activeS: Double
    /// Growth of the distance series in active time, from 0 at the start; else Σ speed × Δt by the rule of the
    /// heart rate; else what the device says.
    package var distanceM: Double?
    /// Distance / active time, in km/h.
    package var meanSpeedKmh: Double?
    /// Active time / distance, in seconds per km; never a mean of paces.
    package var meanPaceSPerKm: Double?
    /// Σ rate · Δt / Σ Δt, each sample held to the next, pauses and gaps beyond 30 s left out.
    package var meanHeartRateBpm: Double?
    /// The highest sample outside pauses.
    package var maxHeartRateBpm: Double?
    package var activeEnergyKcal: Double?
    package var targetSpeedKmh: Double?
    /// Active seconds above the target; nil without a target or without speeds.
    package var aboveTargetS: Double?
    package var aboveTargetCount: Int?
    /// Share of the active time for which a heart rate is known, 0…1.
    package var coverage: Double?

    package init(of walk: Walk, targetSpeedKmh: Double? = nil) {
        let active = ActiveTime(of: walk)
        func column(_ path: KeyPath<WalkSeries, [Double?]?>) -> SampleColumn? {
            walk.series.flatMap { SampleColumn($0[keyPath: path], of: $0, active: active) }
        }
        let seconds = Double(active.activeMs) / 1000
        elapsedS = rounded(Double(active.elapsedMs) / 1000, places: 3)
        activeS = rounded(seconds, places: 3)

        let speed = column(\.speedKmh)
        let metres = Self.metres(distance: column(\.distanceM), speed: speed, totals: walk.totals)
        distanceM = metres.map { rounded($0, places: 2) }
        if let metres, seconds > 0 { meanSpeedKmh = rounded(metres / seconds * 3.6, places: 3) }
        if let metres, metres > 0 { meanPaceSPerKm = rounded(seconds / metres * 1000, places: 1) }

        let heart = column(\.heartRateBpm)
        meanHeartRateBpm = (heart?.mean ?? walk.totals?.meanHeartRateBpm).map { rounded($0, places: 2) }
        maxHeartRateBpm = (heart?.maximum ?? walk.totals?.maxHeartRateBpm).map { rounded($0, places: 2) }
        if let heart, active.activeMs > 0 {
            coverage = rounded(Double(heart.weighted.ms) / Double(active.activeMs), places: 4)
        }
        activeEnergyKcal =
            (column(\.activeEnergyKcal)?.growth(possiblePerS: Self.possibleKcalPerS)
            ?? walk.totals?.activeEnergyKcal)
            .map { rounded($0, places: 2) }

        self.targetSpeedKmh = targetSpeedKmh
        if let targetSpeedKmh, let speed {
            aboveTargetS = rounded(Double(speed.ms(above: targetSpeedKmh)) / 1000, places: 3)
            aboveTargetCount = speed.crossings(above: targetSpeedKmh)
        }
    }

    /// 15 km/h, the pace of the fastest walkers; and what goes with it, 20 kcal a minute.
    private static let possibleMPerS = 15 / 3.6
    private static let possibleKcalPerS = 20.0 / 60

    private static func metres(distance: SampleColumn?, speed: SampleColumn?, totals: WalkTotals?) -> Double?
    {
        if let growth = distance?.growth(possiblePerS: possibleMPerS) { return growth }
        // km/h × ms / 3600 = metres.
        if let speed, speed.weighted.ms > 0 { return speed.weighted.sum / 3600 }
        return totals?.distanceM
    }
}
