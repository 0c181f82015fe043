import SaunterCore

/// A made-up participant: who they are, and what their answers and walks come from.
struct Person: Sendable {
    let place: Int
    let name: String
    let email: String
    /// Where they are.
    var zone: Zone
    let language: String
    let habit: Habit
    /// How high this person tends to answer, 0 to 1.
    let level: Double
    let ordinarySpeedKmh: Double
    let reductionPercent: Double
    let restingHeartRate: Double

    init(place: Int, seed: UInt64) {
        var numbers = SeededNumbers(seed: seed, 1, place)
        let given = Self.givenNames[place % Self.givenNames.count]
        let family = Self.familyNames[(place * 7 + place / Self.givenNames.count) % Self.familyNames.count]
        // Names repeat after some hundreds; addresses may not.
        let number = place < Self.givenNames.count ? "" : "\(place)"
        self.place = place
        name = "\(given) \(family)"
        email = "\(given).\(family)\(number)@example.org".lowercased()
        let home = Self.homes[place % Self.homes.count]
        zone = Zone(home.zone) ?? .utc
        language = home.language
        habit = place == 0 ? .steady : Self.habits[place % Self.habits.count]
        level = min(0.85, max(0.15, numbers.number(around: 0.45, spread: 0.18)))
        ordinarySpeedKmh = (numbers.number(around: 5.2, spread: 0.4) * 100).rounded() / 100
        reductionPercent = [20, 25, 30, 35, 40][Int.random(in: 0..<5, using: &numbers)]
        restingHeartRate = numbers.number(around: 66, spread: 7).rounded()
    }

    private static let homes = [
        (zone: "Europe/Berlin", language: "de"), (zone: "Europe/Vienna", language: "de"),
        (zone: "Europe/Dublin", language: "en"), (zone: "Europe/Berlin", language: "de"),
        (zone: "Europe/Lisbon", language: "en"), (zone: "America/New_York", language: "en"),
        (zone: "Europe/Zurich", language: "de"),
    ]

    private static let habits: [Habit] = [
        .steady, .offline, .forgetful, .late, .twice, .steady, .fading, .steady, .withdrawing, .forgetful,
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
