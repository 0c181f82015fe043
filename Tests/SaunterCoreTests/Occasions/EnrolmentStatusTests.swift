import Testing

@testable import SaunterCore

@Suite struct EnrolmentStatusTests {
    private let open = Instant(milliseconds: 1_800_000_000_000)

    private var window: AssessmentWindow {
        AssessmentWindow(
            visibleAt: open, openAt: open, dueAt: open.adding(seconds: 3600),
            closeAt: open.adding(seconds: 7200))
    }

    /// Milliseconds after the opening; negative values are before it.
    private func moment(_ milliseconds: Int64) -> Instant { open.adding(milliseconds: milliseconds) }

    // The start of a pause is inclusive, the end is exclusive. A window that can still be met on time is not excluded.
    @Test(
        arguments: [
            (0, 3_600_001, true), (1, 3_600_001, false), (-1, 3_600_001, true), (0, 3_600_000, false),
            (0, nil, true),
            (1, nil, false),
        ] as [(Int64, Int64?, Bool)])
    func `a pause excludes a window that it covers from the opening to the due time`(
        from: Int64, to: Int64?, isPaused: Bool
    ) {
        let status = EnrolmentStatus(pauses: [Pause(from: moment(from), to: to.map(moment))])

        #expect(status.exclusion(of: window) == (isPaused ? .paused : nil))
    }

    @Test func `the start of a pause is inclusive and its end is exclusive`() {
        let status = EnrolmentStatus(pauses: [Pause(from: moment(0), to: moment(1000))])

        #expect([-1, 0, 999, 1000].map { status.isPaused(at: moment($0)) } == [false, true, true, false])
    }

    @Test
    func
        `leaving excludes windows that close afterwards, and the participant is not enrolled at the moment of leaving`()
    {
        #expect(EnrolmentStatus(endedAt: moment(7_200_000)).exclusion(of: window) == nil)
        #expect(EnrolmentStatus(endedAt: moment(7_199_999)).exclusion(of: window) == .withdrawn)
        let status = EnrolmentStatus(endedAt: moment(0))
        #expect([-1, 0, 1].map { status.isEnrolled(at: moment($0)) } == [true, false, false])
    }
}
