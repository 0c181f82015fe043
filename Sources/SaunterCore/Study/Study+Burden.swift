extension Study {
    /// Expected minutes of answering a day, as the mean over the study's days. Questionnaires that may be
    /// answered at any time are not in it.
    /// - Parameter walksPerDay: how often a participant is thought to walk, for what follows each walk.
    package func burdenMinutesPerDay(arm: String?, walksPerDay: Double = 1) -> Double {
        let mine = schedules.filter { $0.applies(to: arm) }
        var sheets: [String: Double] = [:]
        for schedule in mine where !schedule.anchor.isEvent {
            sheets[schedule.questionnaire, default: 0] += openings(of: schedule)
        }
        var minutes = sheets.reduce(0) { $0 + $1.value * self.minutes($1.key) }
        for schedule in mine {
            let instances: Double
            switch schedule.anchor {
            case .enrolment, .studyDate: continue
            case .walk: instances = walksPerDay * Double(max(days, 0))
            case .completion(let questionnaire): instances = sheets[questionnaire] ?? 0
            }
            minutes += instances * openings(of: schedule) * self.minutes(schedule.questionnaire)
        }
        return minutes / Double(max(days, 1))
    }

    private func openings(of schedule: Schedule) -> Double {
        let date: LocalDate
        if case .studyDate(let fixed) = schedule.anchor { date = fixed } else { date = Self.monday }
        let last = min(max(days, 0), StudyCheck.maximumDays)
        return schedule.nominalWindows(at: 0, anchorDate: date, through: last).reduce(0) {
            $0 + Double($1.count)
        }
    }

    private func minutes(_ code: String) -> Double {
        questionnaire(code)?.minutes ?? 0
    }

    /// 2024-01-01: a day 0 for what is said without any date.
    static let monday = LocalDate(days: 19_723)
}
