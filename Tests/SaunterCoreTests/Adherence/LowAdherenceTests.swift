import Testing

@testable import SaunterCore

@Suite("Low adherence")
struct LowAdherenceTests {
    private let start = Instant(milliseconds: 1_777_896_000_000)

    /// One occasion a day, closed after four hours: `x` answered at once, `-` missed, `p` paused.
    private func spells(_ course: String, below percent: Int = 50, days: Int = 99) -> [String] {
        let occasions = course.enumerated().map { day, letter in
            let open = start.adding(seconds: day * 86_400)
            return Sample.occasion(
                day, open: open, setAside: letter == "p" ? .paused : nil,
                completedAt: letter == "x" ? open : nil)
        }
        func day(_ instant: Instant) -> Int { Int(instant.milliseconds(since: start) / 86_400_000) }
        return LowAdherence.spells(of: occasions, below: percent, until: start.adding(seconds: days * 86_400))
            .map { "\(day($0.from))-\($0.to.map { String(day($0)) } ?? "")" }
    }

    @Test(
        arguments: [
            ("----", []), ("-----", ["4-"]), ("xx---", ["4-"]), ("xxx--", []), ("xxx---", []),
            ("xxx----", ["6-"]), ("-------", ["4-"]), ("xx-----x", ["4-"]),
            // Half is not below half; back over it ends the spell, and the next fall is another.
            ("xx---x", ["4-5"]), ("xx---x-", ["4-5", "6-"]), ("pp--p-x-", ["7-"]), ("", []),
        ] as [(String, [String])])
    func `a spell begins when the percentage falls below, with at least five settled, once`(
        course: String, expected: [String]
    ) {
        #expect(spells(course) == expected)
    }

    @Test func `what is not settled yet counts for nothing`() {
        #expect(spells("-----", days: 4) == [])
        #expect(spells("-----", days: 5) == ["4-"])
    }

    @Test func `what is settled at one moment counts together`() {
        let open = start
        let missed = (0..<4).map { Sample.occasion($0, open: open) }
        let answered = (4..<9).map {
            Sample.occasion($0, open: open, completedAt: open.adding(seconds: 4 * 3600))
        }

        #expect(LowAdherence.spells(of: missed + answered, below: 50, until: .maximum) == [])
        #expect(LowAdherence.spells(of: missed + answered, below: 60, until: .maximum).count == 1)
    }
}
