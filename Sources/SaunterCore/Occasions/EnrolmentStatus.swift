/// A span in which the participant takes a break from the study. No reminders are sent.
package struct Pause: Sendable, Hashable {
    /// Inclusive.
    package var from: Instant
    /// Exclusive. Nil while the pause lasts.
    package var to: Instant?

    /// Creates a pause; without `to` it lasts.
    package init(from: Instant, to: Instant? = nil) {
        self.from = from
        self.to = to
    }

    func covers(_ first: Instant, through last: Instant) -> Bool {
        from <= first && last < (to ?? .maximum)
    }
}

/// The part of an enrolment's state that planning needs.
package struct EnrolmentStatus: Sendable, Hashable {
    /// When the participant left the study or was removed before the study's end. Nil while enrolled.
    package var endedAt: Instant?
    /// The pauses in chronological order.
    package var pauses: [Pause]

    /// Creates a status; by default the participant is enrolled and not paused.
    package init(endedAt: Instant? = nil, pauses: [Pause] = []) {
        self.endedAt = endedAt
        self.pauses = pauses
    }

    /// Enrolled, without any pause.
    package static let active = EnrolmentStatus()

    /// Whether the participant is still enrolled at this instant. At `endedAt` the participant is not enrolled any
    /// more.
    package func isEnrolled(at instant: Instant) -> Bool {
        endedAt.map { instant < $0 } ?? true
    }

    /// Whether this instant is in a pause.
    package func isPaused(at instant: Instant) -> Bool {
        pausedSince(at: instant) != nil
    }

    /// When the pause began that contains this instant; nil if there is none.
    package func pausedSince(at instant: Instant) -> Instant? {
        pauses.first { $0.covers(instant, through: instant) }?.from
    }

    /// Why a window is excluded from all denominators. There are two reasons:
    /// 1. The window was still running when the participant left.
    /// 2. One pause covers the window from its opening to its due time. A window that the participant can still meet on
    ///    time after the pause is not excluded.
    func exclusion(of window: AssessmentWindow) -> OccasionExclusion? {
        if let endedAt, window.closeAt > endedAt { return .withdrawn }
        return pauses.contains { $0.covers(window.openAt, through: window.dueAt) } ? .paused : nil
    }
}
