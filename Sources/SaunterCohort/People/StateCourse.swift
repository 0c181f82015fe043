import Foundation
import SaunterCore

/// How well a simulated participant feels at each moment, from 0 to 1: the sum of the participant's usual state, a
/// level of the day that depends on the days before, a weekly rhythm and an effect of the time of day.
struct StateCourse: Sendable, Hashable {
    private let seed: UInt64
    private let index: Int
    private let usual: Double
    /// How strongly the participant follows the week.
    private let weekly: Double
    /// The hour at which the participant feels best, and by how much.
    private let bestHour: Double
    private let hourly: Double

    /// The correlation between the levels of consecutive days.
    private static let persistence = 0.6
    /// The standard deviation of the level of a day.
    private static let dailySpread = 0.12
    /// Beyond this number of days the influence of an earlier day is negligible.
    private static let rememberedDays = 16
    /// By weekday, from Monday.
    private static let week = [-0.05, -0.03, -0.01, 0, 0.04, 0.05, 0]

    /// - Parameters:
    ///   - index: the index of the participant in the cohort.
    ///   - strain: the participant's level of strain, 0 to 1.
    init(seed: UInt64, index: Int, strain: Double) {
        var numbers = SeededNumbers(seed: seed, 5, index)
        self.seed = seed
        self.index = index
        usual = 0.95 - 0.7 * strain
        weekly = Double.random(in: 0.3...1.5, using: &numbers)
        bestHour = Double.random(in: 10...20, using: &numbers)
        hourly = Double.random(in: 0.02...0.08, using: &numbers)
    }

    /// The state at a local date and time.
    func state(on date: LocalDate, at time: LocalTime) -> Double {
        let daily = (0..<Self.rememberedDays).reduce(0.0) { sum, age in
            var numbers = SeededNumbers(seed: seed, 6, index, date.days - age)
            let change = numbers.number(
                around: 0, spread: Self.dailySpread * (1 - Self.persistence * Self.persistence).squareRoot())
            return sum + pow(Self.persistence, Double(age)) * change
        }
        let angle = (Double(time.seconds) / 3600 - bestHour) / 24 * 2 * Double.pi
        let state = usual + daily + weekly * Self.week[date.weekday - 1] + hourly * cos(angle)
        return min(1, max(0, state))
    }
}
