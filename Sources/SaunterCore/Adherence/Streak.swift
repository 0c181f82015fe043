/// Consecutive local dates on which a goal was met.
package struct Streak: Sendable, Hashable {
    /// The run that still lasts. Today adds to it when met and does not break it when not.
    package let current: Int
    /// The longest run ever, the current one included.
    package let best: Int

    /// - Parameters:
    ///   - met: the participant's own local dates as they were stored, so that a date lived twice on a
    ///     journey counts once.
    ///   - skipped: dates that neither add nor break: paused ones, ones that do not exist, ones without
    ///     anything to do.
    package init(met: Set<LocalDate>, skipped: Set<LocalDate>, today: LocalDate) {
        var run = 0
        var best = 0
        var previous: LocalDate?
        for date in met.sorted() where date <= today {
            if let previous, !Self.isWhole(after: previous, before: date, skipped) { run = 0 }
            run += 1
            best = max(best, run)
            previous = date
        }
        let lasts = previous.map { Self.isWhole(after: $0, before: today, skipped) } ?? false
        current = lasts ? run : 0
        self.best = best
    }

    /// How a date stands to the goal that everything planned for it is answered; of its occasions the last in this order decides.
    private enum DateState: Comparable {
        case met, open, missed
    }

    /// The goal of a questionnaire's days: everything that was planned for the date is answered. Dates
    /// without any occasion that counts are skipped, and so are those of which everything missing can still be
    /// answered: an evening whose window closes after midnight is not lost at midnight, but what was missed in
    /// the morning is, although the date has a window of a week beside it.
    /// - Parameters:
    ///   - now: the moment at which windows are open or closed.
    ///   - lost: dates that a journey jumped over; see `datesLost`.
    package init(occasions: [Occasion], at now: Instant, today: LocalDate, lost: Set<LocalDate> = []) {
        // Overviews ask for it with every occasion of years: one pass, and nothing is copied.
        var dates: [LocalDate: DateState] = [:]
        for occasion in occasions where occasion.setAside == nil || occasion.isAnswered {
            let isOpen = now < occasion.window.closeAt
            let state: DateState = occasion.isAnswered ? .met : isOpen ? .open : .missed
            dates[occasion.localDate] = max(dates[occasion.localDate] ?? .met, state)
        }
        var met: Set<LocalDate> = []
        var skipped = lost
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

    /// Local dates that a participant never lived, because a journey jumped over them.
    package static func datesLost(in history: [ZoneChange]) -> Set<LocalDate> {
        let sorted = history.sorted { $0.from < $1.from }
        var lost: Set<LocalDate> = []
        for (old, new) in zip(sorted, sorted.dropFirst()) {
            let last = old.zone.local(of: new.from).date
            let next = new.zone.local(of: new.from).date
            for days in last.days + 1..<max(last.days + 1, next.days) { lost.insert(LocalDate(days: days)) }
        }
        return lost
    }

    /// Whether every date between two is skipped.
    private static func isWhole(after: LocalDate, before: LocalDate, _ skipped: Set<LocalDate>) -> Bool {
        guard after.days + 1 < before.days else { return true }
        return (after.days + 1..<before.days).allSatisfy { skipped.contains(LocalDate(days: $0)) }
    }
}
