/// The four instants of an assessment window; visible ≤ open ≤ due ≤ close. Open and due are inclusive, close
/// is exclusive.
package struct AssessmentWindow: Sendable, Hashable {
    package var visibleAt: Instant
    package var openAt: Instant
    package var dueAt: Instant
    package var closeAt: Instant

    package init(visibleAt: Instant, openAt: Instant, dueAt: Instant, closeAt: Instant) {
        self.visibleAt = visibleAt
        self.openAt = openAt
        self.dueAt = dueAt
        self.closeAt = closeAt
    }
}

/// Which planned measurement an occasion is. Clock times, zones and versions are no part of it, so edits and
/// travel keep identity.
package struct OccasionKey: Sendable, Hashable {
    package var schedule: String
    /// Empty for anchors that happen once; the walk's or sheet's id for those that happen often.
    package var anchorInstance: String
    /// Days since the anchor's local date.
    package var dayIndex: Int
    package var slotIndex: Int

    package init(schedule: String, anchorInstance: String, dayIndex: Int, slotIndex: Int) {
        self.schedule = schedule
        self.anchorInstance = anchorInstance
        self.dayIndex = dayIndex
        self.slotIndex = slotIndex
    }
}

/// Why an occasion is out of every denominator although it was planned.
package enum OccasionSetAside: String, Sendable, Hashable, CaseIterable {
    case cancelled, paused, notApplicable = "not_applicable", nonexistent, withdrawn
}

/// One planned measurement of one participant.
package struct Occasion: Sendable, Hashable {
    package var id: OccasionID
    package var key: OccasionKey
    package var questionnaire: String
    /// The local date that it belongs to, in `zone`.
    package var localDate: LocalDate
    package var zone: Zone
    package var window: AssessmentWindow
    /// A clock change touched this window.
    package var dstAdjusted: Bool
    package var setAside: OccasionSetAside?
    /// When a sheet that counts was completed, by the corrected clock.
    package var completedAt: Instant?
    package var sheetID: SheetID?

    package init(
        id: OccasionID, key: OccasionKey, questionnaire: String, localDate: LocalDate, zone: Zone,
        window: AssessmentWindow, dstAdjusted: Bool = false, setAside: OccasionSetAside? = nil,
        completedAt: Instant? = nil, sheetID: SheetID? = nil
    ) {
        self.id = id
        self.key = key
        self.questionnaire = questionnaire
        self.localDate = localDate
        self.zone = zone
        self.window = window
        self.dstAdjusted = dstAdjusted
        self.setAside = setAside
        self.completedAt = completedAt
        self.sheetID = sheetID
    }
}

/// The state of an occasion at a moment: a pure function of its window, its sheet and that moment.
package enum OccasionState: String, Sendable, Hashable, CaseIterable {
    case upcoming, open, overdue, completedOnTime = "completed_on_time", completedLate = "completed_late",
        missed
    case declined, paused, cancelled, notApplicable = "not_applicable", nonexistent, withdrawn
}

/// How the time of a sheet lies to its occasion's window.
package enum Standing: String, Sendable, Hashable, CaseIterable {
    case early, onTime = "on_time", late, outOfWindow = "out_of_window"
    /// No occasion was named, and the questionnaire may be answered without one.
    case unscheduled
}
