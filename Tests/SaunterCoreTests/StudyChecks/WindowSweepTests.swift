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

    @Test func `the sweep finds the same overlaps as sorting all windows`() {
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
                let nominalDays = days[stream.schedule]
                return (nominalDays?.numbers ?? []).map { number in
                    let day = number + (nominalDays?.origin ?? 0)
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
            var reportedPairs: Set<[[Int]]> = []
            var longest: (window: NominalWindow, start: Int, end: Int)?
            for window in windows {
                if let longest, window.start < longest.end,
                    reportedPairs.insert(Self.pair(longest.window, window.window)).inserted
                {
                    expected.append([longest.window, window.window])
                }
                if window.end > longest?.end ?? .min { longest = window }
            }
            var budget = WorkBudget(1_000_000)

            let found = WindowSweep(Self.streams(streams), days: days).overlaps(&budget)

            #expect(found.overlaps.map { [$0.0, $0.1] } == expected)
            #expect(!found.isIncomplete)
            // Each window, and each day from the first to the last opening.
            let opened = windows.map { ($0.start + 100 * 86_400) / 86_400 }
            let dayCount = windows.isEmpty ? 0 : (opened.max() ?? 0) - (opened.min() ?? 0) + 1
            #expect(1_000_000 - budget.remaining == windows.count + dayCount)
        }
    }

    @Test func `if the budget is too small, the first days are visited and the last visited day is reported`()
    {
        // Two windows per day that overlap only on day 30, when the third is added.
        let days = [
            0: NominalDays(numbers: Array(0..<100)[...], origin: 0), 1: NominalDays(numbers: [30], origin: 0),
        ]
        let streams = Self.streams([
            WindowStream(schedule: 0, slot: 0, span: 0..<hour),
            WindowStream(schedule: 0, slot: 1, span: 2 * hour..<3 * hour),
            WindowStream(schedule: 1, slot: 0, span: 0..<hour),
        ])
        func sweep(_ maximumWork: Int) -> (left: Int, outcome: WindowSweep.Outcome) {
            var budget = WorkBudget(maximumWork)
            let outcome = WindowSweep(streams, days: days).overlaps(&budget)
            return (budget.remaining, outcome)
        }

        // 100 days, 201 windows.
        let whole = sweep(301)
        #expect(whole.left == 0 && !whole.outcome.isIncomplete && whole.outcome.overlaps.count == 1)
        // 31 days with 63 windows, and 30 with 60.
        let found = sweep(96)
        #expect(
            found.outcome.isIncomplete && found.outcome.lastDay == 30 && found.outcome.overlaps.count == 1)
        let missed = sweep(93)
        #expect(
            missed.outcome.isIncomplete && missed.outcome.lastDay == 29 && missed.outcome.overlaps.isEmpty)
        let none = sweep(2)
        #expect(none.outcome.isIncomplete && none.outcome.lastDay == nil && none.left == 2)
    }
}
