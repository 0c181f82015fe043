import Testing

@testable import SaunterCore

@Suite("States of study days")
struct DayStateTests {
    private static let now = Instant(milliseconds: 1_777_896_000_000)

    /// An occasion in this state at `now`.
    private static func occasion(_ number: Int, _ state: OccasionState) -> Occasion {
        func made(hours: Int, completedAfter later: Int? = nil, _ exclusion: OccasionExclusion? = nil)
            -> Occasion
        {
            let open = now.adding(seconds: hours * 3600)
            return Sample.occasion(
                number, open: open, exclusion: exclusion,
                completedAt: later.map { open.adding(seconds: $0 * 3600) })
        }
        return switch state {
        case .upcoming: made(hours: 20)
        case .open: made(hours: -1)
        case .overdue: made(hours: -3)
        case .completedOnTime: made(hours: -50, completedAfter: 1)
        case .completedLate: made(hours: -50, completedAfter: 3)
        case .missed: made(hours: -50)
        case .paused: made(hours: -50, .paused)
        case .cancelled: made(hours: -50, .cancelled)
        case .notApplicable: made(hours: -50, .notApplicable)
        case .nonexistent: made(hours: -50, .nonexistent)
        case .withdrawn: made(hours: -50, .withdrawn)
        }
    }

    @Test(arguments: OccasionState.allCases)
    func `the sample occasions have the states that the tests name`(state: OccasionState) {
        #expect(Self.occasion(1, state).state(at: Self.now) == state)
    }

    @Test(
        arguments: [
            ([], DayState.notPlanned), ([.cancelled, .withdrawn], .notPlanned), ([.paused], .paused),
            ([.paused, .notApplicable], .paused), ([.completedOnTime, .completedOnTime], .onTime),
            ([.completedOnTime, .completedLate], .late), ([.completedOnTime, .paused], .onTime),
            ([.completedLate, .missed], .partly), ([.missed, .cancelled], .missed),
            ([.missed, .open], .open),
            ([.overdue], .open), ([.completedOnTime, .upcoming], .open), ([.missed, .upcoming], .open),
            ([.upcoming, .paused], .upcoming),
        ] as [([OccasionState], DayState)])
    func `the state of a day follows from its occasions`(states: [OccasionState], expected: DayState) {
        let occasions = states.enumerated().map { Self.occasion($0.offset, $0.element) }

        #expect(DayState(occasions: occasions, at: Self.now) == expected)
        #expect(DayState(occasions: occasions.reversed(), at: Self.now) == expected)
    }
}
