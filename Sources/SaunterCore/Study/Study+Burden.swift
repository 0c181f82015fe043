extension Study {
    /// Expected minutes of answering a day, as `Burden` tells them.
    package func burdenMinutesPerDay(arm: String?, walksPerDay: Double = 1) -> Double {
        Burden(of: self, walksPerDay: walksPerDay).minutesPerDay(arm: arm)
    }

    /// The same over the days of one phase alone; nil for a phase that the study does not have.
    package func burdenMinutesPerDay(arm: String?, phase code: String, walksPerDay: Double = 1) -> Double? {
        Burden(of: self, walksPerDay: walksPerDay).minutesPerDay(arm: arm, phase: code)
    }

    /// 2024-01-01: a day 0 for what is said without any date.
    static let monday = LocalDate(days: 19_723)
}

/// Expected minutes of answering a day, as the mean over the study's dates: the day of enrolment, which is day 0, and all up to the last. Questionnaires
/// that may be answered at any time are not in it; what counts from an event is, as if it happened to everybody.
package struct Burden: Sendable {
    private let study: Study
    private let walksPerDay: Double
    private let schedules: [Asked]

    /// What one schedule asks, were 2024-01-01 day 0.
    private struct Asked: Sendable {
        let days: NominalDays
        let windowsPerDay: Int
        let minutes: Double

        var count: Int { days.count * windowsPerDay }
    }

    /// - Parameter walksPerDay: how often a participant is thought to walk, for what follows each walk.
    package init(of study: Study, walksPerDay: Double = 1) {
        self.study = study
        self.walksPerDay = max(walksPerDay, 0)
        schedules = study.schedules.enumerated().map { place, schedule in
            let nominal = NominalSchedule(study, place: place)
            return Asked(
                days: nominal.days(enrolledOn: Study.monday), windowsPerDay: nominal.windowsPerDay,
                minutes: study.questionnaire(schedule.questionnaire)?.minutes ?? 0)
        }
    }

    /// Over the whole study.
    package func minutesPerDay(arm: String?) -> Double {
        minutes(arm: arm, over: Double(dates.count)) { Double(schedules[$0].count) }
    }

    /// Over the days of one phase alone; nil for a phase that the study does not have.
    package func minutesPerDay(arm: String?, phase code: String) -> Double? {
        guard let phase = study.phase(code) else { return nil }
        let span = days(of: phase)
        let share = Double(span.count) / Double(dates.count)
        return minutes(arm: arm, over: Double(span.count)) { place in
            let schedule = study.schedules[place]
            let asked = schedules[place]
            if let bound = schedule.phase, bound != code { return 0 }
            // Of what is bound to the phase every window is in it; of the rest those of its days, and where
            // their days cannot be told, its share of them.
            if study.followsEnrolment(schedule), !phase.followsEvent {
                return Double(asked.days.within(span).count * asked.windowsPerDay)
            }
            return Double(asked.count) * (schedule.phase == code ? 1 : share)
        }
    }

    /// The minutes of the day that asks most, of what counts from enrolment: when the rest falls due nobody knows beforehand.
    package func minutesOfBusiestDay(arm: String?) -> Double {
        var minutes: [Int: Double] = [:]
        for (schedule, asked) in zip(study.schedules, schedules)
        where schedule.applies(to: arm) && study.followsEnrolment(schedule) {
            for number in asked.days.numbers {
                minutes[number + asked.days.origin, default: 0] += Double(asked.windowsPerDay) * asked.minutes
            }
        }
        return minutes.values.max() ?? 0
    }

    /// - Parameter openings: how many of a schedule's windows count, of those of one instance; by its place.
    private func minutes(arm: String?, over length: Double, openings: (Int) -> Double) -> Double {
        let mine = schedules.indices.filter { study.schedules[$0].applies(to: arm) }
        let counts = mine.map(openings)
        var total = 0.0
        var sheets: [String: Double] = [:]
        for (place, count) in zip(mine, counts) where !study.schedules[place].anchor.isRepeated {
            total += count * schedules[place].minutes
            sheets[study.schedules[place].questionnaire, default: 0] += count
        }
        for (place, count) in zip(mine, counts) {
            let schedule = study.schedules[place]
            // The openings of one instance are counted once: they are all within the span or all beyond it.
            let each = count > 0 ? Double(schedules[place].count) : 0
            let duration =
                schedule.phase.flatMap { study.phase($0) }.map { Double(days(of: $0).count) } ?? length
            let most = schedule.maxPerDay.map { Double($0) * duration } ?? .infinity
            switch schedule.anchor {
            case .walk: total += min(walksPerDay * duration, most) * each * schedules[place].minutes
            case .completion(let questionnaire):
                total += min(sheets[questionnaire] ?? 0, most) * each * schedules[place].minutes
            default: continue
            }
        }
        return total / length
    }

    /// Of the study, the day of enrolment included.
    private var dates: ClosedRange<Int> { 0...min(max(study.days, 1), StudyCheck.maximumDays) }

    /// The days of a phase, as far as they can be told beforehand: one that an event begins is thought to begin
    /// at once, one that an event ends to last as long as the study.
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
