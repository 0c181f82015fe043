/// A span in which a participant takes a break from prompts; open-ended while it lasts.
package struct Pause: Sendable, Hashable {
    /// Inclusive.
    package var from: Instant
    /// Exclusive; nil while the break lasts.
    package var to: Instant?

    package init(from: Instant, to: Instant? = nil) {
        self.from = from
        self.to = to
    }

    func covers(_ first: Instant, through last: Instant) -> Bool {
        from <= first && last < (to ?? .maximum)
    }
}

/// What has become of an enrolment, as far as planning cares.
package struct EnrolmentStatus: Sendable, Hashable {
    /// When the participant left the study before its end, or was taken out; nil while enrolled.
    package var endedAt: Instant?
    package var pauses: [Pause]

    package init(endedAt: Instant? = nil, pauses: [Pause] = []) {
        self.endedAt = endedAt
        self.pauses = pauses
    }

    /// Enrolled, without any break.
    package static let active = EnrolmentStatus()

    /// Whether the participant has not left by this moment; the moment of leaving is after it.
    package func isEnrolled(at instant: Instant) -> Bool {
        endedAt.map { instant < $0 } ?? true
    }

    /// Whether this moment lies in a break.
    package func isPaused(at instant: Instant) -> Bool {
        pauses.contains { $0.covers(instant, through: instant) }
    }

    /// Why a window is out of the denominators: it was still running when the participant left, or no moment
    /// between its opening and its due lies outside a break. A window that can still be met in time after a
    /// break stays.
    func setAside(_ window: AssessmentWindow) -> OccasionSetAside? {
        if let endedAt, window.closeAt > endedAt { return .withdrawn }
        return pauses.contains { $0.covers(window.openAt, through: window.dueAt) } ? .paused : nil
    }
}
