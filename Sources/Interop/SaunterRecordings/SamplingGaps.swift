import SaunterCore

/// Finds gaps in the points of a file that states no pauses, because some exporters merge tracks that the watch had
/// separated.
///
/// A gap is longer than 30 s, the limit up to which the values between two points count as known (see `WalkSummary`),
/// and longer than ten times the median interval of the file. So a file with few points does not consist of gaps.
enum SamplingGaps {
    private static let minimumMs: Int64 = 30_000
    private static let minimumIntervals: Int64 = 10

    /// The gaps between these instants, which may be in any order and occur several times.
    static func gaps(between instants: [Instant]) -> [WalkPause] {
        let times = instants.sorted()
        let steps = zip(times, times.dropFirst()).map { WalkPause(from: $0, to: $1) }.filter {
            $0.from < $0.to
        }
        let lengths = steps.map { $0.to.milliseconds(since: $0.from) }.sorted()
        guard !lengths.isEmpty else { return [] }
        let minimum = max(
            minimumMs, lengths[lengths.count / 2] * minimumIntervals)
        return steps.filter { $0.to.milliseconds(since: $0.from) > minimum }
    }

    /// The gaps that no stated pause touches.
    static func gaps(between instants: [Instant], beside pauses: [WalkPause]) -> [WalkPause] {
        // A pause inside an earlier one touches no other gap.
        var stated: [WalkPause] = []
        for pause in pauses.sorted(by: { $0.from < $1.from }) where pause.to > stated.last?.to ?? .minimum {
            stated.append(pause)
        }
        var index = 0
        return gaps(between: instants).filter { gap in
            while index < stated.count, stated[index].to <= gap.from { index += 1 }
            return index == stated.count || gap.to <= stated[index].from
        }
    }
}
