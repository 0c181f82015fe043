extension Study {
    /// Expected minutes of answering a day, as the mean over the study's days. Questionnaires that may be
    /// answered at any time are not in it; what counts from an event is, as if it happened to everybody.
    /// - Parameter walksPerDay: how often a participant is thought to walk, for what follows each walk.
    package func burdenMinutesPerDay(arm: String?, walksPerDay: Double = 1) -> Double {
        minutes(arm: arm, walksPerDay: walksPerDay, over: Double(max(days, 1))) { _, windows in
            windows.reduce(0) { $0 + Double($1.count) }
        }
    }

    /// The same over the days of one phase alone; nil for a phase that the study does not have.
    package func burdenMinutesPerDay(arm: String?, phase code: String, walksPerDay: Double = 1) -> Double? {
        guard let phase = phase(code) else { return nil }
        let span = nominalDays(of: phase)
        let share = Double(span.count) / Double(max(days, 1))
        return minutes(arm: arm, walksPerDay: walksPerDay, over: Double(span.count)) { schedule, windows in
            if let bound = schedule.phase, bound != code { return 0 }
            // Of what is bound to the phase every window is in it; of the rest those of its days, and where
            // their days cannot be told, its share of them.
            let isPlaced = followsEnrolment(schedule) && !phase.followsEvent
            return windows.reduce(0) { sum, window in
                if isPlaced { return sum + (span.contains(window.day) ? Double(window.count) : 0) }
                return sum + Double(window.count) * (schedule.phase == code ? 1 : share)
            }
        }
    }

    /// - Parameter openings: how many of a schedule's windows count, of those of one instance.
    private func minutes(
        arm: String?, walksPerDay: Double, over length: Double,
        openings: (Schedule, [NominalWindow]) -> Double
    ) -> Double {
        let mine = schedules.indices.filter { schedules[$0].applies(to: arm) }
        let counts = mine.map { openings(schedules[$0], nominalWindows(of: $0, enrolledOn: Self.monday)) }
        var sheets: [String: Double] = [:]
        for (place, count) in zip(mine, counts) where !schedules[place].anchor.isRepeated {
            sheets[schedules[place].questionnaire, default: 0] += count
        }
        var total = sheets.reduce(0) { $0 + $1.value * minutes(of: $1.key) }
        for (place, count) in zip(mine, counts) {
            let schedule = schedules[place]
            // The openings of one instance are counted once: they are all within the span or all beyond it.
            let each = count > 0 ? Double(schedule.windowsPerInstance(at: place, in: self)) : 0
            let duration =
                schedule.phase.flatMap { phase($0) }.map { Double(nominalDays(of: $0).count) } ?? length
            let most = schedule.maxPerDay.map { Double($0) * duration } ?? .infinity
            switch schedule.anchor {
            case .walk:
                total +=
                    min(max(walksPerDay, 0) * duration, most) * each * minutes(of: schedule.questionnaire)
            case .completion(let questionnaire):
                total += min(sheets[questionnaire] ?? 0, most) * each * minutes(of: schedule.questionnaire)
            default: continue
            }
        }
        return total / length
    }

    /// The days of a phase, as far as they can be told beforehand: one that an event begins is thought to begin
    /// at once, one that an event ends to last as long as the study.
    private func nominalDays(of phase: Phase) -> ClosedRange<Int> {
        let longest = min(max(days, 1), StudyCheck.maximumDays)
        var first = 0
        if case .day(let day) = phase.start { first = min(max(day, 0), longest) }
        let last =
            switch phase.end {
            case .studyEnd, .event: longest - 1
            case .day(let day): phase.followsEvent ? longest - 1 : day
            case .length(let length): first + min(max(length, 1), longest) - 1
            }
        return first...max(first, min(last, longest))
    }

    private func minutes(of code: String) -> Double {
        questionnaire(code)?.minutes ?? 0
    }

    /// 2024-01-01: a day 0 for what is said without any date.
    static let monday = LocalDate(days: 19_723)
}

extension Schedule {
    fileprivate func windowsPerInstance(at place: Int, in study: Study) -> Int {
        study.nominalWindows(of: place, enrolledOn: Study.monday).reduce(0) { $0 + $1.count }
    }
}
