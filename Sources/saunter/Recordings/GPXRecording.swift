import Foundation
import SaunterCore

/// Reads the tracks of a GPX file: places and times, and the heart rate where an extension has it.
///
/// GPX states no distance: it is reckoned from the places. A break between segments is a pause, and the way
/// across it counts for nothing.
struct GPXRecording {
    private typealias Place = (latitude: Double, longitude: Double)

    private let segments: [[(point: RecordedWalk.Point, place: Place)]]
    private let remarks: [String]

    /// - Throws: `CommandFault` when there is nothing to import.
    init(_ root: XMLElements) throws {
        let all = root.all("trk").flatMap { $0.all("trkseg") }
        var timeless = 0
        segments = all.map { segment in
            segment.all("trkpt").compactMap { element in
                guard let point = Self.point(element), let place = Self.place(element) else {
                    timeless += 1
                    return nil
                }
                return (point, place)
            }.sorted { $0.point.at < $1.point.at }
        }.filter { !$0.isEmpty }.sorted { $0[0].point.at < $1[0].point.at }
        guard !segments.isEmpty else { throw CommandFault("the file holds no track with times") }
        remarks = timeless == 0 ? [] : ["points without time or place, left out: \(timeless)"]
    }

    func walk() throws -> RecordedWalk {
        var points: [RecordedWalk.Point] = []
        var pauses: [(from: Instant, to: Instant)] = []
        var distance = 0.0
        for segment in segments {
            if let last = points.last?.at, last < segment[0].point.at {
                pauses.append((last, segment[0].point.at))
            }
            for (index, entry) in segment.enumerated() {
                if index > 0 { distance += Self.metres(segment[index - 1].place, entry.place) }
                var point = entry.point
                point.distanceM = (distance * 10).rounded() / 10
                points.append(point)
            }
        }
        guard let first = points.map(\.at).min(), let last = points.map(\.at).max(), first < last else {
            throw CommandFault("the track lasts no time at all")
        }
        return RecordedWalk(
            startedAt: first, endedAt: last, pauses: pauses,
            totals: .init(distanceM: (distance * 10).rounded() / 10),
            points: points, remarks: remarks)
    }

    private static func point(_ element: XMLElements) -> RecordedWalk.Point? {
        guard let at = element["time"].flatMap({ Instant($0.text.filter { !$0.isWhitespace }) }) else {
            return nil
        }
        return RecordedWalk.Point(at: at, heartRateBpm: element["extensions"]?.first(below: "hr")?.number)
    }

    private static func place(_ element: XMLElements) -> Place? {
        guard let latitude = element.attributes["lat"].flatMap({ Double($0) }), (-90...90).contains(latitude),
            let longitude = element.attributes["lon"].flatMap({ Double($0) }),
            (-180...180).contains(longitude)
        else { return nil }
        return (latitude, longitude)
    }

    /// The haversine distance on a sphere of the Earth's mean radius.
    private static func metres(_ from: Place, _ to: Place) -> Double {
        let radians = Double.pi / 180
        let across = sin((to.latitude - from.latitude) * radians / 2)
        let along = sin((to.longitude - from.longitude) * radians / 2)
        let share =
            across * across + cos(from.latitude * radians) * cos(to.latitude * radians) * along * along
        return 2 * 6_371_008.8 * asin(min(1, share.squareRoot()))
    }
}
