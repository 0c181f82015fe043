import Postgres
import SaunterCore

/// A stored calibration, with the target speed that follows from it.
package struct StoredCalibration: Sendable {
    /// The UUID that the device generated.
    package var id: CalibrationID
    /// By the device's clock, uncorrected.
    package var recordedAt: Instant
    /// When the server received it, by the server's clock.
    package var receivedAt: Instant
    /// The mean speed of the calibration walk, in km/h.
    package var meanSpeedKmh: Double
    /// By how much the target is slower than the mean speed, in percent.
    package var reductionPercent: Double
    /// The duration of the calibration walk, in seconds.
    package var durationS: Double
    /// The mean speed less the reduction, in km/h.
    package var targetSpeedKmh: Double

    init(_ row: Row) throws {
        id = try row.id("calibration_id")
        recordedAt = try row.instant("recorded_at")
        receivedAt = try row.instant("received_at")
        meanSpeedKmh = try row.get("mean_speed_kmh")
        reductionPercent = try row.get("reduction_percent")
        durationS = try row.get("duration_s")
        targetSpeedKmh = try row.get("target_speed_kmh")
    }
}
