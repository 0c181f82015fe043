import SaunterCore

/// The places at which a simulated participant makes entries: home, work and three others near home.
struct SamplePlaces: Sendable, Hashable {
    /// Degrees of latitude and longitude.
    struct Point: Sendable, Hashable {
        var latitude: Double
        var longitude: Double
    }

    private let home: Point
    private let work: Point
    private let others: [Point]

    /// - Parameter city: the centre of the participant's home town.
    init(around city: Point, seed: UInt64, index: Int) {
        var numbers = SeededNumbers(seed: seed, 7, index)
        func near(_ spread: Double) -> Point {
            Point(
                latitude: city.latitude + Double.random(in: -spread...spread, using: &numbers),
                longitude: city.longitude + Double.random(in: -spread...spread, using: &numbers))
        }
        home = near(0.06)
        work = near(0.05)
        others = (0..<3).map { _ in near(0.1) }
    }

    /// The answer to an item of the type `location`, with the precision of a phone.
    func draw(on date: LocalDate, at time: LocalTime, from numbers: inout SeededNumbers) -> JSON {
        let isAtWork = date.weekday <= 5 && (9..<17).contains(time.hour)
        let usual = isAtWork ? work : home
        let point = numbers.chance(0.8) ? usual : others[Int.random(in: 0..<others.count, using: &numbers)]
        func coordinate(_ degrees: Double) -> JSON {
            .double(((degrees + numbers.number(around: 0, spread: 0.0002)) * 1e6).rounded() / 1e6)
        }
        return [
            "lat": coordinate(point.latitude), "lon": coordinate(point.longitude),
            "accuracy_m": .int(Int.random(in: 5...60, using: &numbers)),
        ]
    }
}
