/// What is odd about a walk that is stored all the same.
package enum WalkFlag: String, Sendable, Hashable, CaseIterable {
    /// The study asks for a calibration first, and there was none.
    case calibrationMissing = "calibration_missing"
    /// It ends more than two minutes after the server received it: the device's clock is ahead.
    case clockAhead = "clock_ahead"
    /// It began before the participant enrolled.
    case beforeEnrolment = "before_enrolment"
    /// It began after the participant left.
    case afterWithdrawal = "after_withdrawal"
}

extension Walk {
    /// In the order of the enumeration.
    package func flags(
        rule: WalkingRule?, calibrationPresent: Bool, enrolledAt: Instant, status: EnrolmentStatus,
        receivedAt: Instant
    ) -> [WalkFlag] {
        WalkFlag.allCases.filter { flag in
            switch flag {
            case .calibrationMissing: rule?.requiresCalibration ?? false && !calibrationPresent
            case .clockAhead: endedAt.milliseconds(since: receivedAt) > 120_000
            case .beforeEnrolment: startedAt < enrolledAt
            case .afterWithdrawal: !status.isEnrolled(at: startedAt)
            }
        }
    }
}
