/// What became of the occasions of one study day, in one word.
package enum DayState: String, Sendable, Hashable, CaseIterable {
    /// All occasions were answered by their due time.
    case onTime = "on_time"
    /// All were answered, at least one of them late.
    case late
    /// Some were answered, and some were missed.
    case partly
    /// None was answered, and every window has closed.
    case missed
    /// An occasion can be answered now, or one that follows an earlier one of this day opens later.
    case open
    /// No window has opened yet.
    case upcoming
    /// All occasions of the day are excluded because of a pause.
    case paused
    /// Nothing was planned, or all of it was excluded for another reason.
    case notPlanned = "not_planned"

    /// - Parameters:
    ///   - occasions: all occasions of the day.
    ///   - now: the instant for which the states are computed.
    package init(occasions: [Occasion], at now: Instant) {
        let states = occasions.map { $0.state(at: now) }
        func has(_ wanted: OccasionState...) -> Bool { states.contains { wanted.contains($0) } }
        let isAnswered = has(.completedOnTime, .completedLate)
        if has(.open, .overdue) {
            self = .open
        } else if has(.upcoming) {
            self = isAnswered || has(.missed) ? .open : .upcoming
        } else if has(.missed) {
            self = isAnswered ? .partly : .missed
        } else if isAnswered {
            self = has(.completedLate) ? .late : .onTime
        } else {
            self = has(.paused) ? .paused : .notPlanned
        }
    }
}
