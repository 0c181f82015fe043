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

extension Sequence<WalkPause> {
    /// Whether two different pauses overlap. Equal pauses count as one.
    var hasOverlap: Bool {
        let sorted = inOrder
        return zip(sorted, sorted.dropFirst()).contains { $0 != $1 && $1.from < $0.to }
    }

    /// Pauses that cover the same time, in order and without overlaps.
    var union: [WalkPause] {
        var union: [WalkPause] = []
        for pause in inOrder {
            if let last = union.last, pause.from <= last.to {
                union[union.count - 1].to = Swift.max(last.to, pause.to)
            } else {
                union.append(pause)
            }
        }
        return union
    }

    private var inOrder: [WalkPause] {
        sorted { $0.from == $1.from ? $0.to < $1.to : $0.from < $1.from }
    }

    /// The length of the union, in milliseconds.
    var unionMs: Int64 {
        var sum: Int64 = 0
        var covered = Instant.minimum
        for pause in sorted(by: { $0.from < $1.from }) where pause.to > covered {
            sum += pause.to.milliseconds(since: Swift.max(pause.from, covered))
            covered = pause.to
        }
        return sum
    }
}
