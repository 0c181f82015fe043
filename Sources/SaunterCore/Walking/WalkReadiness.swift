/// Whether the participant can start a walk now, and the reason if not.
package struct WalkReadiness: Sendable, Hashable {
    /// Why the participant cannot start a walk.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case calibrationMissing = "calibration_missing"
        case notEnrolled = "not_enrolled"
        /// The study has no walks.
        case notInStudy = "not_in_study"
    }

    /// Whether nothing prevents a walk.
    package var canStart: Bool { reason == nil }
    /// Nil if the participant can start a walk.
    package var reason: Reason?

    /// Decides whether the participant can start a walk at this instant.
    package init(study: Study, facts: EnrolmentFacts, at now: Instant) {
        guard let rule = study.walking else {
            reason = .notInStudy
            return
        }
        if !facts.status.isEnrolled(at: now) {
            reason = .notEnrolled
        } else if rule.requiresCalibration, !facts.hasCalibration {
            reason = .calibrationMissing
        }
    }
}
