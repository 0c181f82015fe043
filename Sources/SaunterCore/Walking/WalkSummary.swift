/// The statistics of one walk. A value is nil if it was not measured, never 0.
///
/// Every value is computed from unrounded values and rounded once, ties to even: seconds and km/h to 3 decimals;
/// metres, beats per minute and kilocalories to 2; pace to 1; coverage to 4.
package struct WalkSummary: Sendable, Hashable {
    /// End − start, in seconds.
    package var elapsedS: Double
    /// Elapsed time − union of the pauses, in seconds.
    package var activeS: Double
    /// The distance in metres: the first available of the growth of the distance series in active time; Σ speed × Δt,
    /// with intervals as for the heart rate; the total that the device reports.
    package var distanceM: Double?
    /// Distance / active time, in km/h.
    package var meanSpeedKmh: Double?
    /// Active time / distance, in seconds per km. It is never a mean of paces.
    package var meanPaceSPerKm: Double?
    /// The mean heart rate in beats per minute: Σ rate × Δt / Σ Δt. A sample is valid until the next one. Pauses and
    /// intervals longer than 30 s are left out.
    package var meanHeartRateBpm: Double?
    /// The highest heart rate outside pauses, in beats per minute.
    package var maxHeartRateBpm: Double?
    /// The active energy in kilocalories: the growth of the energy series in active time, otherwise the total that the
    /// device reports.
    package var activeEnergyKcal: Double?
    /// The target speed of the calibration, in km/h.
    package var targetSpeedKmh: Double?
    /// Active seconds above the target speed. Nil without a target or without speeds.
    package var aboveTargetS: Double?
    /// How often the speed rose above the target. Nil without a target or without speeds.
    package var aboveTargetCount: Int?
    /// The part of the active time with a known heart rate, 0…1.
    package var coverage: Double?

    /// Computes the summary. Without a target speed, the values about the target are nil.
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
            (column(\.activeEnergyKcal)?.growth(plausiblePerS: Self.plausibleKcalPerS)
            ?? walk.totals?.activeEnergyKcal)
            .map { rounded($0, places: 2) }

        self.targetSpeedKmh = targetSpeedKmh
        if let targetSpeedKmh, let speed {
            aboveTargetS = rounded(Double(speed.ms(above: targetSpeedKmh)) / 1000, places: 3)
            aboveTargetCount = speed.crossings(above: targetSpeedKmh)
        }
    }

    /// 15 km/h, the speed of the fastest walkers, in m/s.
    private static let plausibleMPerS = 15 / 3.6
    /// 20 kcal per minute, the energy at that speed, in kcal/s.
    private static let plausibleKcalPerS = 20.0 / 60

    private static func metres(distance: SampleColumn?, speed: SampleColumn?, totals: WalkTotals?) -> Double?
    {
        if let growth = distance?.growth(plausiblePerS: plausibleMPerS) { return growth }
        // km/h × ms / 3600 = metres.
        if let speed, speed.weighted.ms > 0 { return speed.weighted.sum / 3600 }
        return totals?.distanceM
    }
}
