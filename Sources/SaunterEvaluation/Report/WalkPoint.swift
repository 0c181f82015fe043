import SaunterCore

/// One walk in a report.
package struct WalkPoint: Sendable, Hashable {
    /// The pseudonym of the participant.
    package let pseudonym: String
    /// Days since enrolment.
    package let day: Int
    /// The mean speed in active time, in km/h.
    package let meanSpeed: Double?
    /// The target speed of the calibration that was in force, in km/h.
    package let targetSpeed: Double?
    /// The mean heart rate per minute.
    package let meanHeartRate: Double?
    /// The duration without pauses, in seconds.
    package let activeSeconds: Double?

    var json: JSON {
        [
            "participant_id": .string(pseudonym), "study_day": .int(day),
            "mean_speed_kmh": .optional(meanSpeed, JSON.double),
            "target_speed_kmh": .optional(targetSpeed, JSON.double),
            "mean_hr_bpm": .optional(meanHeartRate, JSON.double),
            "active_s": .optional(activeSeconds, JSON.double),
        ]
    }
}
