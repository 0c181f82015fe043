/// The four instants of an assessment window; visible ≤ open ≤ due ≤ close. Open and due are inclusive, close is
/// exclusive.
package struct AssessmentWindow: Sendable, Hashable {
    /// From this instant on, the participant sees the occasion.
    package var visibleAt: Instant
    /// From this instant on, the questionnaire can be answered.
    package var openAt: Instant
    /// The last instant of an answer on time.
    package var dueAt: Instant
    /// From this instant on, an answer no longer fulfils the occasion.
    package var closeAt: Instant

    /// Creates a window. The caller keeps the order of the instants.
    package init(visibleAt: Instant, openAt: Instant, dueAt: Instant, closeAt: Instant) {
        self.visibleAt = visibleAt
        self.openAt = openAt
        self.dueAt = dueAt
        self.closeAt = closeAt
    }
}

/// The completion time of a sheet relative to the window of its occasion.
package enum Timeliness: String, Sendable, Hashable, CaseIterable {
    case early, onTime = "on_time", late, outOfWindow = "out_of_window"
    /// The sheet names no occasion, and the questionnaire may be answered without one.
    case unscheduled
}

extension AssessmentWindow {
    /// The timeliness of a sheet with this completion time (corrected for clock skew). A sheet that is completed at
    /// `closeAt` is after the window. After the close, a sheet is late if the late policy is `complete`, otherwise out
    /// of the window.
    package func timeliness(of completedAt: Instant, latePolicy: LatePolicy) -> Timeliness {
        if completedAt < openAt { return .early }
        if completedAt <= dueAt { return .onTime }
        return completedAt < closeAt || latePolicy == .complete ? .late : .outOfWindow
    }

    /// Whole seconds after `dueAt`. Nil if the sheet was completed at or before `dueAt`.
    package func lateness(of completedAt: Instant) -> Int64? {
        completedAt > dueAt ? completedAt.milliseconds(since: dueAt) / 1000 : nil
    }
}

extension Timeliness {
    /// Whether a sheet with this timeliness fulfils its occasion. The server stores every sheet in any case.
    package var fulfilsOccasion: Bool { self == .onTime || self == .late }
}

extension AssessmentWindow {
    /// Whether two windows share any time. Consecutive windows do not overlap.
    package func overlaps(_ other: AssessmentWindow) -> Bool {
        openAt < other.closeAt && other.openAt < closeAt
    }
}
