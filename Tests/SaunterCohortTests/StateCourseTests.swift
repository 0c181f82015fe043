import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct StateCourseTests {
    private static let midnight = LocalTime.midnight

    /// The states of many participants at the same time on consecutive days, without the mean of the participant.
    private static func deviations(days: Int) -> [[Double]] {
        (0..<60).map { index in
            let course = StateCourse(seed: 1, index: index, strain: 0.5)
            let states = (0..<days).map { course.state(on: LocalDate(days: 20_000 + $0), at: midnight) }
            let mean = states.reduce(0, +) / Double(days)
            return states.map { $0 - mean }
        }
    }

    @Test func `the level of a day resembles that of the day before, and not that of a month before`() {
        let rows = Self.deviations(days: 120)

        func correlation(_ distance: Int) -> Double {
            let products = rows.flatMap { row in zip(row, row.dropFirst(distance)).map { $0 * $1 } }
            let squares = rows.flatMap { $0.map { $0 * $0 } }
            return products.reduce(0, +) / Double(products.count)
                / (squares.reduce(0, +) / Double(squares.count))
        }

        #expect(correlation(1) > 0.45, "\(correlation(1))")
        #expect(abs(correlation(30)) < 0.15, "\(correlation(30))")
    }

    @Test func `weekends are better than the beginning of the week`() {
        func mean(_ weekday: Int) -> Double {
            let states = (0..<60).flatMap { index in
                (0..<140).map { LocalDate(days: 20_000 + $0) }.filter { $0.weekday == weekday }.map {
                    StateCourse(seed: 1, index: index, strain: 0.5).state(on: $0, at: Self.midnight)
                }
            }
            return states.reduce(0, +) / Double(states.count)
        }

        #expect(mean(6) - mean(1) > 0.05)
    }

    @Test func `a day has a best hour`() throws {
        let course = StateCourse(seed: 1, index: 3, strain: 0.5)
        let date = LocalDate(days: 20_000)

        let states = try (0..<24).map { hour in
            course.state(on: date, at: try #require(LocalTime(hour: hour, minute: 0)))
        }

        let range = try #require(states.max()) - (try #require(states.min()))
        #expect(range > 0.03 && range < 0.2, "\(range)")
    }

    @Test func `participants with more strain feel worse`() {
        let date = LocalDate(days: 20_000)

        let calm = StateCourse(seed: 1, index: 0, strain: 0.2).state(on: date, at: Self.midnight)
        let strained = StateCourse(seed: 1, index: 0, strain: 0.8).state(on: date, at: Self.midnight)

        #expect(calm > strained)
    }
}
