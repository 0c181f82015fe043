/// Finds time that is occupied by occasions which cannot move any more, although the plan now has them at another time
/// or not at all. This happens after a correction of an anchor or an edit of the study: opened occasions keep their
/// instants, and no other occasion of the same questionnaire may overlap them.
///
/// Occasions in different zones never conflict, so travel does not occupy time.
struct OccupiedTime {
    private let planned: [Occasion]
    private let windows: [OccasionID: AssessmentWindow]
    /// Stored occasions that cannot move and that the plan has at another time or not at all.
    private let blockers: [Occasion]

    /// - Parameter isCovered: whether the plan covers this stored occasion.
    init(stored: [Occasion], planned: [Occasion], now: Instant, isCovered: (Occasion) -> Bool) {
        let windows = Dictionary(planned.map { ($0.id, $0.window) }, uniquingKeysWith: { first, _ in first })
        self.planned = planned
        self.windows = windows
        blockers = stored.filter { old in
            guard old.isAnswered || old.window.openAt <= now, old.isAsked else { return false }
            return windows[old.id].map { $0 != old.window } ?? isCovered(old)
        }
    }

    /// Whether an occasion that cannot move occupies the time of this planned occasion.
    func isOccupied(_ plan: Occasion) -> Bool {
        plan.isAsked && blockers.contains { areSeparateInPlan($0, plan) && $0.conflicts(with: plan) }
    }

    /// Whether the plan has another occasion at the stored time of this occasion, and this occasion at another time.
    func isReassigned(_ old: Occasion) -> Bool {
        planned.contains { $0.isAsked && areSeparateInPlan(old, $0) && $0.conflicts(with: old) }
    }

    /// Whether the plan has both occasions at separate times. Occasions that overlap in the plan do not block each
    /// other.
    private func areSeparateInPlan(_ old: Occasion, _ plan: Occasion) -> Bool {
        windows[old.id].map { !$0.overlaps(plan.window) } ?? true
    }
}

extension Occasion {
    /// Whether the participant may still be asked: the occasion counts, or it is paused.
    fileprivate var isAsked: Bool { exclusion == nil || exclusion == .paused }

    /// Whether both occasions ask the same questionnaire, follow the same walk (if any), use the same zone and overlap
    /// in time.
    fileprivate func conflicts(with other: Occasion) -> Bool {
        id != other.id && questionnaire == other.questionnaire
            && key.anchorInstance == other.key.anchorInstance && zone == other.zone
            && window.overlaps(other.window)
    }
}
