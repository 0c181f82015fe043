/// When a phase begins for a participant. Its first day is the local date of that moment.
package enum PhaseStart: Sendable, Hashable {
    /// Days after the local date of enrolment.
    case day(Int)
    /// A named event. Windows that had opened before its moment are not in the phase.
    case event(String)
    /// The first completed sheet of this questionnaire, likewise.
    case firstCompletion(questionnaire: String)
}

/// When a phase is over.
package enum PhaseEnd: Sendable, Hashable {
    /// With the study.
    case studyEnd
    /// Days after the local date of enrolment; the last day included.
    case day(Int)
    /// So many days from its first, that one included.
    case length(days: Int)
    /// A named event. Windows that open at its moment or later are not in the phase.
    case event(String)
}

/// A part of the study: a stretch of days, or what lies between two events, to which schedules can be bound.
package struct Phase: Sendable, Hashable {
    /// Unique in the study.
    package var code: String
    package var start: PhaseStart
    package var end: PhaseEnd

    package init(code: String, start: PhaseStart, end: PhaseEnd) {
        self.code = code
        self.start = start
        self.end = end
    }

    /// Whether its days depend on something that may never happen.
    package var followsEvent: Bool {
        if case .day = start { return false }
        return true
    }
}

/// Something that happens at most once to a participant, is told by them, and that schedules and phases count
/// from.
package struct StudyEvent: Sendable, Hashable {
    /// What becomes of another moment for an event that has one already.
    package enum Update: String, Sendable, Hashable, CaseIterable {
        /// It is put in the place of the first.
        case mutable
        /// It is refused.
        case immutable
        /// It is taken only where it is later than the first.
        case futureOnly = "future_only"
    }

    /// Unique in the study.
    package var code: String
    package var update: Update

    package init(code: String, update: Update) {
        self.code = code
        self.update = update
    }

    /// Whether the event may be moved from one moment to another.
    package func admits(_ moment: Instant, over stored: Instant) -> Bool {
        switch update {
        case .mutable: true
        case .immutable: false
        case .futureOnly: moment > stored
        }
    }
}
