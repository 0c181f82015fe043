import SaunterCore

/// Reads the activity of a Training Center file (TCX): laps with tracks of points.
///
/// A lap states the time of its timer. Where more time passed between its edges, the watch was paused; a
/// second track in a lap, or a hole between laps, says where.
struct TCXRecording {
    private struct Lap {
        var startedAt: Instant
        var timerMs: Int64?
        var distanceM: Double?
        var calories: Double?
        var tracks: [[RecordedWalk.Point]]

        var points: [RecordedWalk.Point] { tracks.flatMap { $0 } }
    }

    private let laps: [Lap]
    private let remarks: [String]

    /// - Throws: `CommandFault` when there is nothing to import.
    init(_ root: XMLElements) throws {
        let activities = root["Activities"]?.all("Activity") ?? []
        guard let activity = activities.first else { throw CommandFault("the file holds no activity") }
        laps = activity.all("Lap").compactMap(Self.lap).sorted { $0.startedAt < $1.startedAt }
        guard !laps.isEmpty else { throw CommandFault("the activity holds no lap") }
        remarks =
            activities.count > 1 ? ["the file holds \(activities.count) activities; the first is taken"] : []
    }

    /// The walk; its time without pauses is what the laps' timers add up to.
    func walk() throws -> RecordedWalk {
        var pauses: [(from: Instant, to: Instant)] = []
        var endedAt = laps[0].startedAt
        for (place, lap) in laps.enumerated() {
            let next = place + 1 < laps.count ? laps[place + 1].startedAt : nil
            let end = Self.end(of: lap, before: next)
            pauses += Self.pauses(of: lap, until: end)
            if let next, next > end { pauses.append((end, next)) }
            endedAt = max(endedAt, end)
        }
        guard endedAt > laps[0].startedAt else { throw CommandFault("the activity lasts no time at all") }
        func sum(_ value: (Lap) -> Double?) -> Double? {
            let known = laps.compactMap(value)
            return known.isEmpty ? nil : known.reduce(0, +)
        }
        let calories = sum(\.calories)
        return RecordedWalk(
            startedAt: laps[0].startedAt, endedAt: endedAt, pauses: pauses,
            // A lap without a sensor says 0.
            totals: .init(distanceM: sum(\.distanceM), activeEnergyKcal: calories == 0 ? nil : calories),
            points: laps.flatMap(\.points), remarks: remarks)
    }

    /// The last point, or the timer's end where that is later, but never beyond the next lap's start.
    private static func end(of lap: Lap, before next: Instant?) -> Instant {
        let lastPoint = lap.points.map(\.at).max() ?? lap.startedAt
        let timerEnd = lap.startedAt.adding(milliseconds: lap.timerMs ?? 0)
        let end = max(lastPoint, timerEnd)
        // Laps touch: the next one begins a second after the last point of this one at most.
        guard let next else { return end }
        return next.milliseconds(since: end) <= 2000 ? next : end
    }

    /// Where the timer stood still: the holes between tracks, shortened to the time that is missing.
    private static func pauses(of lap: Lap, until end: Instant) -> [(from: Instant, to: Instant)] {
        let missing = end.milliseconds(since: lap.startedAt) - (lap.timerMs ?? .max / 2)
        guard missing > 2000 else { return [] }
        let found = holes(between: lap.tracks) ?? longestHole(in: lap.points).map { [$0] } ?? []
        let total = found.reduce(0) { $0 + $1.to.milliseconds(since: $1.from) }
        guard total > 0 else { return [] }
        return found.map { hole in
            let length = hole.to.milliseconds(since: hole.from)
            let share = Double(length) * min(1, Double(missing) / Double(total))
            // The watch stopped after its last point, and began again with the next.
            return (hole.to.adding(milliseconds: -Int64(share.rounded())), hole.to)
        }
    }

    /// Nil when the lap is one track.
    private static func holes(between tracks: [[RecordedWalk.Point]]) -> [(from: Instant, to: Instant)]? {
        let spans = tracks.compactMap { points -> (first: Instant, last: Instant)? in
            guard let first = points.map(\.at).min(), let last = points.map(\.at).max() else { return nil }
            return (first, last)
        }.sorted { $0.first < $1.first }
        guard spans.count > 1 else { return nil }
        return zip(spans, spans.dropFirst()).compactMap { $0.last < $1.first ? ($0.last, $1.first) : nil }
    }

    private static func longestHole(in points: [RecordedWalk.Point]) -> (from: Instant, to: Instant)? {
        let times = points.map(\.at).sorted()
        return zip(times, times.dropFirst()).max {
            $0.1.milliseconds(since: $0.0) < $1.1.milliseconds(since: $1.0)
        }
        .map { (from: $0.0, to: $0.1) }
    }

    private static func lap(_ element: XMLElements) -> Lap? {
        let tracks = element.all("Track").map { $0.all("Trackpoint").compactMap(point) }
        let stated = element.attributes["StartTime"].flatMap { Instant($0) }
        guard let startedAt = stated ?? tracks.flatMap({ $0 }).map(\.at).min() else { return nil }
        let seconds = element["TotalTimeSeconds"]?.number.flatMap { (0...864_000).contains($0) ? $0 : nil }
        return Lap(
            startedAt: startedAt, timerMs: seconds.map { Int64(($0 * 1000).rounded()) },
            distanceM: element["DistanceMeters"]?.number, calories: element["Calories"]?.number,
            tracks: tracks)
    }

    private static func point(_ element: XMLElements) -> RecordedWalk.Point? {
        guard let at = element["Time"].flatMap({ Instant($0.text.filter { !$0.isWhitespace }) }) else {
            return nil
        }
        return RecordedWalk.Point(
            at: at, distanceM: element["DistanceMeters"]?.number,
            heartRateBpm: element["HeartRateBpm"]?["Value"]?.number,
            speedKmh: element["Extensions"]?.first(below: "Speed")?.number.map { $0 * 3.6 })
    }
}
