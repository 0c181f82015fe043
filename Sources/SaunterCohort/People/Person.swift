import SaunterCore

/// A simulated participant: identity, habit, and the parameters of answers and walks.
struct Person: Sendable {
    /// The index of the participant in the cohort, from 0.
    let index: Int
    let name: String
    let email: String
    /// The current zone.
    var zone: Zone
    let language: String
    let habit: Habit
    /// Where the participant's answers are on average between the lowest and the highest option, 0 to 1.
    let level: Double
    let course: StateCourse
    let places: SamplePlaces
    let ordinarySpeedKmh: Double
    let reductionPercent: Double
    let restingHeartRate: Double

    init(index: Int, seed: UInt64) {
        var numbers = SeededNumbers(seed: seed, 1, index)
        let givenName = Self.givenNames[index % Self.givenNames.count]
        let familyName = Self.familyNames[
            (index * 7 + index / Self.givenNames.count) % Self.familyNames.count]
        // Names repeat after some hundred participants, but addresses must be unique.
        let number = index < Self.givenNames.count ? "" : "\(index)"
        self.index = index
        name = "\(givenName) \(familyName)"
        email = "\(givenName).\(familyName)\(number)@example.org".lowercased()
        let home = Self.homes[index % Self.homes.count]
        zone = Zone(home.zone) ?? .utc
        language = home.language
        habit = index == 0 ? .steady : Self.habits[index % Self.habits.count]
        level = min(0.85, max(0.15, numbers.number(around: 0.45, spread: 0.18)))
        course = StateCourse(seed: seed, index: index, strain: level)
        places = SamplePlaces(around: home.city, seed: seed, index: index)
        ordinarySpeedKmh = (numbers.number(around: 5.2, spread: 0.4) * 100).rounded() / 100
        reductionPercent = [20, 25, 30, 35, 40][Int.random(in: 0..<5, using: &numbers)]
        restingHeartRate = numbers.number(around: 66, spread: 7).rounded()
    }

    private static let homes = [
        (zone: "Europe/Berlin", language: "de", city: point(52.52, 13.41)),
        (zone: "Europe/Vienna", language: "de", city: point(48.21, 16.37)),
        (zone: "Europe/Dublin", language: "en", city: point(53.35, -6.26)),
        (zone: "Europe/Berlin", language: "de", city: point(52.52, 13.41)),
        (zone: "Europe/Lisbon", language: "en", city: point(38.72, -9.14)),
        (zone: "America/New_York", language: "en", city: point(40.71, -74.01)),
        (zone: "Europe/Zurich", language: "de", city: point(47.37, 8.54)),
    ]

    private static func point(_ latitude: Double, _ longitude: Double) -> SamplePlaces.Point {
        SamplePlaces.Point(latitude: latitude, longitude: longitude)
    }

    private static let habits: [Habit] = [
        .steady, .offline, .forgetful, .late, .sendsTwice, .steady, .stopping, .steady, .withdrawing,
        .forgetful,
    ]

    private static let givenNames = [
        "Ada", "Bruno", "Carla", "David", "Elif", "Florian", "Greta", "Hanna", "Ivo", "Jana", "Kofi", "Lena",
        "Milan",
        "Nora", "Oskar", "Paula", "Quirin", "Rosa", "Selim", "Tilda", "Ulla", "Viktor", "Wanda", "Yusuf",
        "Zoe",
    ]

    private static let familyNames = [
        "Ahorn", "Birke", "Linden", "Wiesner", "Bachmann", "Steg", "Hain", "Moos", "Heide", "Quell", "Farn",
    ]
}
