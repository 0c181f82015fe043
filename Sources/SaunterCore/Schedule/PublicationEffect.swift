/// What a new version of a live study does to the occasions of those who are enrolled, before anything is written.
package struct PublicationEffect: Sendable, Hashable {
    /// Numbers of occasions.
    package struct Counts: Sendable, Hashable {
        /// Not yet open, and at other times than before, or asking another questionnaire.
        package var moved = 0
        package var cancelled = 0
        package var added = 0
        /// Moved to another day, or cancelled, after a daily mail has told of them: no mail tells of them again.
        package var told = 0
        /// Open now and unanswered: they stay as they are.
        package var open = 0

        package init() {}

        package static func + (left: Counts, right: Counts) -> Counts {
            var sum = left
            sum.moved += right.moved
            sum.cancelled += right.cancelled
            sum.added += right.added
            sum.told += right.told
            sum.open += right.open
            return sum
        }
    }

    package struct Place: Sendable, Hashable, Comparable {
        package var schedule: String
        package var arm: String

        package static func < (left: Place, right: Place) -> Bool {
            (left.schedule, left.arm) < (right.schedule, right.arm)
        }
    }

    /// Participants who come to follow the version.
    package private(set) var enrolments = 0
    /// Participants who stay on theirs until they consent to the version's text.
    package var awaitingConsent = 0
    /// The last local date that was looked at, where somebody's plan goes on after it; nil where all were looked at to their end.
    package var through: LocalDate?
    /// Whether everybody was looked at.
    package var isComplete = true
    /// Arms that the version does not have -> participants who are in them.
    package private(set) var lostArms: [String: Int] = [:]
    private var counts: [Place: Counts] = [:]

    package init() {}

    /// Of every schedule and arm that has occasions to tell of, in their order.
    package var lines: [(place: Place, counts: Counts)] {
        counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package var total: Counts { counts.values.reduce(Counts(), +) }

    /// Counts what one participant gets.
    /// - Parameters:
    ///   - stored: the occasions of the version that is followed now, also those to come that are not stored yet.
    ///   - difference: from `reconcile`, against the plan of the new version.
    ///   - told: from `Prompting.told(before:)`.
    ///   - isArmKept: whether the new version has the arm.
    package mutating func add(
        arm: String, isArmKept: Bool, stored: [Occasion], difference: Reconciliation, told: Set<OccasionID>,
        now: Instant
    ) {
        enrolments += 1
        if !isArmKept { lostArms[arm, default: 0] += 1 }
        let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        func count(_ occasion: Occasion, _ change: (inout Counts) -> Void) {
            change(&counts[Place(schedule: occasion.key.schedule, arm: arm), default: Counts()])
        }
        for occasion in difference.insert { count(occasion) { $0.added += 1 } }
        for id in difference.cancel {
            guard let old = known[id] else { continue }
            count(old) { $0.cancelled += 1 }
            if told.contains(id) { count(old) { $0.told += 1 } }
        }
        for occasion in difference.move {
            guard let old = known[occasion.id] else { continue }
            // To them it is new: no plan asked it any more.
            guard old.setAside != .cancelled else {
                count(occasion) { $0.added += 1 }
                continue
            }
            guard old.window.openAt > now else { continue }
            // Its new time is taken by what has opened or was answered.
            let isGone = occasion.setAside == .cancelled
            count(occasion) { if isGone { $0.cancelled += 1 } else { $0.moved += 1 } }
            if told.contains(occasion.id) { count(occasion) { $0.told += 1 } }
        }
        for old in stored where old.isOpenUnanswered(at: now) { count(old) { $0.open += 1 } }
    }
}

extension Occasion {
    fileprivate func isOpenUnanswered(at now: Instant) -> Bool {
        window.openAt <= now && now < window.closeAt && setAside == nil && !isAnswered
    }
}
