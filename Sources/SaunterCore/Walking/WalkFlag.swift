/// What is odd about a walk that is stored all the same.
package enum WalkFlag: String, Sendable, Hashable, CaseIterable {
    /// The study asks for a calibration first, and there was none.
    case calibrationMissing = "calibration_missing"
    /// It ends more than two minutes after the server received it: the device's clock is ahead.
    case clockAhead = "clock_ahead"
    /// The device's clock was more than two minutes off when it handed the walk in; the times are judged corrected.
    case clockSkew = "clock_skew"
    /// It began before the participant enrolled.
    case beforeEnrolment = "before_enrolment"
    /// It began after the participant left.
    case afterWithdrawal = "after_withdrawal"
}

extension WalkFlag {
    /// What is odd about the times of something that a device measured, in the order of the enumeration.
    /// - Parameter skewMs: our clock against the device's; what the device says is corrected by it.
    package static func ofTimes(
        from startedAt: Instant, to endedAt: Instant, enrolledAt: Instant, status: EnrolmentStatus,
        receivedAt: Instant, skewMs: Int64
    ) -> [WalkFlag] {
        let startedAt = startedAt.adding(milliseconds: skewMs)
        let endedAt = endedAt.adding(milliseconds: skewMs)
        return WalkFlag.allCases.filter { flag in
            switch flag {
            case .calibrationMissing: false
            case .clockAhead: endedAt.milliseconds(since: receivedAt) > 120_000
            case .clockSkew: skewMs.magnitude > 120_000
            case .beforeEnrolment: startedAt < enrolledAt
            case .afterWithdrawal: !status.isEnrolled(at: startedAt)
            }
        }
    }
}

extension Walk {
    /// In the order of the enumeration.
    /// - Parameter skewMs: our clock against the device's; what the device says is corrected by it.
    package func flags(
        rule: WalkingRule?, calibrationPresent: Bool, enrolledAt: Instant, status: EnrolmentStatus,
        receivedAt: Instant, skewMs: Int64 = 0
    ) -> [WalkFlag] {
        let isMissing = rule?.requiresCalibration ?? false && !calibrationPresent
        return (isMissing ? [.calibrationMissing] : [])
            + WalkFlag.ofTimes(
                from: startedAt, to: endedAt, enrolledAt: enrolledAt, status: status, receivedAt: receivedAt,
                skewMs: skewMs)
    }
}
