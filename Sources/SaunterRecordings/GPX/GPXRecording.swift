import Foundation
import SaunterCore

/// Reads the tracks of a GPX file, each a walk: places and times, and what its extensions say of heart rate, speed and distance
/// (Garmin's TrackPointExtension, Cluetrust's gpxdata, and the speed of GPX 1.0).
///
/// GPX states no distance. Where no extension has one for every point, it is reckoned from the places. A break between
/// segments is a pause, and so is a hole in one; the way across either counts for nothing.
enum GPXRecording {
    /// The walks of a file whose root is open.
    static func read(_ reader: inout XMLReader, _ root: XMLTag) throws(RecordingFault) -> RecordingReading {
        var reading = RecordingReading()
        var left = GPXRemarks()
        let device = root["creator"].map { RecordedWalk.Device(model: $0) }
        while let part = try reader.child() {
            guard part.name == "trk" else {
                try reader.skip()
                continue
            }
            if let walk = walk(of: try segments(&reader, &left), device) { try reading.add(walk) }
        }
        guard !reading.walks.isEmpty else { throw RecordingFault("the file holds no track with times") }
        reading.remarks = left.list + reading.remarks
        return reading
    }

    private static func segments(
        _ reader: inout XMLReader, _ left: inout GPXRemarks
    ) throws(RecordingFault) -> [[GPXPoint]] {
        var segments: [[GPXPoint]] = []
        var count = 0
        while let part = try reader.child() {
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
                    if point.cadence != nil { left.cadences += 1 }
                } else {
                    left.timeless += 1
                }
            }
            if !segment.isEmpty { segments.append(segment.sorted { $0.at < $1.at }) }
        }
        return split(segments.sorted { $0[0].at < $1[0].at })
    }

    /// Each segment apart at its holes.
    private static func split(_ segments: [[GPXPoint]]) -> [[GPXPoint]] {
        let holes = Set(RecordingHoles.holes(between: segments.flatMap { $0.map(\.at) }).map(\.to))
        return segments.flatMap { segment in
            segment.reduce(into: [[GPXPoint]]()) { parts, point in
                if let last = parts.last?.last, !(holes.contains(point.at) && last.at < point.at) {
                    parts[parts.count - 1].append(point)
                } else {
                    parts.append([point])
                }
            }
        }
    }

    /// Nil when it lasts no time.
    private static func walk(of segments: [[GPXPoint]], _ device: RecordedWalk.Device?) -> RecordedWalk? {
        var points: [RecordedWalk.Point] = []
        var pauses: [WalkPause] = []
        var distance = 0.0
        let isStated = segments.allSatisfy { $0.allSatisfy { $0.distanceM != nil } }
        for segment in segments {
            if let last = points.last?.at, last < segment[0].at {
                pauses.append(WalkPause(from: last, to: segment[0].at))
            }
            for (index, point) in segment.enumerated() {
                if index > 0 { distance += segment[index - 1].metres(to: point) }
                if isStated { distance = point.distanceM ?? distance }
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
            totals: .init(distanceM: (distance * 10).rounded() / 10), device: device, points: points)
    }
}

/// What a GPX file held that no walk has.
private struct GPXRemarks {
    var timeless = 0
    var cadences = 0

    var list: [String] {
        var list: [String] = []
        if timeless > 0 { list.append("points without time or place, left out: \(timeless)") }
        if cadences > 0 { list.append("cadence is no part of a walk, left out of points: \(cadences)") }
        return list
    }
}
