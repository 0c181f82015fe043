import Testing

@testable import SaunterCore

@Suite("Occasion state")
struct OccasionStateTests {
    private let open = Instant(milliseconds: 1_777_000_000_000)

    /// Due after 2 h, closed after 4 h.
    @Test(
        arguments: [
            (-1, OccasionState.upcoming), (0, .open), (7_200_000, .open), (7_200_001, .overdue),
            (14_399_999, .overdue),
            (14_400_000, .missed),
        ] as [(Int64, OccasionState)])
    func `open and due are inclusive, close is exclusive`(_ milliseconds: Int64, _ expected: OccasionState) {
        let occasion = Sample.occasion(open: open)

        #expect(occasion.state(at: open.adding(milliseconds: milliseconds)) == expected)
    }

    @Test func `a sheet at the due time is on time, and one millisecond later it is late`() {
        let onTime = Sample.occasion(open: open, completedAt: open.adding(seconds: 7200))
        let late = Sample.occasion(open: open, completedAt: open.adding(milliseconds: 7_200_001))

        #expect(onTime.state(at: open) == .completedOnTime)
        #expect(late.state(at: open) == .completedLate)
    }

    @Test func `an excluded occasion has the state of its exclusion, unless it was answered`() {
        for reason in OccasionExclusion.allCases {
            let excluded = Sample.occasion(open: open, exclusion: reason)
            let answered = Sample.occasion(open: open, exclusion: reason, completedAt: open)

            #expect(excluded.state(at: open).rawValue == reason.rawValue)
            #expect(answered.state(at: open) == .completedOnTime)
        }
    }

    @Test(
        arguments: [
            (-1, LatePolicy.flag, Timeliness.early), (0, .flag, .onTime), (7_200_000, .flag, .onTime),
            (7_200_001, .flag, .late), (14_399_999, .flag, .late), (14_400_000, .flag, .outOfWindow),
            (14_400_000, .complete, .late), (99_999_999_999, .complete, .late),
        ] as [(Int64, LatePolicy, Timeliness)])
    func `a sheet after its window is late or out of window, depending on the late policy`(
        _ milliseconds: Int64, _ policy: LatePolicy, _ expected: Timeliness
    ) {
        let window = Sample.occasion(open: open).window

        #expect(
            window.timeliness(of: open.adding(milliseconds: milliseconds), latePolicy: policy) == expected)
    }

    @Test func `only sheets that are on time or late fulfil an occasion`() {
        #expect(Timeliness.allCases.filter(\.fulfilsOccasion) == [.onTime, .late])
    }
}
