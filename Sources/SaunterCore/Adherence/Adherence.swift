/// How many planned occasions were answered, with the numerators and denominators of all percentages.
package struct Adherence: Sendable, Hashable {
    /// Number of occasions whose result is final: answered, or closed by this instant. Excluded occasions do not count,
    /// unless they were answered.
    package var settled = 0
    /// Number of answered occasions, on time or late.
    package var completed = 0
    /// Number of occasions that were answered by their due time.
    package var onTime = 0
    /// Number of occasions that have opened by this instant, including answered ones. This is the denominator of
    /// `live`.
    package var offered = 0

    /// - Parameter now: the instant for which the states are computed.
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
        case .missed:
            settled += 1
            offered += 1
        case .open, .overdue: offered += 1
        case .upcoming, .paused, .cancelled, .notApplicable, .nonexistent, .withdrawn: break
        }
    }

    /// 100 × completed / settled, rounded to one decimal, ties to even. Nil, not 100, if nothing is settled.
    package var adherence: Double? { Self.percent(completed, of: settled) }

    /// 100 × on time / settled, rounded in the same way.
    package var onTimePercent: Double? { Self.percent(onTime, of: settled) }

    /// For views of a running study: floor(100 × completed / offered), the formula of Sage Bionetworks' Bridge server.
    /// Open windows count. 100 if nothing was offered.
    package var live: Int { offered == 0 ? 100 : completed * 100 / offered }

    /// Integer arithmetic, so that ties are exact: 1/16 is 6.25 %, which becomes 6.2.
    private static func percent(_ part: Int, of whole: Int) -> Double? {
        guard whole > 0 else { return nil }
        let (tenths, rest) = (part * 1000).quotientAndRemainder(dividingBy: whole)
        let roundsUp = rest * 2 > whole || (rest * 2 == whole && tenths % 2 == 1)
        return Double(roundsUp ? tenths + 1 : tenths) / 10
    }

    /// Adherence per week of the participant's time in the study (see `week`), in order. Only weeks with an occasion
    /// that has opened or was answered by this instant.
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

    /// The week of a local date, from 1: floor((date − local date of enrolment) / 7) + 1. Days before the enrolment
    /// return 0 or less.
    package static func week(of date: LocalDate, enrolledOn start: LocalDate) -> Int {
        let days = date.days - start.days
        return (days >= 0 ? days / 7 : (days - 6) / 7) + 1
    }
}
