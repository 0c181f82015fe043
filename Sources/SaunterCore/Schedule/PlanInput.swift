/// From this moment on the participant's clock follows this zone.
package struct ZoneChange: Sendable, Hashable {
    package var from: Instant
    package var zone: Zone

    package init(from: Instant, zone: Zone) {
        self.from = from
        self.zone = zone
    }
}

/// Something that happened to a participant and from which schedules count: a walk, a completed sheet, or a
/// named event of the study.
package struct AnchorEvent: Sendable, Hashable {
    package var anchor: Anchor
    /// The walk's or the sheet's id as text, empty for a named event: part of the identity of every occasion
    /// that follows.
    package var instance: String
    /// The end of the walk, the completion of the sheet.
    package var at: Instant

    package init(anchor: Anchor, instance: String, at: Instant) {
        self.anchor = anchor
        self.instance = instance
        self.at = at
    }

    /// The end of a walk.
    package static func walk(_ id: WalkID, endedAt: Instant) -> AnchorEvent {
        AnchorEvent(anchor: .walk, instance: id.description, at: endedAt)
    }

    /// The completion of a sheet that counts.
    package static func completion(of questionnaire: String, sheet: SheetID, at: Instant) -> AnchorEvent {
        AnchorEvent(anchor: .completion(questionnaire: questionnaire), instance: sheet.description, at: at)
    }
}

extension AnchorEvent {
    /// A named event. Of several moments for one name the last in the list holds.
    package static func event(_ code: String, at: Instant) -> AnchorEvent {
        AnchorEvent(anchor: .event(code), instance: "", at: at)
    }
}

/// Everything that the planned occasions of one participant follow from.
package struct PlanInput: Sendable {
    package var study: Study
    package var enrolmentID: EnrolmentID
    /// Nil where the study has no arms to tell apart; then only schedules for every arm are planned.
    package var arm: String?
    package var enrolledAt: Instant
    /// In any order. What held at enrolment is its last entry up to then, else its first, else the study's
    /// zone.
    package var zones: [ZoneChange]
    package var anchors: [AnchorEvent]
    /// Secret: who knows it can foresee the random moments.
    package var seed: [UInt8]
    package var status: EnrolmentStatus

    package init(
        study: Study, enrolmentID: EnrolmentID, arm: String? = nil, enrolledAt: Instant, zones: [ZoneChange],
        anchors: [AnchorEvent] = [], seed: [UInt8], status: EnrolmentStatus = .active
    ) {
        self.study = study
        self.enrolmentID = enrolmentID
        self.arm = arm
        self.enrolledAt = enrolledAt
        self.zones = zones
        self.anchors = anchors
        self.seed = seed
        self.status = status
    }
}
