import SaunterCore

/// A lap of a Training Center file.
///
/// It states the time of its timer. Where more time passed between its edges, the watch was paused; a second track in a lap,
/// or a hole between laps, says where.
struct TCXLap {
    var startedAt: Instant
    var timerMs: Int64?
    var distanceM: Double?
    var calories: Double?
    var tracks: [[RecordedWalk.Point]]

    var points: [RecordedWalk.Point] { tracks.flatMap { $0 } }

    /// The last point, or the timer's end where that is later, but never beyond the next lap's start.
    func end(before next: Instant?) -> Instant {
        let lastPoint = points.map(\.at).max() ?? startedAt
        let end = max(lastPoint, startedAt.adding(milliseconds: timerMs ?? 0))
        // Laps touch: the next one begins a second after the last point of this one at most.
        guard let next else { return end }
        return next.milliseconds(since: end) <= 2000 ? next : end
    }

    /// Where the timer stood still: the holes between tracks, shortened to the time that is missing.
    func pauses(until end: Instant) -> [WalkPause] {
        guard let timerMs else { return [] }
        let missing = end.milliseconds(since: startedAt) - timerMs
        guard missing > 2000 else { return [] }
        let found = holes ?? longestHole.map { [$0] } ?? []
        let total = found.reduce(0) { $0 + $1.to.milliseconds(since: $1.from) }
        guard total > 0 else { return [] }
        return found.map { hole in
            let length = hole.to.milliseconds(since: hole.from)
            let share = Double(length) * min(1, Double(missing) / Double(total))
            // The watch stopped after its last point, and began again with the next.
            return WalkPause(from: hole.to.adding(milliseconds: -Int64(share.rounded())), to: hole.to)
        }
    }

    /// Nil when the lap is one track.
    private var holes: [WalkPause]? {
        let spans = tracks.compactMap { points -> WalkPause? in
            guard let first = points.map(\.at).min(), let last = points.map(\.at).max() else { return nil }
            return WalkPause(from: first, to: last)
        }.sorted { $0.from < $1.from }
        guard spans.count > 1 else { return nil }
        return zip(spans, spans.dropFirst()).compactMap {
            $0.to < $1.from ? WalkPause(from: $0.to, to: $1.from) : nil
        }
    }

    private var longestHole: WalkPause? {
        let times = points.map(\.at).sorted()
        return zip(times, times.dropFirst()).map { WalkPause(from: $0, to: $1) }
            .max { $0.to.milliseconds(since: $0.from) < $1.to.milliseconds(since: $1.from) }
    }
}
