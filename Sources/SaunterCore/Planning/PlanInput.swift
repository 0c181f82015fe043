/// An occurrence from which schedules count: a walk, a completed sheet, or a named event of the study.
package struct AnchorEvent: Sendable, Hashable {
    /// What happened.
    package var anchor: Anchor
    /// Id of the walk or sheet as text; empty for a named event. It is part of the identity of every occasion that
    /// follows.
    package var instance: String
    /// The end of the walk, the completion of the sheet, or the instant of the event.
    package var at: Instant

    /// Creates an event from which occasions count.
    package init(anchor: Anchor, instance: String, at: Instant) {
        self.anchor = anchor
        self.instance = instance
        self.at = at
    }

    /// The end of a walk.
    package static func walk(_ id: WalkID, endedAt: Instant) -> AnchorEvent {
        AnchorEvent(anchor: .walk, instance: id.description, at: endedAt)
    }

    /// The completion of a counted sheet.
    package static func completion(of questionnaire: String, sheet: SheetID, at: Instant) -> AnchorEvent {
        AnchorEvent(anchor: .completion(questionnaire: questionnaire), instance: sheet.description, at: at)
    }
}

extension AnchorEvent {
    /// A named event. If the list has several instants for one event, the last one counts.
    package static func event(_ code: String, at: Instant) -> AnchorEvent {
        AnchorEvent(anchor: .event(code), instance: "", at: at)
    }
}

/// All inputs of the plan of one participant.
package struct PlanInput: Sendable {
    /// The version of the study that the participant follows.
    package var study: Study
    /// Part of the ids of the occasions.
    package var enrolmentID: EnrolmentID
    /// Nil if the participant has no arm. Then only schedules for every arm are planned.
    package var arm: String?
    /// When the participant enrolled. Day 0 is the local date of this instant.
    package var enrolledAt: Instant
    /// In any order. The zone at enrolment is that of the last entry up to the enrolment, otherwise of the first entry,
    /// otherwise the study's zone.
    package var zones: [ZoneChange]
    /// All known occurrences of anchors, in any order.
    package var anchors: [AnchorEvent]
    /// Secret, because the random instants can be computed from it.
    package var seed: [UInt8]
    /// Whether the participant is enrolled and paused, over time.
    package var status: EnrolmentStatus

    /// Creates the inputs; by default of an active participant without anchors.
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
