extension Study {
    /// Monday, 2024-01-01: day 0 for computations that do not depend on the date.
    static let monday = LocalDate(days: 19_723)
}

/// Expected minutes of answering per day: the mean over all dates of the study, from the day of enrolment (day 0) to
/// the last day. Questionnaires that can be answered at any time are left out. Schedules that count from an event are
/// included, as if it happened to every participant.
package struct Burden: Sendable {
    private let study: Study
    private let walksPerDay: Double
    private let schedules: [ScheduleBurden]

    /// The days and minutes of one schedule if day 0 is 2024-01-01.
    private struct ScheduleBurden: Sendable {
        let days: NominalDays
        let windowsPerDay: Int
        let minutes: Double

        var count: Int { days.count * windowsPerDay }
    }

    /// - Parameter walksPerDay: assumed number of walks per day, for schedules that follow walks.
    package init(of study: Study, walksPerDay: Double = 1) {
        self.study = study
        self.walksPerDay = max(walksPerDay, 0)
        schedules = study.schedules.enumerated().map { position, schedule in
            let nominal = NominalSchedule(study, position: position)
            return ScheduleBurden(
                days: nominal.days(enrolledOn: Study.monday), windowsPerDay: nominal.windowsPerDay,
                minutes: study.questionnaire(schedule.questionnaire)?.minutes ?? 0)
        }
    }

    /// Minutes per day over the complete study.
    package func minutesPerDay(arm: String?) -> Double {
        minutes(arm: arm, over: Double(dates.count)) { Double(schedules[$0].count) }
    }

    /// Minutes per day over the days of one phase. Nil if the study does not have the phase.
    package func minutesPerDay(arm: String?, phase code: String) -> Double? {
        guard let phase = study.phase(code) else { return nil }
        let span = days(of: phase)
        let share = Double(span.count) / Double(dates.count)
        return minutes(arm: arm, over: Double(span.count)) { position in
            let schedule = study.schedules[position]
            let burden = schedules[position]
            if let bound = schedule.phase, bound != code { return 0 }
            // A schedule that is bound to the phase counts completely. Other schedules count with the days in the
            // phase. If their days are unknown, they count with the phase's share of the study.
            if study.followsEnrolment(schedule), !phase.followsEvent {
                return Double(burden.days.within(span).count * burden.windowsPerDay)
            }
            return Double(burden.count) * (schedule.phase == code ? 1 : share)
        }
    }

    /// Minutes on the busiest day. Only schedules that count from the enrolment are included, because the days of the
    /// others are unknown.
    package func minutesOfBusiestDay(arm: String?) -> Double {
        var minutes: [Int: Double] = [:]
        for (schedule, burden) in zip(study.schedules, schedules)
        where schedule.applies(to: arm) && study.followsEnrolment(schedule) {
            for number in burden.days.numbers {
                minutes[number + burden.days.origin, default: 0] +=
                    Double(burden.windowsPerDay) * burden.minutes
            }
        }
        return minutes.values.max() ?? 0
    }

    /// - Parameter openings: number of counted windows of one instance of the schedule at this position.
    private func minutes(arm: String?, over length: Double, openings: (Int) -> Double) -> Double {
        let applicable = schedules.indices.filter { study.schedules[$0].applies(to: arm) }
        let counts = applicable.map(openings)
        var total = 0.0
        var sheets: [String: Double] = [:]
        for (position, count) in zip(applicable, counts) where !study.schedules[position].anchor.isRepeated {
            total += count * schedules[position].minutes
            sheets[study.schedules[position].questionnaire, default: 0] += count
        }
        for (position, count) in zip(applicable, counts) {
            let schedule = study.schedules[position]
            // Each walk or sheet starts one instance of the schedule. Its windows count completely or not at all.
            let each = count > 0 ? Double(schedules[position].count) : 0
            let duration =
                schedule.phase.flatMap { study.phase($0) }.map { Double(days(of: $0).count) } ?? length
            let limit = schedule.maxPerDay.map { Double($0) * duration } ?? .infinity
            switch schedule.anchor {
            case .walk: total += min(walksPerDay * duration, limit) * each * schedules[position].minutes
            case .completion, .completionOfAny, .completionOfPractice:
                let followed = study.questionnaires(followedBy: schedule.anchor).reduce(0) {
                    $0 + (sheets[$1] ?? 0)
                }
                total += min(followed, limit) * each * schedules[position].minutes
            default: continue
            }
        }
        return total / length
    }

    /// Day numbers of the study, including the day of enrolment.
    private var dates: ClosedRange<Int> { 0...min(max(study.days, 1), StudyCheck.maximumDays) }

    /// Estimated days of a phase. A phase that starts with an event is assumed to start on day 0. A phase that ends
    /// with an event is assumed to last until the end of the study.
    private func days(of phase: Phase) -> ClosedRange<Int> {
        let end = dates.upperBound
        var first = 0
        if case .day(let day) = phase.start { first = min(max(day, 0), end) }
        let last =
            switch phase.end {
            case .studyEnd, .event: end
            case .day(let day): phase.followsEvent ? end : day
            case .length(let length): first + min(max(length, 1), end + 1) - 1
            }
        return first...max(first, min(last, end))
    }
}
