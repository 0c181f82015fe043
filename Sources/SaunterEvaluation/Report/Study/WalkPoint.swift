import SaunterCore

/// One walk in a report.
package struct WalkPoint: Sendable, Hashable {
    package let person: String
    /// Days since enrolment.
    package let day: Int
    package let meanSpeed: Double?
    /// Of the calibration that was in force, km/h.
    package let targetSpeed: Double?
    package let meanHeartRate: Double?
    package let activeSeconds: Double?

    var json: JSON {
        [
            "participant_id": .string(person), "study_day": .int(day),
            "mean_speed_kmh": .optional(meanSpeed, JSON.double),
            "target_speed_kmh": .optional(targetSpeed, JSON.double),
            "mean_hr_bpm": .optional(meanHeartRate, JSON.double),
            "active_s": .optional(activeSeconds, JSON.double),
        ]
    }
}
