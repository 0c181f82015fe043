import SaunterCore

/// Where a file that states no pauses has no points for a while: some exporters join what the watch had kept apart.
///
/// A hole is longer than the 30 s beyond which nobody knows what went on (see `WalkSummary`), and ten times as long as the file's
/// usual step, so that a file with few points is not full of them.
enum RecordingHoles {
    private static let leastMs: Int64 = 30_000
    private static let leastSteps: Int64 = 10

    /// The holes between these moments, which may come in any order and more than once.
    static func holes(between moments: [Instant]) -> [WalkPause] {
        let times = moments.sorted()
        let steps = zip(times, times.dropFirst()).map { WalkPause(from: $0, to: $1) }.filter {
            $0.from < $0.to
        }
        let lengths = steps.map { $0.to.milliseconds(since: $0.from) }.sorted()
        guard !lengths.isEmpty else { return [] }
        let least = max(
            leastMs, lengths[lengths.count / 2] * leastSteps)
        return steps.filter { $0.to.milliseconds(since: $0.from) > least }
    }

    /// Those that none of the pauses that a file states touches.
    static func holes(between moments: [Instant], beside pauses: [WalkPause]) -> [WalkPause] {
        // A pause that begins later and ends earlier than one before it touches nothing else.
        var stated: [WalkPause] = []
        for pause in pauses.sorted(by: { $0.from < $1.from }) where pause.to > stated.last?.to ?? .minimum {
            stated.append(pause)
        }
        var place = 0
        return holes(between: moments).filter { hole in
            while place < stated.count, stated[place].to <= hole.from { place += 1 }
            return place == stated.count || hole.to <= stated[place].from
        }
    }
}
