/// Why an occasion is excluded from every denominator although it was planned.
package enum OccasionExclusion: String, Sendable, Hashable, CaseIterable {
    case cancelled, paused, notApplicable = "not_applicable", nonexistent, withdrawn
}

/// One planned measurement of one participant.
package struct Occasion: Sendable, Hashable {
    /// Follows from the enrolment and `key`, so it stays equal when the occasion moves.
    package var id: OccasionID
    /// Identifies the occasion in the plan of the participant.
    package var key: OccasionKey
    /// Code of the questionnaire.
    package var questionnaire: String
    /// The local date of the occasion in `zone`.
    package var localDate: LocalDate
    /// The time zone in which the window was computed.
    package var zone: Zone
    /// The visible, open, due and close instants.
    package var window: AssessmentWindow
    /// Whether a zone transition changed this window.
    package var isDSTAdjusted: Bool
    /// Why the occasion is excluded. Nil if it counts.
    package var exclusion: OccasionExclusion?
    /// Completion time of the sheet that fulfils the occasion, corrected for clock skew.
    package var completedAt: Instant?
    /// The sheet that fulfils the occasion.
    package var sheetID: SheetID?

    /// Creates an occasion; by default an unanswered one that counts.
    package init(
        id: OccasionID, key: OccasionKey, questionnaire: String, localDate: LocalDate, zone: Zone,
        window: AssessmentWindow, isDSTAdjusted: Bool = false, exclusion: OccasionExclusion? = nil,
        completedAt: Instant? = nil, sheetID: SheetID? = nil
    ) {
        self.id = id
        self.key = key
        self.questionnaire = questionnaire
        self.localDate = localDate
        self.zone = zone
        self.window = window
        self.isDSTAdjusted = isDSTAdjusted
        self.exclusion = exclusion
        self.completedAt = completedAt
        self.sheetID = sheetID
    }
}

/// The state of an occasion at one instant. It depends only on the window, the sheet and that instant.
package enum OccasionState: String, Sendable, Hashable, CaseIterable {
    case upcoming, open, overdue, completedOnTime = "completed_on_time", completedLate = "completed_late",
        missed
    case paused, cancelled, notApplicable = "not_applicable", nonexistent, withdrawn
}

extension Occasion {
    /// Whether a sheet fulfils the occasion. Planning does not change an answered occasion.
    package var isAnswered: Bool { completedAt != nil || sheetID != nil }

    /// The state at an instant. Open and due are inclusive, close is exclusive. An answered occasion is completed at
    /// every `now`, even if it is excluded.
    package func state(at now: Instant) -> OccasionState {
        if isAnswered {
            return (completedAt ?? window.dueAt) <= window.dueAt ? .completedOnTime : .completedLate
        }
        switch exclusion {
        case .cancelled: return .cancelled
        case .paused: return .paused
        case .notApplicable: return .notApplicable
        case .nonexistent: return .nonexistent
        case .withdrawn: return .withdrawn
        case nil: break
        }
        if now < window.openAt { return .upcoming }
        if now >= window.closeAt { return .missed }
        return now <= window.dueAt ? .open : .overdue
    }
}

extension OccasionState {
    /// Whether the participant can start an answer sheet now.
    package var isAnswerable: Bool { self == .open || self == .overdue }
}

extension Occasion {
    /// Whether the occasion is due today: it is open or overdue, or it opens later on the participant's current local
    /// date.
    package func isDueToday(at now: Instant, zone: Zone) -> Bool {
        switch state(at: now) {
        case .open, .overdue: true
        case .upcoming: zone.local(of: window.openAt).date == zone.local(of: now).date
        default: false
        }
    }
}
