import Testing

@testable import SaunterCore

@Suite("Preview reach")
struct PreviewReachTests {
    @Test(arguments: [
        (0, 8, 366), (200, 8, 366), (683, 8, 366), (684, 8, 365), (1000, 8, 250), (5000, 8, 50),
        (17_857, 8, 14), (1_000_000, 8, 14), (Int.max, 8, 14), (Int.max, 0, 366), (-1, 8, 366),
    ])
    func `so many days as two million occasions of all reach, two weeks at least, a year at most`(
        people: Int, each: Int, expected: Int
    ) {
        #expect(PreviewReach.days(people: people) { $0 * each } == expected)
    }

    @Test func `the limit itself is within it`() {
        // 1000 each from the 21st day on, and one more from the 41st.
        func occasions(_ days: Int) -> Int { days > 40 ? 1001 : days > 20 ? 1000 : 10 }

        #expect(PreviewReach.days(people: 2000, occasions: occasions) == 40)
        #expect(PreviewReach.days(people: 2001, occasions: occasions) == 20)
    }
}
