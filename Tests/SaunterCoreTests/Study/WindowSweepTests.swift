import Testing

@testable import SaunterCore

@Suite("Window sweep")
struct WindowSweepTests {
    private static func streams(_ list: [WindowStream]) -> [WindowStream] {
        list.sorted {
            ($0.open, $0.length, $0.schedule, $0.slot) < ($1.open, $1.length, $1.schedule, $1.slot)
        }
    }

    private static func pair(_ left: NominalWindow, _ right: NominalWindow) -> [[Int]] {
        [[left.schedule, left.slot], [right.schedule, right.slot]]
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test func `it finds what sorting all windows finds`() {
        var cases = SeededCases(3)
        for _ in 0..<200 {
            var days: [Int: NominalDays] = [:]
            var streams: [WindowStream] = []
            for schedule in 0..<Int.random(in: 1...5, using: &cases) {
                let numbers = (0...40).filter { _ in Int.random(in: 0..<4, using: &cases) == 0 }
                days[schedule] = NominalDays(
                    numbers: numbers[...], origin: Int.random(in: -9...9, using: &cases))
                for slot in 0..<Int.random(in: 1...3, using: &cases) {
                    let open = Int.random(in: 0...50, using: &cases) * hour
                    let length = Int.random(in: 1...30, using: &cases) * hour
                    streams.append(
                        WindowStream(schedule: schedule, slot: slot, span: open..<open + length))
                }
            }
            let windows = streams.flatMap { stream -> [(window: NominalWindow, start: Int, end: Int)] in
                let mine = days[stream.schedule]
                return (mine?.numbers ?? []).map { number in
                    let day = number + (mine?.origin ?? 0)
                    let start = (day + stream.carry) * 86_400 + stream.open
                    return (
                        window: NominalWindow(schedule: stream.schedule, slot: stream.slot, day: day),
                        start: start, end: start + stream.length
                    )
                }
            }.sorted {
                ($0.start, $0.end, $0.window.schedule, $0.window.slot)
                    < ($1.start, $1.end, $1.window.schedule, $1.window.slot)
            }
            var expected: [[NominalWindow]] = []
            var told: Set<[[Int]]> = []
            var longest: (window: NominalWindow, start: Int, end: Int)?
            for window in windows {
                if let longest, window.start < longest.end,
                    told.insert(Self.pair(longest.window, window.window)).inserted
                {
                    expected.append([longest.window, window.window])
                }
                if window.end > longest?.end ?? .min { longest = window }
            }
            var budget = CheckBudget(1_000_000)

            let found = WindowSweep(Self.streams(streams), days: days).overlaps(&budget)

            #expect(found.overlaps.map { [$0.0, $0.1] } == expected)
            #expect(!found.isPart)
            // Each window, and each day from the first to the last on which one opens.
            let opened = windows.map { ($0.start + 100 * 86_400) / 86_400 }
            let dayCount = windows.isEmpty ? 0 : (opened.max() ?? 0) - (opened.min() ?? 0) + 1
            #expect(1_000_000 - budget.left == windows.count + dayCount)
        }
    }

    @Test func `where not all can be paid for the first days are looked at, and which is told`() {
        // Two windows a day that overlap on day 30 alone, when the third comes.
        let days = [
            0: NominalDays(numbers: Array(0..<100)[...], origin: 0), 1: NominalDays(numbers: [30], origin: 0),
        ]
        let streams = Self.streams([
            WindowStream(schedule: 0, slot: 0, span: 0..<hour),
            WindowStream(schedule: 0, slot: 1, span: 2 * hour..<3 * hour),
            WindowStream(schedule: 1, slot: 0, span: 0..<hour),
        ])
        func look(_ most: Int) -> (left: Int, outcome: WindowSweep.Outcome) {
            var budget = CheckBudget(most)
            let outcome = WindowSweep(streams, days: days).overlaps(&budget)
            return (budget.left, outcome)
        }

        // 100 days, 201 windows.
        let whole = look(301)
        #expect(whole.left == 0 && !whole.outcome.isPart && whole.outcome.overlaps.count == 1)
        // 31 days with 63 windows, and 30 with 60.
        let found = look(96)
        #expect(found.outcome.isPart && found.outcome.lastDay == 30 && found.outcome.overlaps.count == 1)
        let missed = look(93)
        #expect(missed.outcome.isPart && missed.outcome.lastDay == 29 && missed.outcome.overlaps.isEmpty)
        let none = look(2)
        #expect(none.outcome.isPart && none.outcome.lastDay == nil && none.left == 2)
    }
}
