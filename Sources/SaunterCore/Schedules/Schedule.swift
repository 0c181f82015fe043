/// Day 0 of a schedule.
package enum Anchor: Sendable, Hashable {
    /// The participant's local date of enrolment.
    case enrolment
    /// A calendar date, the same for all participants.
    case studyDate(LocalDate)
    /// Each submitted walk starts one instance of the schedule.
    case walk
    /// Each completed sheet of this questionnaire starts one instance.
    case completion(questionnaire: String)
    /// Each completed sheet of any of these questionnaires starts one instance.
    case completionOfAny([String])
    /// Each completed sheet of any practice of the study version starts one instance (`{programme: any}`).
    case completionOfPractice
    /// The first completed sheet of this questionnaire.
    case firstCompletion(questionnaire: String)
    /// The instant of a named event. No occasions exist before the event happens.
    case event(String)
    /// The first day of a phase.
    case phase(String)
}

/// The zone in which local times of a schedule are read.
package enum ZonePolicy: Sendable, Hashable {
    case participant, enrolment
    case study(Zone)
}

/// How to treat a sheet that was completed after its window closed. The server always stores the sheet. `complete`: the
/// sheet fulfils the occasion. `flag`: the sheet is stored as out of window.
package enum LatePolicy: String, Sendable, Hashable, CaseIterable {
    case complete, flag
}

/// When participants are asked to answer one questionnaire.
package struct Schedule: Sendable, Hashable {
    /// Unique in the study. It is part of the identity of every occasion, so its meaning never changes.
    package var id: String
    /// Code of the questionnaire.
    package var questionnaire: String
    /// The arms that are asked. Empty for every arm.
    package var arms: [String]
    /// The event from which the days count.
    package var anchor: Anchor
    /// Days from the anchor to the first possible occasion.
    package var offsetDays: Int
    /// The days after the anchor that have occasions.
    package var recurrence: Recurrence
    /// Maximum number of days with occasions, counted from the anchor. Nil for no maximum.
    package var count: Int?
    /// If set, only windows in this phase are planned.
    package var phase: String?
    /// For repeated anchors (walks, sheets): maximum number of anchor instances per local date that get occasions. Nil
    /// for no maximum.
    package var maxPerDay: Int?
    /// The windows of a day, at least one.
    package var slots: [Slot]
    /// The zone in which the local times of the slots are read.
    package var zonePolicy: ZonePolicy
    /// What happens to a sheet that was completed after its window closed.
    package var latePolicy: LatePolicy
    /// Whether the daily mail includes this schedule's occasions.
    package var isInDailyMail: Bool
    /// Reminders of each single occasion, in addition to the daily mail. Reminders of the same kind are numbered in
    /// this order.
    package var reminders: [ReminderTiming]

    /// Creates a schedule that counts from the enrolment, unless another anchor is given.
    package init(
        id: String, questionnaire: String, arms: [String] = [], anchor: Anchor = .enrolment,
        offsetDays: Int = 0,
        recurrence: Recurrence, count: Int? = nil, phase: String? = nil, maxPerDay: Int? = nil, slots: [Slot],
        zonePolicy: ZonePolicy = .participant, latePolicy: LatePolicy = .flag, isInDailyMail: Bool = true,
        reminders: [ReminderTiming] = []
    ) {
        self.id = id
        self.questionnaire = questionnaire
        self.arms = arms
        self.anchor = anchor
        self.offsetDays = offsetDays
        self.recurrence = recurrence
        self.count = count
        self.phase = phase
        self.maxPerDay = maxPerDay
        self.slots = slots
        self.zonePolicy = zonePolicy
        self.latePolicy = latePolicy
        self.isInDailyMail = isInDailyMail
        self.reminders = reminders
    }
}

extension Anchor {
    /// Whether the anchor can happen any number of times. Each time starts a separate instance.
    package var isRepeated: Bool {
        switch self {
        case .walk, .completion, .completionOfAny, .completionOfPractice: true
        case .enrolment, .studyDate, .firstCompletion, .event, .phase: false
        }
    }
}

extension Study {
    /// Codes of the questionnaires from which a schedule or a phase counts. A completed sheet of one of them changes
    /// the plan.
    package var followedQuestionnaires: Set<String> {
        let anchors = schedules.flatMap { questionnaires(followedBy: $0.anchor) }
        let starts = phases.compactMap { phase -> String? in
            if case .firstCompletion(let questionnaire) = phase.start { questionnaire } else { nil }
        }
        return Set(anchors + starts)
    }

    /// The questionnaires whose completed sheets an anchor awaits, each once. One of them suffices. Empty for anchors
    /// that await no sheet.
    package func questionnaires(followedBy anchor: Anchor) -> [String] {
        switch anchor {
        case .completion(let questionnaire), .firstCompletion(let questionnaire): return [questionnaire]
        case .completionOfAny(let questionnaires):
            var seen: Set<String> = []
            return questionnaires.filter { seen.insert($0).inserted }
        case .completionOfPractice: return practices
        case .enrolment, .studyDate, .walk, .event, .phase: return []
        }
    }

    /// Whether a completed sheet of this questionnaire changes the plan.
    package func changesPlan(_ questionnaire: String) -> Bool {
        followedQuestionnaires.contains(questionnaire)
    }

    /// Whether the schedule waits for an event, a walk or a sheet that may never happen.
    package func followsEvent(_ schedule: Schedule) -> Bool {
        func mayNeverBegin(_ code: String) -> Bool {
            phases.first { $0.code == code }?.followsEvent ?? true
        }
        if let phase = schedule.phase, mayNeverBegin(phase) { return true }
        switch schedule.anchor {
        case .enrolment, .studyDate: return false
        case .walk, .completion, .completionOfAny, .completionOfPractice, .firstCompletion, .event:
            return true
        case .phase(let code): return mayNeverBegin(code)
        }
    }
}

extension Study {
    /// Whether a walk, a sheet or an event can still plan occasions of this schedule for a participant who already has
    /// some. That is impossible if the schedule follows only what happens once and cannot be moved.
    package func canFollowAgain(_ schedule: Schedule) -> Bool {
        func isMutable(_ code: String) -> Bool {
            events.first { $0.code == code }.map { $0.update != .immutable } ?? false
        }
        func canBeginAgain(_ code: String) -> Bool {
            guard let phase = phases.first(where: { $0.code == code }) else { return false }
            return if case .event(let event) = phase.start { isMutable(event) } else { false }
        }
        if let phase = schedule.phase, canBeginAgain(phase) { return true }
        switch schedule.anchor {
        case .walk, .completion, .completionOfAny, .completionOfPractice: return true
        case .event(let event): return isMutable(event)
        case .phase(let code): return canBeginAgain(code)
        case .enrolment, .studyDate, .firstCompletion: return false
        }
    }

    /// Whether everything has happened that the schedule and its phase wait for.
    /// - Parameter happened: the anchors that have happened at least once.
    package func hasBegun(_ schedule: Schedule, after happened: Set<Anchor>) -> Bool {
        func isCompleted(_ questionnaire: String) -> Bool {
            happened.contains(.completion(questionnaire: questionnaire))
        }
        func phaseHasBegun(_ code: String) -> Bool {
            guard let phase = phases.first(where: { $0.code == code }) else { return false }
            switch phase.start {
            case .day: return true
            case .event(let event): return happened.contains(.event(event))
            case .firstCompletion(let questionnaire): return isCompleted(questionnaire)
            }
        }
        if let phase = schedule.phase, !phaseHasBegun(phase) { return false }
        switch schedule.anchor {
        case .enrolment, .studyDate: return true
        case .walk, .event: return happened.contains(schedule.anchor)
        case .completion, .completionOfAny, .completionOfPractice, .firstCompletion:
            return questionnaires(followedBy: schedule.anchor).contains(where: isCompleted)
        case .phase(let code): return phaseHasBegun(code)
        }
    }
}

extension Schedule {
    /// Whether participants of this arm are asked. If `arm` is nil, only schedules for every arm apply.
    package func applies(to arm: String?) -> Bool {
        guard !arms.isEmpty else { return true }
        return arm.map(arms.contains) ?? false
    }
}
