/// What time is taken where windows no longer stand as they are planned, because what they count from was corrected or the study was edited: those that
/// have opened keep their instants, and of one questionnaire nothing else is asked meanwhile. Journeys take nobody's time: a window in another zone is
/// asked beside what was open before.
struct TakenTime {
    private let planned: [Occasion]
    private let windows: [OccasionID: AssessmentWindow]
    /// Stored ones that can no longer move and are planned for another time or not at all.
    private let holders: [Occasion]

    /// - Parameter isCovered: whether the plan covers this stored occasion.
    init(stored: [Occasion], planned: [Occasion], now: Instant, isCovered: (Occasion) -> Bool) {
        let windows = Dictionary(planned.map { ($0.id, $0.window) }, uniquingKeysWith: { first, _ in first })
        self.planned = planned
        self.windows = windows
        holders = stored.filter { old in
            guard old.isAnswered || old.window.openAt <= now, old.isAsked else { return false }
            return windows[old.id].map { $0 != old.window } ?? isCovered(old)
        }
    }

    /// Whether something that can no longer move holds the time that this is planned for.
    func isTaken(_ plan: Occasion) -> Bool {
        plan.isAsked && holders.contains { isApartByPlan($0, plan) && $0.competes(with: plan) }
    }

    /// Whether another one is planned for the time at which this one stands, which is planned elsewhere.
    func isPassedOn(_ old: Occasion) -> Bool {
        planned.contains { $0.isAsked && isApartByPlan(old, $0) && $0.competes(with: old) }
    }

    /// Windows that a study lets overlap take no time from each other.
    private func isApartByPlan(_ old: Occasion, _ plan: Occasion) -> Bool {
        windows[old.id].map { !$0.overlaps(plan.window) } ?? true
    }
}

extension Occasion {
    /// It is no longer asked once it is cancelled, and one that is held back may still be.
    fileprivate var isAsked: Bool { setAside == nil || setAside == .paused }

    /// Whether both ask the same, of the same walk where one is asked of, by the same clock and at one time.
    fileprivate func competes(with other: Occasion) -> Bool {
        id != other.id && questionnaire == other.questionnaire
            && key.anchorInstance == other.key.anchorInstance && zone == other.zone
            && window.overlaps(other.window)
    }
}

extension AssessmentWindow {
    /// Windows that touch do not overlap.
    package func overlaps(_ other: AssessmentWindow) -> Bool {
        openAt < other.closeAt && other.openAt < closeAt
    }
}
