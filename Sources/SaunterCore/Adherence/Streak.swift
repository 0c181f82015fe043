/// Consecutive local dates on which a goal was met.
package struct Streak: Sendable, Hashable {
    /// Length of the current run. Today counts if the goal is met, and does not end the run if it is not.
    package let current: Int
    /// Length of the longest run, including the current one.
    package let best: Int

    /// - Parameters:
    ///   - met: the participant's local dates as stored. A date that occurs twice because of travel counts once.
    ///   - skipped: dates that neither extend nor end a run: paused dates, nonexistent dates, and dates without
    ///     occasions.
    package init(met: Set<LocalDate>, skipped: Set<LocalDate>, today: LocalDate) {
        var run = 0
        var best = 0
        var previous: LocalDate?
        for date in met.sorted() where date <= today {
            if let previous, !Self.areAllSkipped(after: previous, before: date, skipped) { run = 0 }
            run += 1
            best = max(best, run)
            previous = date
        }
        let lasts = previous.map { Self.areAllSkipped(after: $0, before: today, skipped) } ?? false
        current = lasts ? run : 0
        self.best = best
    }

    /// The result of a date: the largest value among its occasions, in the order of the cases.
    private enum DateState: Comparable {
        case met, open, missed
    }

    /// The goal is that every occasion of the date is answered.
    ///
    /// These dates are skipped: dates without counted occasions, and dates on which all unanswered occasions are still
    /// open. A window that closes after midnight therefore does not end the run at midnight. A missed occasion ends the
    /// run, even if another occasion of the same date is open for a week.
    ///
    /// - Parameters:
    ///   - now: the instant for which the states are computed.
    ///   - skippedByTravel: local dates that the participant skipped by a change of zone; see
    ///     `datesSkippedByTravel`.
    package init(
        occasions: [Occasion], at now: Instant, today: LocalDate, skippedByTravel: Set<LocalDate> = []
    ) {
        // The overview passes all occasions of several years, so the code uses one pass without copies.
        var dates: [LocalDate: DateState] = [:]
        for occasion in occasions where occasion.exclusion == nil || occasion.isAnswered {
            let isOpen = now < occasion.window.closeAt
            let state: DateState = occasion.isAnswered ? .met : isOpen ? .open : .missed
            dates[occasion.localDate] = max(dates[occasion.localDate] ?? .met, state)
        }
        var met: Set<LocalDate> = []
        var skipped = skippedByTravel
        for (date, state) in dates {
            if state == .met { met.insert(date) }
            if state == .open { skipped.insert(date) }
        }
        if let first = dates.keys.min(), first < today {
            for days in first.days..<today.days where dates[LocalDate(days: days)] == nil {
                skipped.insert(LocalDate(days: days))
            }
        }
        self.init(met: met, skipped: skipped, today: today)
    }

    /// Local dates that a participant skipped by a change of zone.
    package static func datesSkippedByTravel(in history: [ZoneChange]) -> Set<LocalDate> {
        let sorted = history.sorted { $0.from < $1.from }
        var dates: Set<LocalDate> = []
        for (old, new) in zip(sorted, sorted.dropFirst()) {
            let last = old.zone.local(of: new.from).date
            let next = new.zone.local(of: new.from).date
            for days in last.days + 1..<max(last.days + 1, next.days) { dates.insert(LocalDate(days: days)) }
        }
        return dates
    }

    /// Whether every date between two dates is skipped.
    private static func areAllSkipped(after: LocalDate, before: LocalDate, _ skipped: Set<LocalDate>) -> Bool
    {
        guard after.days + 1 < before.days else { return true }
        return (after.days + 1..<before.days).allSatisfy { skipped.contains(LocalDate(days: $0)) }
    }
}
