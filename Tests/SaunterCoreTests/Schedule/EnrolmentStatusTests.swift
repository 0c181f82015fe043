import Testing

@testable import SaunterCore

@Suite struct EnrolmentStatusTests {
    private let open = Instant(milliseconds: 1_800_000_000_000)

    private var window: AssessmentWindow {
        AssessmentWindow(
            visibleAt: open, openAt: open, dueAt: open.adding(seconds: 3600),
            closeAt: open.adding(seconds: 7200))
    }

    /// Milliseconds after the opening, or before it.
    private func moment(_ milliseconds: Int64) -> Instant { open.adding(milliseconds: milliseconds) }

    // A break begins with its first moment and ends before its last; whoever can still answer in time is asked.
    @Test(
        arguments: [
            (0, 3_600_001, true), (1, 3_600_001, false), (-1, 3_600_001, true), (0, 3_600_000, false),
            (0, nil, true),
            (1, nil, false),
        ] as [(Int64, Int64?, Bool)])
    func `a break sets aside what it covers from the opening to the due`(
        from: Int64, to: Int64?, isPaused: Bool
    ) {
        let status = EnrolmentStatus(pauses: [Pause(from: moment(from), to: to.map(moment))])

        #expect(status.setAside(window) == (isPaused ? .paused : nil))
    }

    @Test func `a moment is in a break from its beginning on and until before its end`() {
        let status = EnrolmentStatus(pauses: [Pause(from: moment(0), to: moment(1000))])

        #expect([-1, 0, 999, 1000].map { status.isPaused(at: moment($0)) } == [false, true, true, false])
    }

    @Test func `leaving sets aside what closes afterwards, and the moment of leaving is after the study`() {
        #expect(EnrolmentStatus(endedAt: moment(7_200_000)).setAside(window) == nil)
        #expect(EnrolmentStatus(endedAt: moment(7_199_999)).setAside(window) == .withdrawn)
        let status = EnrolmentStatus(endedAt: moment(0))
        #expect([-1, 0, 1].map { status.isEnrolled(at: moment($0)) } == [true, false, false])
    }
}
