/// Whether a walk may be started now, and if not, why.
package struct WalkReadiness: Sendable, Hashable {
    /// What is in the way.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case calibrationMissing = "calibration_missing"
        case notEnrolled = "not_enrolled"
        /// The study has no walks.
        case notInStudy = "not_in_study"
    }

    /// Nothing is in the way.
    package var mayStart: Bool { reason == nil }
    package var reason: Reason?

    package init(study: Study, facts: EnrolmentFacts, at now: Instant) {
        guard let rule = study.walking else {
            reason = .notInStudy
            return
        }
        if !facts.status.isEnrolled(at: now) {
            reason = .notEnrolled
        } else if rule.requiresCalibration, !facts.calibrationPresent {
            reason = .calibrationMissing
        }
    }
}
