/// Why a questionnaire cannot be tapped now.
package enum DisabledReason: String, Sendable, Hashable, CaseIterable {
    /// Answered, and the next occasion has not opened.
    case completedInPeriod = "completed_in_period"
    /// It opens later, or a break from prompts holds it back.
    case notYetOpen = "not_yet_open"
    case closed
    /// A walk or another questionnaire comes first.
    case prerequisite
    case notEnrolled = "not_enrolled"
}

/// One line of the survey overview.
package struct OverviewEntry: Sendable, Hashable {
    package var questionnaire: String
    package var version: String
    /// Something of it is open or overdue, or opens later today.
    package var dueToday = false
    package var disabled = true
    /// Set exactly when `disabled`.
    package var disabledReason: DisabledReason?
    /// The occasion that can be answered now; else the one just completed, else the next, else the last that
    /// was missed.
    package var occasionID: OccasionID?
    package var opensAt: Instant?
    package var dueAt: Instant?
    package var closesAt: Instant?
    package var completedAt: Instant?
    package var nextOpensAt: Instant?

    package init(questionnaire: String, version: String) {
        self.questionnaire = questionnaire
        self.version = version
    }
}

/// What else than occasions the overview depends on.
package struct EnrolmentFacts: Sendable, Hashable {
    package var walkCount: Int
    package var calibrationPresent: Bool
    package var status: EnrolmentStatus
    /// Questionnaire -> sheets that count and were completed on the participant's local today.
    package var answeredToday: [String: Int]

    package init(
        walkCount: Int, calibrationPresent: Bool, status: EnrolmentStatus, answeredToday: [String: Int] = [:]
    ) {
        self.walkCount = walkCount
        self.calibrationPresent = calibrationPresent
        self.status = status
        self.answeredToday = answeredToday
    }
}

extension Study {
    /// One entry per questionnaire in the study's order, without those that only other arms are asked; what was open
    /// when somebody came to another arm stays until it closes.
    /// - Parameter former: of what is open but has no questionnaire in this version (`leftOpen`), its questionnaires; they come last.
    package func overview(
        arm: String?, occasions: [Occasion], former: [Questionnaire] = [], facts: EnrolmentFacts,
        at now: Instant, zone: Zone
    ) -> [OverviewEntry] {
        let byQuestionnaire = Dictionary(grouping: occasions, by: \.questionnaire)
        return (questionnaires + former).compactMap { questionnaire in
            let asking = schedules.filter { $0.questionnaire == questionnaire.code }
            guard
                asking.isEmpty || asking.contains(where: { $0.applies(to: arm) })
                    || anyTime.contains(questionnaire.code)
                    || byQuestionnaire[questionnaire.code]?.contains(where: { $0.state(at: now).isAnswerable }
                    ) == true
            else { return nil }
            var entry = OverviewEntry(questionnaire: questionnaire.code, version: questionnaire.version)
            entry.fill(
                from: byQuestionnaire[questionnaire.code] ?? [], at: now, zone: zone,
                isEnrolled: facts.status.isEnrolled(at: now), anyTime: anyTime.contains(questionnaire.code),
                answeredToday: facts.answeredToday[questionnaire.code] ?? 0,
                mostADay: anyTimeLimits[questionnaire.code],
                followsEvents: asking.contains { $0.applies(to: arm) && followsEvent($0) })
            return entry
        }
    }

    /// Occasions that can be answered now and ask what this version asks nobody any more: they opened under an earlier one, and stay as they are until they
    /// close.
    package func leftOpen(_ occasions: [Occasion], at now: Instant) -> [Occasion] {
        occasions.filter { $0.state(at: now).isAnswerable && questionnaire($0.questionnaire) == nil }
    }
}

extension OverviewEntry {
    fileprivate mutating func fill(
        from all: [Occasion], at now: Instant, zone: Zone, isEnrolled: Bool, anyTime: Bool,
        answeredToday: Int, mostADay: Int?, followsEvents: Bool
    ) {
        let counting = all.filter { $0.setAside == nil || $0.isAnswered }
        let open = counting.filter { $0.state(at: now).isAnswerable }
            .min {
                ($0.window.closeAt, $0.window.openAt, $0.id) < ($1.window.closeAt, $1.window.openAt, $1.id)
            }
        let next = counting.filter { $0.state(at: now) == .upcoming }
            .min { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
        let last = counting.filter { $0.isAnswered || $0.state(at: now) == .missed }
            .max { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
        let completed = last.flatMap { $0.isAnswered ? $0 : nil }
        // A break holds it back; it may yet be answered when the break ends before it is due.
        let paused = all.filter { $0.state(at: now) == .paused && $0.window.dueAt >= now }
            .min { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }

        show(open ?? completed ?? next ?? paused ?? last)
        guard isEnrolled else {
            disabledReason = .notEnrolled
            return
        }
        nextOpensAt = next?.window.openAt
        dueToday = open != nil || next?.isDueToday(at: now, zone: zone) ?? false
        let isFull = mostADay.map { answeredToday >= $0 } ?? false
        disabled = open == nil && (!anyTime || isFull)
        guard disabled else { return }
        if completed != nil || isFull {
            disabledReason = .completedInPeriod
        } else if next != nil || paused != nil {
            disabledReason = .notYetOpen
        } else {
            disabledReason = followsEvents ? .prerequisite : .closed
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

extension Anchor {
    /// It happens any number of times, each an instance of its own.
    package var isRepeated: Bool {
        switch self {
        case .walk, .completion: true
        case .enrolment, .studyDate, .firstCompletion, .event, .phase: false
        }
    }
}

extension Study {
    /// Questionnaires of which a completed sheet changes what is planned.
    package var followedQuestionnaires: Set<String> {
        let anchors = schedules.compactMap { schedule -> String? in
            switch schedule.anchor {
            case .completion(let questionnaire), .firstCompletion(let questionnaire): questionnaire
            default: nil
            }
        }
        let starts = phases.compactMap { phase -> String? in
            if case .firstCompletion(let questionnaire) = phase.start { questionnaire } else { nil }
        }
        return Set(anchors + starts)
    }

    /// Whether a completed sheet of this questionnaire changes what is planned.
    package func plansFollow(_ questionnaire: String) -> Bool {
        followedQuestionnaires.contains(questionnaire)
    }

    /// Whether this schedule asks nothing until something happens that may never happen.
    package func followsEvent(_ schedule: Schedule) -> Bool {
        func mayNeverBegin(_ code: String) -> Bool {
            phases.first { $0.code == code }?.followsEvent ?? true
        }
        if let phase = schedule.phase, mayNeverBegin(phase) { return true }
        switch schedule.anchor {
        case .enrolment, .studyDate: return false
        case .walk, .completion, .firstCompletion, .event: return true
        case .phase(let code): return mayNeverBegin(code)
        }
    }
}
