/// Why the participant cannot answer a questionnaire now.
package enum DisabledReason: String, Sendable, Hashable, CaseIterable {
    /// The participant has answered it, and the next occasion is not open yet.
    case completedInPeriod = "completed_in_period"
    /// It opens later, or the participant has paused.
    case notYetOpen = "not_yet_open"
    case closed
    /// A walk or another questionnaire must be completed first.
    case prerequisite
    case notEnrolled = "not_enrolled"
}

/// One line of the participant's overview.
package struct OverviewEntry: Sendable, Hashable {
    /// Code of the questionnaire.
    package var questionnaire: String
    /// The version of the questionnaire that the participant answers now.
    package var version: String
    /// Whether an occasion is open or overdue, or opens later today.
    package var isDueToday = false
    /// Whether the participant cannot answer the questionnaire now.
    package var isDisabled = true
    /// Not nil exactly if `isDisabled`.
    package var disabledReason: DisabledReason?
    /// The first of these occasions that exists: the one that can be answered now, the last one that closed or was
    /// answered if it was answered, the next one, a paused one that is not due yet, the last missed one.
    package var occasionID: OccasionID?
    /// When this occasion opens; nil without an occasion.
    package var opensAt: Instant?
    /// When this occasion is due; nil without an occasion.
    package var dueAt: Instant?
    /// When this occasion closes; nil without an occasion.
    package var closesAt: Instant?
    /// When this occasion was fulfilled; nil if it was not.
    package var completedAt: Instant?
    /// Opening of the next occasion that is not open yet.
    package var nextOpensAt: Instant?

    /// Creates an entry without an occasion.
    package init(questionnaire: String, version: String) {
        self.questionnaire = questionnaire
        self.version = version
    }
}

/// The inputs of the overview and of `WalkReadiness` other than occasions.
package struct EnrolmentFacts: Sendable, Hashable {
    /// Whether the participant has a calibration.
    package var hasCalibration: Bool
    /// Whether the participant is enrolled and paused, over time.
    package var status: EnrolmentStatus
    /// Questionnaire code -> number of counted sheets that were completed on the participant's current local date.
    package var answeredToday: [String: Int]
    /// The anchors that have happened at least once. First completions are in it as completions.
    package var happened: Set<Anchor>

    /// Creates the facts; by default nothing was answered today and no anchor has happened.
    package init(
        hasCalibration: Bool, status: EnrolmentStatus, answeredToday: [String: Int] = [:],
        happened: Set<Anchor> = []
    ) {
        self.hasCalibration = hasCalibration
        self.status = status
        self.answeredToday = answeredToday
        self.happened = happened
    }
}

extension Study {
    /// One entry per questionnaire, in the study's order. Questionnaires for other arms are left out, unless an
    /// occasion is still open from the time before the participant changed the arm. Settings are left out.
    /// - Parameter former: questionnaires of open occasions that this version does not contain (see
    ///   `openOccasionsOfFormerQuestionnaires`). They are listed last.
    package func overview(
        arm: String?, occasions: [Occasion], former: [Questionnaire] = [], facts: EnrolmentFacts,
        at now: Instant, zone: Zone
    ) -> [OverviewEntry] {
        let byQuestionnaire = Dictionary(grouping: occasions, by: \.questionnaire)
        return (questionnaires + former).compactMap { questionnaire in
            if settings.contains(questionnaire.code) { return nil }
            let ownSchedules = schedules.filter { $0.questionnaire == questionnaire.code }
            let rule = anyTimeRule(of: questionnaire.code)
            guard
                ownSchedules.isEmpty || ownSchedules.contains(where: { $0.applies(to: arm) })
                    || rule != nil
                    || byQuestionnaire[questionnaire.code]?.contains(where: { $0.state(at: now).isAnswerable }
                    ) == true
            else { return nil }
            var entry = OverviewEntry(questionnaire: questionnaire.code, version: questionnaire.version)
            entry.fill(
                from: byQuestionnaire[questionnaire.code] ?? [], at: now, zone: zone,
                isEnrolled: facts.status.isEnrolled(at: now),
                anyTime: rule, answeredToday: facts.answeredToday[questionnaire.code] ?? 0,
                awaitsEvent: ownSchedules.contains { schedule in
                    schedule.applies(to: arm) && followsEvent(schedule)
                        && (canFollowAgain(schedule)
                            || (!hasBegun(schedule, after: facts.happened)
                                && !occasions.contains { $0.key.schedule == schedule.id }))
                })
            return entry
        }
    }

    /// Open occasions whose questionnaire this version does not contain. They opened under an earlier version and stay
    /// unchanged until they close.
    package func openOccasionsOfFormerQuestionnaires(_ occasions: [Occasion], at now: Instant) -> [Occasion] {
        occasions.filter { $0.state(at: now).isAnswerable && questionnaire($0.questionnaire) == nil }
    }
}

extension OverviewEntry {
    /// Sets all members.
    /// - Parameters:
    ///   - all: the occasions of the questionnaire.
    ///   - rule: the rule of the questionnaire in `any_time`; nil if it has none.
    ///   - answeredToday: number of counted sheets that were completed on the participant's current local date.
    ///   - awaitsEvent: whether a walk, a sheet or an event can still plan occasions.
    fileprivate mutating func fill(
        from all: [Occasion], at now: Instant, zone: Zone, isEnrolled: Bool, anyTime rule: AnyTimeRule?,
        answeredToday: Int, awaitsEvent: Bool
    ) {
        let counting = all.filter { $0.exclusion == nil || $0.isAnswered }
        let open = counting.filter { $0.state(at: now).isAnswerable }
            .min {
                ($0.window.closeAt, $0.window.openAt, $0.id) < ($1.window.closeAt, $1.window.openAt, $1.id)
            }
        let next = counting.filter { $0.state(at: now) == .upcoming }
            .min { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
        let last = counting.filter { $0.isAnswered || $0.state(at: now) == .missed }
            .max { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
        let completed = last.flatMap { $0.isAnswered ? $0 : nil }
        // A paused occasion can be answered if the pause ends before the due time.
        let paused = all.filter { $0.state(at: now) == .paused && $0.window.dueAt >= now }
            .min { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }

        show(open ?? completed ?? next ?? paused ?? last)
        guard isEnrolled else {
            disabledReason = .notEnrolled
            return
        }
        nextOpensAt = next?.window.openAt
        // A sheet above the maximum would fulfil nothing, so nothing is offered.
        let isFull = rule?.maximumPerDay.map { answeredToday >= $0 } ?? false
        isDueToday = !isFull && (open != nil || next?.isDueToday(at: now, zone: zone) ?? false)
        isDisabled = isFull || open == nil && rule == nil
        guard isDisabled else { return }
        if completed != nil || isFull {
            disabledReason = .completedInPeriod
        } else if next != nil || paused != nil {
            disabledReason = .notYetOpen
        } else {
            disabledReason = awaitsEvent ? .prerequisite : .closed
        }
    }

    private mutating func show(_ occasion: Occasion?) {
        occasionID = occasion?.id
        opensAt = occasion?.window.openAt
        dueAt = occasion?.window.dueAt
        closesAt = occasion?.window.closeAt
        completedAt = occasion?.completedAt
    }
}
