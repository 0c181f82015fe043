import Postgres
import SaunterCore

/// A stored walk.
package struct StoredWalk: Sendable {
    /// The samples and the device's data.
    package struct Detail: Sendable {
        /// What the device stated about itself; nil if it stated nothing.
        package var device: JSON?
        /// The totals that the device reported, with the names of the API; nil if it reported none.
        package var totals: JSON?
        /// Start, end, start, end, … of the pauses in milliseconds since the start of the walk.
        package var pausesMs: [Int]
        /// The samples; nil if the walk has none.
        package var series: WalkSeries?
    }

    /// The UUID that the device generated.
    package var id: WalkID
    /// By the device's clock.
    package var startedAt: Instant
    /// By the device's clock.
    package var endedAt: Instant
    /// When the server received it, by the server's clock.
    package var receivedAt: Instant
    /// Skew of the device's clock in milliseconds. The instants above are as the device reported them.
    package var skewMs: Int64
    /// The participant's time zone during the walk.
    package var zone: Zone
    /// Nil if the device named none, or one that this version does not know.
    package var sport: Sport?
    /// The calibration whose target speed applies; nil if there is none.
    package var calibration: CalibrationID?
    /// Codes of what is unusual, such as `calibration_missing`.
    package var flags: [String]
    /// With the member names of the API. Values that were not measured are null.
    package var summary: JSON
    /// Present only if the walk was requested by its id.
    package var detail: Detail?

    init(_ row: Row) throws {
        id = try row.id("walk_id")
        startedAt = try row.instant("started_at")
        endedAt = try row.instant("ended_at")
        receivedAt = try row.instant("received_at")
        skewMs = try row.get("skew_ms")
        zone = try row.zone("zone")
        sport = try row.getOptional("sport", as: String.self).flatMap { Sport(rawValue: $0) }
        calibration = try row.idOptional("calibration_id")
        flags = try row.get("flags")
        var members = JSONObject()
        for column in Self.summaryColumns {
            members[column] = .optional(try row.getOptional(column, as: Double.self), JSON.double)
        }
        members["above_target_count"] = .optional(
            try row.getOptional("above_target_count", as: Int.self), JSON.int)
        members["coverage"] = .optional(try row.getOptional("coverage", as: Double.self), JSON.double)
        summary = .object(members)
    }

    private static let summaryColumns = [
        "elapsed_s", "active_s", "distance_m", "mean_speed_kmh", "mean_pace_s_per_km", "mean_heart_rate_bpm",
        "max_heart_rate_bpm", "active_energy_kcal", "target_speed_kmh", "above_target_s",
    ]

    mutating func readDetail(_ row: Row) throws {
        let times: [Int] = try row.get("t_ms")
        let series =
            times.isEmpty
            ? nil
            : WalkSeries(
                tMs: times, speedKmh: try row.getOptional("speed_kmh"),
                heartRateBpm: try row.getOptional("heart_rate_bpm"),
                distanceM: try row.getOptional("sample_distance_m"),
                activeEnergyKcal: try row.getOptional("sample_energy_kcal"))
        detail = Detail(
            device: try row.getOptional("device", as: String.self).map { try JSONReader.read($0) },
            totals: try row.getOptional("totals", as: String.self).map { try JSONReader.read($0) },
            pausesMs: try row.get("pauses_ms"), series: series)
    }
}

extension WalkSummary {
    /// The summary as JSON of the API.
    package var json: JSON {
        [
            "elapsed_s": .double(elapsedS), "active_s": .double(activeS),
            "distance_m": .optional(distanceM, JSON.double),
            "mean_speed_kmh": .optional(meanSpeedKmh, JSON.double),
            "mean_pace_s_per_km": .optional(meanPaceSPerKm, JSON.double),
            "mean_heart_rate_bpm": .optional(meanHeartRateBpm, JSON.double),
            "max_heart_rate_bpm": .optional(maxHeartRateBpm, JSON.double),
            "active_energy_kcal": .optional(activeEnergyKcal, JSON.double),
            "target_speed_kmh": .optional(targetSpeedKmh, JSON.double),
            "above_target_s": .optional(aboveTargetS, JSON.double),
            "above_target_count": .optional(aboveTargetCount, JSON.int),
            "coverage": .optional(coverage, JSON.double),
        ]
    }
}

extension WalkTotals {
    /// The totals that the device reported, as JSON of the API.
    package var json: JSON {
        [
            "distance_m": .optional(distanceM, JSON.double),
            "active_energy_kcal": .optional(activeEnergyKcal, JSON.double),
            "mean_heart_rate_bpm": .optional(meanHeartRateBpm, JSON.double),
            "max_heart_rate_bpm": .optional(maxHeartRateBpm, JSON.double),
        ]
    }
}
