import Testing

@testable import SaunterCore

@Suite("Preview period")
struct PreviewPeriodTests {
    @Test(arguments: [
        (0, 8, 366), (200, 8, 366), (683, 8, 366), (684, 8, 365), (1000, 8, 250), (5000, 8, 50),
        (17_857, 8, 14), (1_000_000, 8, 14), (Int.max, 8, 14), (Int.max, 0, 366), (-1, 8, 366),
    ])
    func `the period contains at most two million occasions, but at least two weeks and at most a year`(
        people: Int, each: Int, expected: Int
    ) {
        #expect(PreviewPeriod.days(participants: people) { $0 * each } == expected)
    }

    @Test func `the limit is inclusive`() {
        // 1000 each from the 21st day, and one more from the 41st.
        func occasions(_ days: Int) -> Int { days > 40 ? 1001 : days > 20 ? 1000 : 10 }

        #expect(PreviewPeriod.days(participants: 2000, occasions: occasions) == 40)
        #expect(PreviewPeriod.days(participants: 2001, occasions: occasions) == 20)
    }
}
