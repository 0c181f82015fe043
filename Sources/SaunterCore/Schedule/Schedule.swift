/// What day 0 of a schedule is.
package enum Anchor: Sendable, Hashable {
    /// The participant's local date of enrolment.
    case enrolment
    /// A calendar date that holds for everybody.
    case studyDate(LocalDate)
    /// Each walk that is handed in makes one instance.
    case walk
    /// Each completed sheet of this questionnaire makes one instance.
    case completion(questionnaire: String)
    /// The first completed sheet of this questionnaire.
    case firstCompletion(questionnaire: String)
    /// A named event of the study, once it has happened.
    case event(String)
    /// The first day of a phase.
    case phase(String)
}

/// On which days after the anchor an occasion falls.
package enum Recurrence: Sendable, Hashable {
    case once
    /// Every n-th day from the offset, up to and including the day index `untilDay`.
    case every(days: Int, untilDay: Int)
    /// On ISO weekdays (1 = Monday) of every n-th week.
    case weekly(weekdays: [Int], weeks: Int, untilDay: Int)
    /// On days of the month; 31 is clamped to the month's last day.
    case monthly(days: [Int], untilDay: Int)
    /// Bursts: the day offsets repeat with this length in days.
    case cycle(length: Int, dayOffsets: [Int], untilDay: Int)
}

/// When on its day an occasion opens.
package enum Opening: Sendable, Hashable {
    case fixed(LocalTime)
    /// k random moments between two times, at least `minimumGap` seconds apart.
    case random(from: LocalTime, to: LocalTime, count: Int, minimumGap: Int)
    /// At the anchor's own instant (walk, completion) plus this many seconds.
    case afterAnchor(seconds: Int)
}

/// One window of a schedule's day. Invariant: visible ≤ open ≤ due ≤ close. Lengths are nominal seconds of
/// wall time: they are added to the local opening time, so that a window that ends at midnight ends at
/// midnight on the day that the clocks change, too.
package struct Slot: Sendable, Hashable {
    package var opening: Opening
    package var dueAfter: Int
    package var closeAfter: Int
    package var visibleBefore: Int

    package init(opening: Opening, dueAfter: Int, closeAfter: Int, visibleBefore: Int = 0) {
        self.opening = opening
        self.dueAfter = dueAfter
        self.closeAfter = closeAfter
        self.visibleBefore = visibleBefore
    }
}

/// Whose clock a schedule follows.
package enum ZonePolicy: Sendable, Hashable {
    case participant, enrolment
    case study(Zone)
}

/// What becomes of a sheet that was finished after its window: it is always kept; the policy says whether it
/// completes the occasion.
package enum LatePolicy: String, Sendable, Hashable, CaseIterable {
    case complete, flag
}

/// When one questionnaire falls due.
package struct Schedule: Sendable, Hashable {
    /// Unique in the study; part of every occasion's identity, so it never changes its meaning.
    package var id: String
    package var questionnaire: String
    /// Empty = every arm.
    package var arms: [String]
    package var anchor: Anchor
    package var offsetDays: Int
    package var recurrence: Recurrence
    /// At most so many days with occasions, from the anchor on; nil = as many as the recurrence gives.
    package var count: Int?
    /// Only windows that lie in this phase are planned; nil = in all of the study.
    package var phase: String?
    /// Of what happens often (walks, sheets), at most so many of a local date have occasions that follow; nil
    /// = all.
    package var maxPerDay: Int?
    package var slots: [Slot]
    package var zonePolicy: ZonePolicy
    package var latePolicy: LatePolicy
    /// Whether the due-today mail counts this schedule's occasions.
    package var reminded: Bool
    /// What reminds of each occasion by itself, beside that mail; of one kind in the order of their ordinals.
    package var prompts: [PromptRule]

    package init(
        id: String, questionnaire: String, arms: [String] = [], anchor: Anchor = .enrolment,
        offsetDays: Int = 0,
        recurrence: Recurrence, count: Int? = nil, phase: String? = nil, maxPerDay: Int? = nil, slots: [Slot],
        zonePolicy: ZonePolicy = .participant, latePolicy: LatePolicy = .flag, reminded: Bool = true,
        prompts: [PromptRule] = []
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
        self.reminded = reminded
        self.prompts = prompts
    }
}
