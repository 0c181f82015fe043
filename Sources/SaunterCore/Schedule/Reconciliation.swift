/// What must be written so that the stored occasions of a participant follow the plan.
package struct Reconciliation: Sendable, Hashable {
    /// Planned ones that are not stored yet.
    package var insert: [Occasion] = []
    /// As they shall be stored; their ids are those of stored ones.
    package var move: [Occasion] = []
    /// Stored ones that are no longer planned.
    package var cancel: [OccasionID] = []

    /// The stored occasions as they are once this is written.
    package func applied(to stored: [Occasion]) -> [Occasion] {
        let moved = Dictionary(move.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let cancelled = Set(cancel)
        return stored.map { old in
            var occasion = moved[old.id] ?? old
            if cancelled.contains(old.id) { occasion.setAside = .cancelled }
            return occasion
        } + insert
    }

    /// Nothing is to be written.
    package var isEmpty: Bool { insert.isEmpty && move.isEmpty && cancel.isEmpty }
}

/// Compares by id. Missing -> insert, changed -> move, surplus -> cancel; nothing is ever deleted, and doing
/// it twice does nothing.
///
/// - An answered occasion is never touched. One that has opened keeps its instants and zone; only why it is
///   set aside may still change (a break, a withdrawal). One that was cancelled comes back where its plan is still to open, and not otherwise.
/// - Nothing is created whose close is past, unless what it follows has only become known now: a device that was offline shall find what it would
///   have found. Nothing is created after a withdrawal.
/// - Where the new close is past but the old one is not, or the new zone leaves the day out, the old instants
///   stay: travelling never costs a window. Where its day is another now, because what it counts from was corrected, or another one comes at its
///   time by the same clock (an edit that moved it to before a journey), it is over.
/// - What would come at a time that an opened or answered one of the same questionnaire holds (`TakenTime`) is cancelled, or not created.
/// - What follows an event that was taken back (a walk that was deleted) is cancelled even when it is open.
///
/// - Parameter dates: the local dates that the plan covers. Stored occasions of other dates are left alone;
///   nil = it covers all.
/// - Parameter arrived: instances (walks, sheets) that were not known when anything was planned before.
/// - Parameter status: of the participant: what is open and no longer planned is set aside when they leave.
/// - Parameter isOrphaned: whether the event that an occasion follows is gone.
package func reconcile(
    stored: [Occasion], planned: [Occasion], now: Instant, dates: ClosedRange<LocalDate>? = nil,
    arrived: Set<String> = [], status: EnrolmentStatus = .active,
    isOrphaned: (Occasion) -> Bool = { _ in false }
) -> Reconciliation {
    let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    func isCovered(_ old: Occasion) -> Bool { dates.map { $0.contains(old.localDate) } ?? true }
    let taken = TakenTime(stored: stored, planned: planned, now: now, isCovered: isCovered)
    var result = Reconciliation()
    var wanted: Set<OccasionID> = []
    for plan in planned where wanted.insert(plan.id).inserted {
        if let old = known[plan.id] {
            if let moved = old.following(plan, now: now, taken) { result.move.append(moved) }
        } else {
            let isAsked = plan.window.closeAt > now || arrived.contains(plan.key.anchorInstance)
            if isAsked, plan.setAside != .withdrawn, !taken.isTaken(plan) { result.insert.append(plan) }
        }
    }
    var seen: Set<OccasionID> = []
    for old in stored where !wanted.contains(old.id) && seen.insert(old.id).inserted {
        let isSurplus = isOrphaned(old) || (isCovered(old) && old.window.openAt > now)
        if isSurplus, !old.isAnswered, old.setAside != .cancelled {
            result.cancel.append(old.id)
        } else if let left = old.left(by: status, now: now) {
            result.move.append(left)
        }
    }
    return result
}

extension Occasion {
    /// A sheet completes it: no plan touches it any more.
    package var isAnswered: Bool { completedAt != nil || sheetID != nil }

    /// This occasion, which is no longer planned, where it is open when the participant leaves; nil otherwise.
    fileprivate func left(by status: EnrolmentStatus, now: Instant) -> Occasion? {
        guard state(at: now).isAnswerable, status.setAside(window) == .withdrawn else { return nil }
        var left = self
        left.setAside = .withdrawn
        return left
    }

    /// How this stored occasion changes to follow its plan; nil when it stays as it is.
    fileprivate func following(_ plan: Occasion, now: Instant, _ taken: TakenTime) -> Occasion? {
        guard !isAnswered else { return nil }
        var moved = self
        // What was cancelled before it opened was never asked: it comes back wherever it is planned to come yet.
        let isBackAhead = setAside == .cancelled && plan.window.openAt > now
        if window.openAt <= now, !isBackAhead {
            guard setAside != .cancelled, window == plan.window || window.closeAt > now else { return nil }
            moved.setAside = plan.setAside
        } else if plan.window.closeAt > now, plan.setAside != .nonexistent || zone == plan.zone {
            // It keeps its instants, so that it can come back when what was corrected is put right.
            if taken.isTaken(plan) { moved.setAside = .cancelled } else { moved = plan }
        } else if setAside == .cancelled {
            return nil
        } else if taken.isPassedOn(self) || isOverByCorrection(plan, now: now) {
            moved.setAside = .cancelled
        }
        return moved == self ? nil : moved
    }

    /// By the same clock its plan is over, and on another day: what it counts from was corrected.
    private func isOverByCorrection(_ plan: Occasion, now: Instant) -> Bool {
        plan.window.closeAt <= now && plan.zone == zone && plan.localDate != localDate
    }
}
