import SaunterCore

/// A watch's timer: it runs from the walk's start, and stopping it again while it stands, or starting it while it runs,
/// changes nothing.
struct Timer {
    private(set) var pauses: [WalkPause] = []
    /// When it was stopped and not started again; the walk's end where nothing came after it.
    private(set) var stoppedAt: Instant?

    mutating func stop(at moment: Instant) {
        stoppedAt = stoppedAt ?? moment
    }

    mutating func start(at moment: Instant) {
        guard let from = stoppedAt else { return }
        if from < moment { pauses.append(WalkPause(from: from, to: moment)) }
        stoppedAt = nil
    }

    /// All pauses of a walk that ended then.
    func pauses(until end: Instant) -> [WalkPause] {
        guard let stoppedAt, stoppedAt < end else { return pauses }
        return pauses + [WalkPause(from: stoppedAt, to: end)]
    }
}

extension Sequence<WalkPause> {
    /// Whether two of them share time; one that is said twice is one.
    var overlap: Bool {
        let sorted = inOrder
        return zip(sorted, sorted.dropFirst()).contains { $0 != $1 && $1.from < $0.to }
    }

    /// The same time, in order and apart.
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

    /// The length of their union, in milliseconds.
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
