extension Occasion {
    /// The state at a moment. Open and due are inclusive, close is exclusive. A sheet counts from when it is
    /// known, whatever the moment, and before every reason to set the occasion aside.
    package func state(at now: Instant) -> OccasionState {
        if isAnswered {
            return (completedAt ?? window.dueAt) <= window.dueAt ? .completedOnTime : .completedLate
        }
        switch setAside {
        case .cancelled: return .cancelled
        case .paused: return .paused
        case .notApplicable: return .notApplicable
        case .nonexistent: return .nonexistent
        case .withdrawn: return .withdrawn
        case nil: break
        }
        if now < window.openAt { return .upcoming }
        if now >= window.closeAt { return .missed }
        return now <= window.dueAt ? .open : .overdue
    }
}

extension OccasionState {
    /// Whether a sheet may be begun now.
    package var isAnswerable: Bool { self == .open || self == .overdue }
}

extension AssessmentWindow {
    /// How a sheet of this time (by the corrected clock) lies to the window. A sheet of the very moment of
    /// the close is after it. After the close it is late where the schedule lets late sheets complete their
    /// occasion, else out of the window.
    package func standing(of completedAt: Instant, latePolicy: LatePolicy) -> Standing {
        if completedAt < openAt { return .early }
        if completedAt <= dueAt { return .onTime }
        return completedAt < closeAt || latePolicy == .complete ? .late : .outOfWindow
    }

    /// Whole seconds after the due; nil for a sheet that was in time.
    package func lateness(of completedAt: Instant) -> Int64? {
        completedAt > dueAt ? completedAt.milliseconds(since: dueAt) / 1000 : nil
    }
}

extension Standing {
    /// Whether a sheet of this standing completes its occasion. Every sheet is kept, whatever this says.
    package var completesOccasion: Bool { self == .onTime || self == .late }
}
