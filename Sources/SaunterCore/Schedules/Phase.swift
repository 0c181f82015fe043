/// The start of a phase for one participant. The first day of the phase is the local date of the start.
package enum PhaseStart: Sendable, Hashable {
    /// Number of days after the local date of enrolment.
    case day(Int)
    /// The phase starts when a named event happens. Windows that opened before the event are not in the phase.
    case event(String)
    /// The phase starts when the first sheet of this questionnaire is completed. Windows that opened earlier are not in
    /// the phase.
    case firstCompletion(questionnaire: String)
}

/// The end of a phase.
package enum PhaseEnd: Sendable, Hashable {
    /// The phase ends with the study.
    case studyEnd
    /// Number of days after the local date of enrolment. The phase includes this last day.
    case day(Int)
    /// The phase has this number of days. The first day counts.
    case length(days: Int)
    /// The phase ends when a named event happens. Windows that open at or after the event are not in the phase.
    case event(String)
}

/// A part of the study to which schedules can be bound: a number of days, or the time between two events.
package struct Phase: Sendable, Hashable {
    /// Unique in the study.
    package var code: String
    /// When the phase begins.
    package var start: PhaseStart
    /// When the phase ends.
    package var end: PhaseEnd

    /// Creates a phase without checking its order.
    package init(code: String, start: PhaseStart, end: PhaseEnd) {
        self.code = code
        self.start = start
        self.end = end
    }

    /// Whether the start of the phase waits for an event or a sheet that may never happen. The end is not considered.
    package var followsEvent: Bool {
        if case .day = start { return false }
        return true
    }
}
