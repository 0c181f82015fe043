import Postgres
import SaunterCore

/// A stored calibration, with the target speed that follows from it.
package struct StoredCalibration: Sendable {
    package var id: CalibrationID
    package var recordedAt: Instant
    package var receivedAt: Instant
    package var meanSpeedKmh: Double
    package var reductionPercent: Double
    package var durationS: Double
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
