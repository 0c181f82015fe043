/// A property of a stored walk that may be a problem for the analysis.
package enum WalkFlag: String, Sendable, Hashable, CaseIterable {
    /// The study requires a calibration, and the participant has none.
    case calibrationMissing = "calibration_missing"
    /// The recording is a sport that is not a walk, such as a ride.
    case notAWalk = "not_a_walk"
    /// The walk ends more than two minutes after the server received it: the clock of the device is fast.
    case clockAhead = "clock_ahead"
    /// The clock of the device differed by more than two minutes during the upload. The server uses corrected times.
    case clockSkew = "clock_skew"
    /// The walk began before the participant enrolled.
    case beforeEnrolment = "before_enrolment"
    /// The walk began after the participant left the study.
    case afterWithdrawal = "after_withdrawal"
    /// The server dropped a series, because the participant does not permit its kind of data.
    case noConsentSpeed = "no_consent_speed_kmh"
    case noConsentHeartRate = "no_consent_heart_rate_bpm"
    case noConsentDistance = "no_consent_distance_m"
    case noConsentEnergy = "no_consent_active_energy_kcal"
}

extension WalkFlag {
    /// The flags of measured times, in the order of the enumeration.
    /// - Parameter skewMs: server time minus device time, in milliseconds. The device times are corrected by it.
    package static func ofTimes(
        from startedAt: Instant, to endedAt: Instant, enrolledAt: Instant, status: EnrolmentStatus,
        receivedAt: Instant, skewMs: Int64
    ) -> [WalkFlag] {
        let startedAt = startedAt.adding(milliseconds: skewMs)
        let endedAt = endedAt.adding(milliseconds: skewMs)
        return WalkFlag.allCases.filter { flag in
            switch flag {
            case .calibrationMissing, .notAWalk, .noConsentSpeed, .noConsentHeartRate, .noConsentDistance,
                .noConsentEnergy:
                false
            case .clockAhead: endedAt.milliseconds(since: receivedAt) > 120_000
            case .clockSkew: skewMs.magnitude > 120_000
            case .beforeEnrolment: startedAt < enrolledAt
            case .afterWithdrawal: !status.isEnrolled(at: startedAt)
            }
        }
    }
}

extension Walk {
    /// The flags of a walk, in the order of the enumeration.
    /// - Parameters:
    ///   - sport: nil if the device named none.
    ///   - skewMs: server time minus device time, in milliseconds. The device times are corrected by it.
    package func flags(
        rule: WalkingRule?, sport: Sport? = nil, hasCalibration: Bool, enrolledAt: Instant,
        status: EnrolmentStatus, receivedAt: Instant, skewMs: Int64 = 0
    ) -> [WalkFlag] {
        let isMissing = rule?.requiresCalibration ?? false && !hasCalibration
        let isOtherSport = sport.map { !$0.isWalk } ?? false
        return (isMissing ? [.calibrationMissing] : []) + (isOtherSport ? [.notAWalk] : [])
            + WalkFlag.ofTimes(
                from: startedAt, to: endedAt, enrolledAt: enrolledAt, status: status, receivedAt: receivedAt,
                skewMs: skewMs)
    }
}
