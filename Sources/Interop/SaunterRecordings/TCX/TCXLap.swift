import SaunterCore

/// A lap of a Training Center file.
///
/// A lap states the time of its timer. If more time passed between its borders, the watch was paused. A second track in
/// the lap, or a gap between laps, shows when.
struct TCXLap {
    var startedAt: Instant
    var timerMs: Int64?
    var distanceM: Double?
    var calories: Double?
    var tracks: [[RecordedWalk.Point]]

    var points: [RecordedWalk.Point] { tracks.flatMap { $0 } }

    /// The end of the lap: its last point or the end of the timer time, whichever is later, but not after the start of
    /// the next lap.
    func end(before next: Instant?) -> Instant {
        let lastPoint = points.map(\.at).max() ?? startedAt
        let end = max(lastPoint, startedAt.adding(milliseconds: timerMs ?? 0))
        // Consecutive laps: the next lap begins at most two seconds after this one ends.
        guard let next else { return end }
        return next.milliseconds(since: end) <= 2000 ? next : end
    }

    /// The pauses of the timer. Together they are as long as the time of the lap that the timer did not count. They are
    /// in the gaps between tracks or, if the lap has only one track, in its longest gap.
    func pauses(until end: Instant) -> [WalkPause] {
        guard let timerMs else { return [] }
        let missing = end.milliseconds(since: startedAt) - timerMs
        guard missing > 2000 else { return [] }
        let found = gaps ?? longestGap.map { [$0] } ?? []
        let total = found.reduce(0) { $0 + $1.to.milliseconds(since: $1.from) }
        guard total > 0 else { return [] }
        return found.map { gap in
            let length = gap.to.milliseconds(since: gap.from)
            let share = Double(length) * min(1, Double(missing) / Double(total))
            // The pause is at the end of the gap, because a watch records a point when it starts again.
            return WalkPause(from: gap.to.adding(milliseconds: -Int64(share.rounded())), to: gap.to)
        }
    }

    /// The gaps between tracks; nil if the lap has one track.
    private var gaps: [WalkPause]? {
        let spans = tracks.compactMap { points -> WalkPause? in
            guard let first = points.map(\.at).min(), let last = points.map(\.at).max() else { return nil }
            return WalkPause(from: first, to: last)
        }.sorted { $0.from < $1.from }
        guard spans.count > 1 else { return nil }
        return zip(spans, spans.dropFirst()).compactMap {
            $0.to < $1.from ? WalkPause(from: $0.to, to: $1.from) : nil
        }
    }

    /// The longest interval between two points.
    private var longestGap: WalkPause? {
        let times = points.map(\.at).sorted()
        return zip(times, times.dropFirst()).map { WalkPause(from: $0, to: $1) }
            .max { $0.to.milliseconds(since: $0.from) < $1.to.milliseconds(since: $1.from) }
    }
}
