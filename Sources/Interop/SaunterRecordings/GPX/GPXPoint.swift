import Foundation
import SaunterCore

/// A point of a GPX track, with time and position.
struct GPXPoint {
    let at: Instant
    /// Degrees.
    private let latitude: Double
    private let longitude: Double
    let heartRateBpm: Double?
    let speedMPerS: Double?
    /// Metres since the start, as the device calculated them.
    let distanceM: Double?
    let cadence: Double?

    /// Nil for a point without time or position.
    init?(_ element: XMLElement) {
        guard let at = element["time"].flatMap({ Instant($0.text.filter { !$0.isWhitespace }) }),
            let latitude = element.tag["lat"].flatMap({ Double(trimmed: $0) }), (-90...90).contains(latitude),
            let longitude = element.tag["lon"].flatMap({ Double(trimmed: $0) }),
            (-180...180).contains(longitude)
        else { return nil }
        self.at = at
        self.latitude = latitude
        self.longitude = longitude
        let extensions = element["extensions"]
        func number(_ names: String...) -> Double? {
            names.lazy.compactMap { extensions?.first(below: $0)?.number }.first
        }
        heartRateBpm = number("hr", "heartrate")
        speedMPerS = element["speed"]?.number ?? number("speed")
        distanceM = number("distance")
        cadence = number("cad", "cadence")
    }

    /// The haversine distance on a sphere of the Earth's mean radius, in metres.
    func metres(to other: GPXPoint) -> Double {
        let radians = Double.pi / 180
        let across = sin((other.latitude - latitude) * radians / 2)
        let along = sin((other.longitude - longitude) * radians / 2)
        let share =
            across * across + cos(latitude * radians) * cos(other.latitude * radians) * along * along
        return 2 * 6_371_008.8 * asin(min(1, share.squareRoot()))
    }
}
