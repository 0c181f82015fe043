import Testing

@testable import SaunterCore

@Suite("Adherence")
struct AdherenceTests {
    private let now = Instant(milliseconds: 1_777_896_000_000)

    private func occasion(
        _ number: Int, hours: Int, completedAfter hoursLater: Int? = nil, exclusion: OccasionExclusion? = nil
    ) -> Occasion {
        let open = now.adding(seconds: hours * 3600)
        return Sample.occasion(
            number, open: open, exclusion: exclusion,
            completedAt: hoursLater.map { open.adding(seconds: $0 * 3600) })
    }

    @Test func `settled occasions are answered or closed, without excluded ones`() {
        let occasions = [
            occasion(1, hours: -50, completedAfter: 1), occasion(2, hours: -40, completedAfter: 3),
            occasion(3, hours: -30), occasion(4, hours: -1), occasion(5, hours: -1, completedAfter: 1),
            occasion(6, hours: 20), occasion(7, hours: -4),
        ]
        let excluded = OccasionExclusion.allCases.enumerated().map {
            occasion(10 + $0.offset, hours: -60, exclusion: $0.element)
        }

        let adherence = Adherence(occasions: occasions + excluded, at: now)

        // Occasion 7 closes at this moment, so it is settled.
        #expect(adherence.settled == 5)
        #expect(adherence.completed == 3)
        #expect(adherence.onTime == 2)
        #expect(adherence.adherence == 60)
        #expect(adherence.onTimePercent == 40)
        #expect(adherence.offered == 6)
        #expect(adherence.live == 50)
    }

    @Test func `without settled occasions the percentage is nil, not 100`() {
        let adherence = Adherence(occasions: [occasion(1, hours: 5)], at: now)

        #expect(adherence.adherence == nil && adherence.onTimePercent == nil)
        #expect(adherence.live == 100)
    }

    @Test(arguments: [
        (1, 3, 33.3), (2, 3, 66.7), (1, 16, 6.2), (3, 16, 18.8), (1, 80, 1.2), (3, 80, 3.8), (0, 7, 0),
        (7, 7, 100),
    ])
    func `percentages have one decimal, ties to even`(_ completed: Int, _ settled: Int, _ expected: Double) {
        let occasions = (0..<settled).map {
            occasion($0, hours: -50, completedAfter: $0 < completed ? 1 : nil)
        }

        #expect(Adherence(occasions: occasions, at: now).adherence == expected)
    }

    @Test func `adherence is reported per week, for weeks with an opening`() throws {
        let start = Instant(milliseconds: 0).adding(seconds: 20_000 * 86_400)
        func evening(_ day: Int, answered: Bool) -> Occasion {
            let open = start.adding(seconds: (day * 24 + 18) * 3600)
            return Sample.occasion(day, open: open, completedAt: answered ? open : nil)
        }
        let occasions = [
            evening(15, answered: false), evening(0, answered: true), evening(6, answered: false),
            evening(16, answered: false), evening(22, answered: false),
        ]

        // The evening of day 15 is open.
        let weeks = Adherence.weeks(
            of: occasions, enrolledOn: LocalDate(days: 20_000),
            at: start.adding(seconds: (15 * 24 + 19) * 3600))

        #expect(weeks.map { $0.week } == [1, 3])
        #expect(weeks.map { $0.adherence.settled } == [2, 0])
        #expect(weeks.map { $0.adherence.adherence } == [50, nil])
        #expect(weeks.map { $0.adherence.live } == [50, 0])
    }

    @Test(arguments: [(0, 1), (6, 1), (7, 2), (13, 2), (27, 4), (-1, 0), (-7, 0), (-8, -1)])
    func `weeks count from the date of enrolment`(_ days: Int, _ week: Int) throws {
        let start = try day("2026-05-06")

        #expect(Adherence.week(of: start.adding(days: days), enrolledOn: start) == week)
    }
}
