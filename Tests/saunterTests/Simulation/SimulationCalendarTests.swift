import SaunterCohort
import SaunterCore
import Testing

@testable import saunter

@Suite struct SimulationCalendarTests {
    private func date(_ text: String) throws -> LocalDate { try #require(LocalDate(text)) }

    @Test func `a week is one line with the occasions of each day and the share that is answered`() throws {
        let calendar = SimulationCalendar([
            // A Thursday and the Tuesday after it.
            try date("2026-03-19"): .init(enrolled: 3, occasions: 8, answered: 5),
            try date("2026-03-20"): .init(enrolled: 3),
            try date("2026-03-24"): .init(enrolled: 3, occasions: 2, answered: 2),
        ])

        #expect(
            calendar.lines == [
                "week of     Mon  Tue     Wed  Thu    Fri  Sat  Sun",
                "2026-03-16  ·    ·       ·    8 62%  –    ·    ·",
                "2026-03-23  ·    2 100%  ·    ·      ·    ·    ·",
            ])
    }

    @Test func `no line is wider than 100 columns, even for large counts and a long study`() throws {
        let first = try date("2026-03-16")
        let days = (0..<7 * 100).map { offset in
            (
                first.adding(days: offset),
                SimulationReport.Day(
                    enrolled: 1_000_000, occasions: [99_999, 100_000, 9_999_999, 98_765_432][offset % 4],
                    answered: 99_999)
            )
        }

        let lines = SimulationCalendar(Dictionary(uniqueKeysWithValues: days)).lines

        #expect(lines.count == 1 + SimulationCalendar.maximumWeeks + 1)
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(lines.last == "… and 40 more weeks; --json shows them")
        #expect(lines[1].hasPrefix("2026-03-16  99999 100%  100k 99%"))
    }

    @Test func `without days there are no lines`() {
        #expect(SimulationCalendar([:]).lines.isEmpty)
    }
}
