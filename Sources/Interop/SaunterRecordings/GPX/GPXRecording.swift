import Foundation
import SaunterCore

/// Reads the tracks of a GPX file; each track is a walk. It reads positions, times, and the heart rate, speed and
/// distance of extensions (TrackPointExtension of Garmin, gpxdata of Cluetrust, and the speed of GPX 1.0).
///
/// GPX itself has no distance. If no extension states one for every point, the distance is calculated from the
/// positions. A break between segments is a pause, and so is a gap in a segment. The distance across a pause does not
/// count.
enum GPXRecording {
    /// The walks of a file. The root element must be open.
    static func read(_ reader: inout XMLReader, _ root: XMLTag) throws(RecordingFault) -> RecordingContents {
        var contents = RecordingContents()
        var discarded = GPXRemarks()
        let device = root["creator"].map { RecordedWalk.Device(model: $0) }
        while let part = try reader.child() {
            guard part.name == "trk" else {
                try reader.skip()
                continue
            }
            let track = try track(&reader, &discarded)
            if let walk = walk(of: track.segments, device, track.sport) { try contents.add(walk) }
        }
        guard !contents.walks.isEmpty else { throw RecordingFault("the file contains no track with times") }
        contents.remarks = discarded.list + contents.remarks
        return contents
    }

    /// The segments of a track, and the sport that its `type` names.
    private static func track(
        _ reader: inout XMLReader, _ discarded: inout GPXRemarks
    ) throws(RecordingFault) -> (segments: [[GPXPoint]], sport: Sport?) {
        var segments: [[GPXPoint]] = []
        var sport: Sport?
        var count = 0
        while let part = try reader.child() {
            if part.name == "type" {
                sport = Sport(deviceName: try reader.content())
                continue
            }
            guard part.name == "trkseg" else {
                try reader.skip()
                continue
            }
            var segment: [GPXPoint] = []
            while let entry = try reader.child() {
                count += 1
                guard count <= Recording.maximumPoints else {
                    throw RecordingFault("a walk has more than \(Recording.maximumPoints) points")
                }
                let element = try reader.element(entry)
                guard entry.name == "trkpt" else { continue }
                if let point = GPXPoint(element) {
                    segment.append(point)
                    if point.cadence != nil { discarded.cadences += 1 }
                } else {
                    discarded.incomplete += 1
                }
            }
            if !segment.isEmpty { segments.append(segment.sorted { $0.at < $1.at }) }
        }
        return (split(segments.sorted { $0[0].at < $1[0].at }), sport)
    }

    /// Splits the segments at their gaps.
    private static func split(_ segments: [[GPXPoint]]) -> [[GPXPoint]] {
        let gaps = Set(SamplingGaps.gaps(between: segments.flatMap { $0.map(\.at) }).map(\.to))
        return segments.flatMap { segment in
            segment.reduce(into: [[GPXPoint]]()) { parts, point in
                if let last = parts.last?.last, !(gaps.contains(point.at) && last.at < point.at) {
                    parts[parts.count - 1].append(point)
                } else {
                    parts.append([point])
                }
            }
        }
    }

    /// The walk; nil if it has no duration.
    private static func walk(
        of segments: [[GPXPoint]], _ device: RecordedWalk.Device?, _ sport: Sport?
    ) -> RecordedWalk? {
        var points: [RecordedWalk.Point] = []
        var pauses: [WalkPause] = []
        var distance = 0.0
        let hasStatedDistance = segments.allSatisfy { $0.allSatisfy { $0.distanceM != nil } }
        for segment in segments {
            if let last = points.last?.at, last < segment[0].at {
                pauses.append(WalkPause(from: last, to: segment[0].at))
            }
            for (index, point) in segment.enumerated() {
                if index > 0 { distance += segment[index - 1].metres(to: point) }
                if hasStatedDistance { distance = point.distanceM ?? distance }
                points.append(
                    RecordedWalk.Point(
                        at: point.at, distanceM: (distance * 10).rounded() / 10,
                        heartRateBpm: point.heartRateBpm,
                        speedKmh: point.speedMPerS.map { $0 * 3.6 }))
            }
        }
        guard let first = points.map(\.at).min(), let last = points.map(\.at).max(), first < last else {
            return nil
        }
        return RecordedWalk(
            startedAt: first, endedAt: last, pauses: pauses,
            totals: .init(distanceM: (distance * 10).rounded() / 10), device: device, sport: sport,
            points: points)
    }
}

/// The number of discarded values of a GPX file.
private struct GPXRemarks {
    var incomplete = 0
    var cadences = 0

    var list: [String] {
        var list: [String] = []
        if incomplete > 0 { list.append("points without time or position, left out: \(incomplete)") }
        if cadences > 0 {
            list.append("points whose cadence was left out, because a walk has no cadence: \(cadences)")
        }
        return list
    }
}
