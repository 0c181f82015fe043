import Testing

@testable import SaunterCore

@Suite("Streak")
struct StreakTests {
    private let today = LocalDate(days: 20_000)
    private var noon: Instant { Instant(milliseconds: (20_000 * 24 + 12) * 3_600_000) }

    private func dates(_ ago: [Int]) -> Set<LocalDate> { Set(ago.map { today.adding(days: -$0) }) }

    private func streak(_ met: [Int], skipped: [Int] = []) -> [Int] {
        let streak = Streak(met: dates(met), skipped: dates(skipped), today: today)
        return [streak.current, streak.best]
    }

    @Test func `consecutive dates count, today adds but does not break`() {
        #expect(streak([0, 1, 2]) == [3, 3])
        #expect(streak([1, 2]) == [2, 2])
        #expect(streak([2, 3, 4]) == [0, 3])
        #expect(streak([]) == [0, 0])
    }

    @Test func `a gap ends a run, the longest is kept`() {
        #expect(streak([0, 2, 3, 4, 5]) == [1, 4])
    }

    @Test func `skipped dates neither add nor break`() {
        #expect(streak([0, 3, 4], skipped: [1, 2]) == [3, 3])
        #expect(streak([3, 4], skipped: [1, 2]) == [2, 2])
        #expect(streak([0, 3, 4], skipped: [1]) == [1, 2])
    }

    @Test func `future dates do not count`() {
        #expect(streak([-1, 0]) == [1, 1])
    }

    @Test func `a date that travel skipped does not end a run`() throws {
        let history = [
            ZoneChange(from: .minimum, zone: try zone("Pacific/Pago_Pago")),
            ZoneChange(from: try at("2026-05-04T10:30:00Z"), zone: try zone("Pacific/Kiritimati")),
        ]

        // 23:30 of the 3rd becomes 00:30 of the 5th.
        let lost = Streak.datesSkippedByTravel(in: history)

        #expect(lost == [try day("2026-05-04")])
        let streak = Streak(
            met: [try day("2026-05-03"), try day("2026-05-05")], skipped: lost, today: try day("2026-05-05"))
        #expect(streak.current == 2)
    }

    @Test func `a date is met if all counted occasions are answered`() {
        func occasion(_ number: Int, ago: Int, done: Bool, exclusion: OccasionExclusion? = nil) -> Occasion {
            let open = Instant(milliseconds: Int64(today.days - ago) * 86_400_000)
            return Sample.occasion(number, open: open, exclusion: exclusion, completedAt: done ? open : nil)
        }
        let occasions = [
            occasion(0, ago: 0, done: false), occasion(1, ago: 1, done: true),
            occasion(2, ago: 1, done: true),
            occasion(3, ago: 2, done: false, exclusion: .paused), occasion(4, ago: 4, done: true),
            occasion(5, ago: 5, done: true), occasion(6, ago: 5, done: false),
        ]

        let streak = Streak(occasions: occasions, at: noon, today: today)

        #expect([streak.current, streak.best] == [2, 2])
    }

    @Test func `a date with open windows ends a run only after they close`() {
        let midnight = noon.adding(seconds: -12 * 3600)
        let evenings = (1...3).map { ago in
            let open = midnight.adding(seconds: (18 - 24 * ago) * 3600)
            return Sample.occasion(
                ago, open: open, close: 10 * 3600, completedAt: ago == 1 ? nil : open)
        }
        func current(hoursAfterMidnight hours: Int) -> Int {
            Streak(occasions: evenings, at: midnight.adding(seconds: hours * 3600), today: today).current
        }

        #expect(current(hoursAfterMidnight: 0) == 2)
        #expect(current(hoursAfterMidnight: 3) == 2)
        #expect(current(hoursAfterMidnight: 4) == 0)
    }

    @Test func `a missed occasion ends a run, even if a window of a week is open on the same date`() {
        let yesterday = noon.adding(seconds: -36 * 3600)
        let before = Sample.occasion(1, open: yesterday.adding(seconds: -86_400), completedAt: yesterday)
        let missed = Sample.occasion(2, open: yesterday)
        let week = Sample.occasion(3, open: yesterday, close: 7 * 86_400)

        #expect(Streak(occasions: [before, week], at: noon, today: today).current == 1)
        #expect(Streak(occasions: [before, week, missed], at: noon, today: today).current == 0)
        #expect(Streak(occasions: [before, missed, week], at: noon, today: today).current == 0)
    }
}
