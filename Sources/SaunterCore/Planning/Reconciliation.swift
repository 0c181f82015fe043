/// The changes that make the stored occasions of a participant follow the plan.
package struct Reconciliation: Sendable, Hashable {
    /// Planned occasions that are not stored.
    package var insert: [Occasion] = []
    /// Stored occasions with changed fields, as they are to be stored.
    package var move: [Occasion] = []
    /// Stored occasions that are not planned any more.
    package var cancel: [OccasionID] = []

    /// The stored occasions after these changes.
    package func applied(to stored: [Occasion]) -> [Occasion] {
        let moved = Dictionary(move.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let cancelled = Set(cancel)
        return stored.map { old in
            var occasion = moved[old.id] ?? old
            if cancelled.contains(old.id) { occasion.exclusion = .cancelled }
            return occasion
        } + insert
    }

    /// Whether there are no changes.
    package var isEmpty: Bool { insert.isEmpty && move.isEmpty && cancel.isEmpty }
}

/// Compares stored and planned occasions by id: missing → insert, changed → move, surplus → cancel. Occasions are never
/// deleted. Reconciling again returns no changes.
///
/// 1. An answered occasion never changes.
/// 2. An occasion that has opened keeps its instants and zone. Only its exclusion may change (pause, withdrawal).
/// 3. A cancelled occasion is reinstated only if the plan opens it in the future.
/// 4. No occasion is inserted after its close, unless its anchor instance has just arrived: a device that was offline
///    gets the occasions that it would have had. No occasion is inserted after a withdrawal.
/// 5. If the new close is in the past but the old close is not, or if the new zone skips the date, the occasion keeps
///    its old instants. A participant never loses a window by travel. There are two exceptions, and both cancel the
///    occasion: a corrected anchor moved it to another day, or another occasion is planned at its time in the same
///    zone.
/// 6. A planned occasion is cancelled or not inserted if an opened or answered occasion of the same questionnaire
///    occupies its time (see `OccupiedTime`).
/// 7. An occasion that follows a deleted event (for example a deleted walk) is cancelled even if it is open.
///
/// - Parameters:
///   - dates: local dates that the plan covers. Stored occasions on other dates do not change. Nil for all dates.
///   - arrived: anchor instances (walks, sheets) that were unknown at the previous planning.
///   - status: status of the participant. Open occasions that are not planned any more are excluded when the
///     participant leaves.
///   - isOrphaned: whether the event that an occasion follows was deleted.
package func reconcile(
    stored: [Occasion], planned: [Occasion], now: Instant, dates: ClosedRange<LocalDate>? = nil,
    arrived: Set<String> = [], status: EnrolmentStatus = .active,
    isOrphaned: (Occasion) -> Bool = { _ in false }
) -> Reconciliation {
    let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    func isCovered(_ old: Occasion) -> Bool { dates.map { $0.contains(old.localDate) } ?? true }
    let occupied = OccupiedTime(stored: stored, planned: planned, now: now, isCovered: isCovered)
    var result = Reconciliation()
    var wanted: Set<OccasionID> = []
    for plan in planned where wanted.insert(plan.id).inserted {
        if let old = known[plan.id] {
            if let moved = old.updated(toFollow: plan, now: now, occupied) { result.move.append(moved) }
        } else {
            let isAsked = plan.window.closeAt > now || arrived.contains(plan.key.anchorInstance)
            if isAsked, plan.exclusion != .withdrawn, !occupied.isOccupied(plan) {
                result.insert.append(plan)
            }
        }
    }
    var seen: Set<OccasionID> = []
    for old in stored where !wanted.contains(old.id) && seen.insert(old.id).inserted {
        let isSurplus = isOrphaned(old) || (isCovered(old) && old.window.openAt > now)
        if isSurplus, !old.isAnswered, old.exclusion != .cancelled {
            result.cancel.append(old.id)
        } else if let withdrawn = old.withdrawn(by: status, now: now) {
            result.move.append(withdrawn)
        }
    }
    return result
}

extension Occasion {
    /// The excluded copy of an open, unplanned occasion if the participant has left. Nil otherwise.
    fileprivate func withdrawn(by status: EnrolmentStatus, now: Instant) -> Occasion? {
        guard state(at: now).isAnswerable, status.exclusion(of: window) == .withdrawn else { return nil }
        var withdrawn = self
        withdrawn.exclusion = .withdrawn
        return withdrawn
    }

    /// The stored occasion with the changes that make it follow its plan. Nil if nothing changes.
    fileprivate func updated(toFollow plan: Occasion, now: Instant, _ occupied: OccupiedTime) -> Occasion? {
        guard !isAnswered else { return nil }
        var moved = self
        // An occasion that was cancelled before it opened was never asked. It is reinstated if it is planned to open
        // later.
        let isReinstated = exclusion == .cancelled && plan.window.openAt > now
        if window.openAt <= now, !isReinstated {
            guard exclusion != .cancelled, window == plan.window || window.closeAt > now else { return nil }
            moved.exclusion = plan.exclusion
        } else if plan.window.closeAt > now, plan.exclusion != .nonexistent || zone == plan.zone {
            // The cancelled occasion keeps its instants, so that it can be reinstated after another correction.
            if occupied.isOccupied(plan) { moved.exclusion = .cancelled } else { moved = plan }
        } else if exclusion == .cancelled {
            return nil
        } else if occupied.isReassigned(self) || isPastAfterCorrection(plan, now: now) {
            moved.exclusion = .cancelled
        }
        return moved == self ? nil : moved
    }

    /// Whether the plan in the same zone has closed and is on another day, because the anchor was corrected.
    private func isPastAfterCorrection(_ plan: Occasion, now: Instant) -> Bool {
        plan.window.closeAt <= now && plan.zone == zone && plan.localDate != localDate
    }
}
