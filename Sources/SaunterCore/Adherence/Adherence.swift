/// How many of the planned measurements were made. Numerators and denominators stand beside every percentage.
package struct Adherence: Sendable, Hashable {
    /// Occasions that are decided: answered, or closed by this moment. What is set aside (paused, cancelled,
    /// not applicable, on a day that does not exist, after withdrawal) counts nowhere, unless it was
    /// answered.
    package var settled = 0
    /// Those that were answered, on time or late.
    package var completed = 0
    /// Those that were answered by their due.
    package var onTime = 0
    /// Occasions that have opened by this moment, answered ones included: the denominator of `live`.
    package var offered = 0

    /// - Parameter now: the moment at which windows are open or closed.
    package init(occasions: [Occasion], at now: Instant) {
        for occasion in occasions { count(occasion.state(at: now)) }
    }

    private init() {}

    private mutating func count(_ state: OccasionState) {
        switch state {
        case .completedOnTime:
            completed += 1
            onTime += 1
            settled += 1
            offered += 1
        case .completedLate:
            completed += 1
            settled += 1
            offered += 1
        case .missed, .declined:
            settled += 1
            offered += 1
        case .open, .overdue: offered += 1
        case .upcoming, .paused, .cancelled, .notApplicable, .nonexistent, .withdrawn: break
        }
    }

    /// 100 × completed / settled, to one decimal, ties to even. Nil, not 100, when nothing is settled.
    package var adherence: Double? { Self.percent(completed, of: settled) }

    /// 100 × on time / settled, likewise.
    package var onTimePercent: Double? { Self.percent(onTime, of: settled) }

    /// For views of a study in progress, by Bridge's formula: floor(100 × completed / offered), windows still
    /// open included; 100 when nothing was offered.
    package var live: Int { offered == 0 ? 100 : completed * 100 / offered }

    /// By whole numbers, so that a tie is a tie: 1/16 is 6.25 %, which is 6.2.
    private static func percent(_ part: Int, of whole: Int) -> Double? {
        guard whole > 0 else { return nil }
        let (tenths, rest) = (part * 1000).quotientAndRemainder(dividingBy: whole)
        let isUp = rest * 2 > whole || (rest * 2 == whole && tenths % 2 == 1)
        return Double(isUp ? tenths + 1 : tenths) / 10
    }

    /// Week by week of somebody's time in the study (see `week`), in order: the weeks in which an occasion has opened or was answered by this moment,
    /// no others.
    package static func weeks(
        of occasions: [Occasion], enrolledOn start: LocalDate, at now: Instant
    ) -> [(week: Int, adherence: Adherence)] {
        var weeks: [Int: Adherence] = [:]
        for occasion in occasions {
            let number = week(of: occasion.localDate, enrolledOn: start)
            weeks[number, default: Adherence()].count(occasion.state(at: now))
        }
        return weeks.map { (week: $0.key, adherence: $0.value) }
            .filter { $0.adherence.offered > 0 }
            .sorted { $0.week < $1.week }
    }

    /// The week of a local date, from 1: floor((date − local date of enrolment) / 7) + 1. Days before
    /// enrolment give 0 and less.
    package static func week(of date: LocalDate, enrolledOn start: LocalDate) -> Int {
        let days = date.days - start.days
        return (days >= 0 ? days / 7 : (days - 6) / 7) + 1
    }
}
