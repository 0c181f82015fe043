/// The time of a walk without its pauses. Times are milliseconds since the start of the walk.
struct ActiveTime {
    let elapsedMs: Int
    private let pauses: [Span]

    private struct Span {
        var from: Int
        var to: Int
        /// Total paused time before this pause.
        var before: Int
    }

    init(of walk: Walk) {
        elapsedMs = Int(walk.endedAt.milliseconds(since: walk.startedAt))
        var spans: [Span] = []
        var sum = 0
        for pause in walk.pauses {
            let span = Span(
                from: Int(pause.from.milliseconds(since: walk.startedAt)),
                to: Int(pause.to.milliseconds(since: walk.startedAt)), before: sum)
            sum += span.to - span.from
            spans.append(span)
        }
        pauses = spans
    }

    var activeMs: Int { between(0, elapsedMs) }

    /// Active milliseconds between two times.
    func between(_ from: Int, _ to: Int) -> Int {
        to <= from ? 0 : (to - from) - (paused(before: to) - paused(before: from))
    }

    /// Whether this time is in a pause. The start of a pause is inclusive, the end is exclusive.
    func isPaused(at time: Int) -> Bool {
        guard let last = span(at: time) else { return false }
        return time < last.to
    }

    /// Number of pauses that have begun by this time.
    func pausesBegun(by time: Int) -> Int { index(after: time) }

    private func paused(before time: Int) -> Int {
        guard let last = span(at: time) else { return 0 }
        return last.before + min(time, last.to) - last.from
    }

    /// The last pause that has begun by this time.
    private func span(at time: Int) -> Span? {
        let index = index(after: time)
        return index > 0 ? pauses[index - 1] : nil
    }

    private func index(after time: Int) -> Int {
        var low = 0
        var high = pauses.count
        while low < high {
            let middle = (low + high) / 2
            if pauses[middle].from <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
