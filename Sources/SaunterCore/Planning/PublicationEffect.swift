/// The effect of a new version on the occasions of enrolled participants of a live study, computed before publication.
package struct PublicationEffect: Sendable, Hashable {
    /// Numbers of occasions.
    package struct Counts: Sendable, Hashable {
        /// Not open yet, and with another time or another questionnaire than before.
        package var moved = 0
        /// Not planned any more, or replaced by an opened or answered occasion.
        package var cancelled = 0
        /// New in the plan.
        package var added = 0
        /// Moved to another day or cancelled after a daily mail announced them. No further mail announces them.
        package var alreadyAnnounced = 0
        /// Open now and unanswered. They do not change.
        package var open = 0

        /// Creates counts of 0.
        package init() {}

        /// Adds each count.
        package static func + (left: Counts, right: Counts) -> Counts {
            var sum = left
            sum.moved += right.moved
            sum.cancelled += right.cancelled
            sum.added += right.added
            sum.alreadyAnnounced += right.alreadyAnnounced
            sum.open += right.open
            return sum
        }
    }

    /// The occasions of one schedule in one arm.
    package struct Group: Sendable, Hashable, Comparable {
        /// The id of the schedule.
        package var schedule: String
        /// The code of the arm.
        package var arm: String

        /// Compares by schedule, then by arm.
        package static func < (left: Group, right: Group) -> Bool {
            (left.schedule, left.arm) < (right.schedule, right.arm)
        }
    }

    /// Participants who will follow the new version.
    package private(set) var enrolments = 0
    /// Participants who stay on their version until they consent to the new consent text.
    package var awaitingConsent = 0
    /// The last local date that was compared, if the plan of a participant continues after it. Nil if all plans were
    /// compared to their end.
    package var through: LocalDate?
    /// Whether all participants were compared.
    package var isComplete = true
    /// Arms that the new version does not have -> number of participants in them.
    package private(set) var lostArms: [String: Int] = [:]
    private var counts: [Group: Counts] = [:]

    /// Creates an effect without participants.
    package init() {}

    /// Counts per schedule and arm, sorted. A pair whose counts are all 0 is left out.
    package var lines: [(group: Group, counts: Counts)] {
        counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The sum over all schedules and arms.
    package var total: Counts { counts.values.reduce(Counts(), +) }

    /// Adds the effect on one participant.
    /// - Parameters:
    ///   - isArmKept: whether the new version has the arm.
    ///   - currentOccasions: the occasions under the current version: those that are stored, and planned ones that are
    ///     not stored yet.
    ///   - difference: result of `reconcile` with the plan of the new version.
    ///   - alreadyAnnounced: result of `ReminderPlanner.announced(before:)`.
    package mutating func add(
        arm: String, isArmKept: Bool, currentOccasions: [Occasion], difference: Reconciliation,
        alreadyAnnounced: Set<OccasionID>, now: Instant
    ) {
        enrolments += 1
        if !isArmKept { lostArms[arm, default: 0] += 1 }
        let known = Dictionary(
            currentOccasions.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        func count(_ occasion: Occasion, _ change: (inout Counts) -> Void) {
            change(&counts[Group(schedule: occasion.key.schedule, arm: arm), default: Counts()])
        }
        for occasion in difference.insert { count(occasion) { $0.added += 1 } }
        for id in difference.cancel {
            guard let old = known[id] else { continue }
            count(old) { $0.cancelled += 1 }
            if alreadyAnnounced.contains(id) { count(old) { $0.alreadyAnnounced += 1 } }
        }
        for occasion in difference.move {
            guard let old = known[occasion.id] else { continue }
            // The current plan does not ask this occasion any more, so it is new for the participant.
            guard old.exclusion != .cancelled else {
                count(occasion) { $0.added += 1 }
                continue
            }
            guard old.window.openAt > now else { continue }
            // An opened or answered occasion occupies the new time.
            let isCancelled = occasion.exclusion == .cancelled
            count(occasion) { if isCancelled { $0.cancelled += 1 } else { $0.moved += 1 } }
            if alreadyAnnounced.contains(occasion.id) { count(occasion) { $0.alreadyAnnounced += 1 } }
        }
        for old in currentOccasions where old.isOpenUnanswered(at: now) { count(old) { $0.open += 1 } }
    }
}

extension Occasion {
    fileprivate func isOpenUnanswered(at now: Instant) -> Bool {
        window.openAt <= now && now < window.closeAt && exclusion == nil && !isAnswered
    }
}
