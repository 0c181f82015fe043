/// A walk without the series that the participant does not permit.
package struct PermittedWalk: Sendable, Hashable {
    /// The walk with the permitted series and totals only.
    package let walk: Walk
    /// The series that were dropped, in the order of the enumeration. A series that the walk does not have is not
    /// dropped.
    package let dropped: [DataKind.WalkSeries]

    /// - Parameter forbidden: the series that the participant does not permit.
    package init(_ walk: Walk, without forbidden: Set<DataKind.WalkSeries>) {
        dropped = DataKind.WalkSeries.allCases.filter { forbidden.contains($0) && walk.has($0) }
        self.walk = dropped.isEmpty ? walk : Walk(walk, without: Set(dropped))
    }

    /// The flags of the walk for the dropped series.
    package var flags: [WalkFlag] { dropped.map(\.flag) }
}

extension DataKind.WalkSeries {
    /// The flag of a walk from which the series was dropped.
    package var flag: WalkFlag {
        switch self {
        case .speed: .noConsentSpeed
        case .heartRate: .noConsentHeartRate
        case .distance: .noConsentDistance
        case .energy: .noConsentEnergy
        }
    }

    /// The members of `totals` in the API that contain the measure.
    package var totals: Set<String> {
        switch self {
        case .speed: []
        case .heartRate: ["mean_heart_rate_bpm", "max_heart_rate_bpm"]
        case .distance: ["distance_m"]
        case .energy: ["active_energy_kcal"]
        }
    }
}

extension Walk {
    /// Whether the walk has samples or a total of the measure.
    fileprivate func has(_ measure: DataKind.WalkSeries) -> Bool {
        switch measure {
        case .speed: series?.speedKmh != nil
        case .heartRate:
            series?.heartRateBpm != nil || totals?.meanHeartRateBpm != nil || totals?.maxHeartRateBpm != nil
        case .distance: series?.distanceM != nil || totals?.distanceM != nil
        case .energy: series?.activeEnergyKcal != nil || totals?.activeEnergyKcal != nil
        }
    }

    /// The walk without the samples and totals of these measures.
    fileprivate init(_ walk: Walk, without measures: Set<DataKind.WalkSeries>) {
        startedAt = walk.startedAt
        endedAt = walk.endedAt
        pauses = walk.pauses
        var series = walk.series
        var totals = walk.totals
        for measure in measures {
            switch measure {
            case .speed: series?.speedKmh = nil
            case .heartRate:
                series?.heartRateBpm = nil
                totals?.meanHeartRateBpm = nil
                totals?.maxHeartRateBpm = nil
            case .distance:
                series?.distanceM = nil
                totals?.distanceM = nil
            case .energy:
                series?.activeEnergyKcal = nil
                totals?.activeEnergyKcal = nil
            }
        }
        // Times without a value are of no use.
        self.series = series.flatMap { $0.hasValues ? $0 : nil }
        self.totals = totals
    }
}

extension WalkSeries {
    fileprivate var hasValues: Bool {
        speedKmh != nil || heartRateBpm != nil || distanceM != nil || activeEnergyKcal != nil
    }
}
