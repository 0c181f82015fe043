import SaunterCore

/// The timer of a watch. It runs from the start of the walk. Stopping a stopped timer and starting a running timer have
/// no effect.
struct WatchTimer {
    private(set) var pauses: [WalkPause] = []
    /// The instant of the last stop without a following start; nil if the timer runs.
    private(set) var stoppedAt: Instant?

    mutating func stop(at instant: Instant) {
        stoppedAt = stoppedAt ?? instant
    }

    mutating func start(at instant: Instant) {
        guard let from = stoppedAt else { return }
        if from < instant { pauses.append(WalkPause(from: from, to: instant)) }
        stoppedAt = nil
    }

    /// All pauses of a walk with this end.
    func pauses(until end: Instant) -> [WalkPause] {
        guard let stoppedAt, stoppedAt < end else { return pauses }
        return pauses + [WalkPause(from: stoppedAt, to: end)]
    }
}
