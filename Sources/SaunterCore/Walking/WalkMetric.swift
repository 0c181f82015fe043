/// The statistics of a walk, under their names in the API and in the dataset.
package enum WalkMetric: String, Sendable, Hashable, CaseIterable {
    case elapsed = "elapsed_s"
    case active = "active_s"
    case distance = "distance_m"
    case meanSpeed = "mean_speed_kmh"
    case meanPace = "mean_pace_s_per_km"
    case meanHeartRate = "mean_heart_rate_bpm"
    case maximumHeartRate = "max_heart_rate_bpm"
    case activeEnergy = "active_energy_kcal"
    case aboveTarget = "above_target_s"
    case aboveTargetCount = "above_target_count"
    case coverage
}
