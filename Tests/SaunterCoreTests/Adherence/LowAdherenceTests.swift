import Testing

@testable import SaunterCore

@Suite("Low adherence")
struct LowAdherenceTests {
    private let start = Instant(milliseconds: 1_777_896_000_000)

    /// One occasion per day, closed after four hours: `x` answered, `-` missed, `p` paused.
    private func periods(_ course: String, below percent: Int = 50, days: Int = 99) -> [String] {
        let occasions = course.enumerated().map { day, letter in
            let open = start.adding(seconds: day * 86_400)
            return Sample.occasion(
                day, open: open, exclusion: letter == "p" ? .paused : nil,
                completedAt: letter == "x" ? open : nil)
        }
        func day(_ instant: Instant) -> Int { Int(instant.milliseconds(since: start) / 86_400_000) }
        return LowAdherence.periods(
            of: occasions, below: percent, until: start.adding(seconds: days * 86_400)
        )
        .map { "\(day($0.from))-\($0.to.map { String(day($0)) } ?? "")" }
    }

    @Test(
        arguments: [
            ("----", []), ("-----", ["4-"]), ("xx---", ["4-"]), ("xxx--", []), ("xxx---", []),
            ("xxx----", ["6-"]), ("-------", ["4-"]), ("xx-----x", ["4-"]),
            // Half is not below half. Reaching half ends the period, and the next fall begins another one.
            ("xx---x", ["4-5"]), ("xx---x-", ["4-5", "6-"]), ("pp--p-x-", ["7-"]), ("", []),
        ] as [(String, [String])])
    func `a period begins once when the percentage falls below, with at least five settled occasions`(
        course: String, expected: [String]
    ) {
        #expect(periods(course) == expected)
    }

    @Test func `occasions that are not settled do not count`() {
        #expect(periods("-----", days: 4) == [])
        #expect(periods("-----", days: 5) == ["4-"])
    }

    @Test func `occasions that are settled at the same moment count together`() {
        let open = start
        let missed = (0..<4).map { Sample.occasion($0, open: open) }
        let answered = (4..<9).map {
            Sample.occasion($0, open: open, completedAt: open.adding(seconds: 4 * 3600))
        }

        #expect(LowAdherence.periods(of: missed + answered, below: 50, until: .maximum) == [])
        #expect(LowAdherence.periods(of: missed + answered, below: 60, until: .maximum).count == 1)
    }
}
