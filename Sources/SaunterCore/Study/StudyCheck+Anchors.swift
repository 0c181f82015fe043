/// What schedules and phases count from: that it exists, and that it can happen.
extension StudyCheck {
    mutating func checkAnchor(of schedule: Schedule, _ pointer: String) {
        switch schedule.anchor {
        case .enrolment, .studyDate: break
        case .walk:
            if study.walking == nil { faults.add("\(pointer)/anchor", "no_walks", "The study has no walks.") }
        case .completion(let code):
            checkAnswered(code, by: schedule.arms, "\(pointer)/anchor")
            if code == schedule.questionnaire, schedule.offsetDays < 1 {
                faults.add(
                    "\(pointer)/anchor", "endless",
                    "It would ask itself again at once, for ever; an offset of a day or more is needed.")
            }
        case .firstCompletion(let code): checkAnswered(code, by: schedule.arms, "\(pointer)/anchor")
        case .event(let code): checkEvent(code, "\(pointer)/anchor")
        case .phase(let code):
            if study.phase(code) == nil {
                faults.add("\(pointer)/anchor", "unknown_phase", "The study has no phase \(code).")
            }
        }
        guard let most = schedule.maxPerDay else { return }
        checkPositive(most, "\(pointer)/max_per_day")
        if !schedule.anchor.isRepeated {
            faults.add(
                "\(pointer)/max_per_day", "not_repeated",
                "Only what follows walks or sheets can be limited to some a day.")
        }
    }

    /// A schedule has a day at least, and as many as its count says, wherever it begins.
    mutating func checkFalls(of place: Int, _ pointer: String) {
        guard (1...Self.maximumDays).contains(study.days) else { return }
        let schedule = study.schedules[place]
        let nominal = NominalSchedule(study, place: place)
        laid[place] = nominal
        var most = 0
        for start in starts(of: [place]) {
            most = max(most, nominal.days(enrolledOn: start).count)
            if most >= schedule.count ?? 1 { return }
        }
        let whole = schedule.phase.map { "in phase \($0)" } ?? "in the study"
        if most == 0 {
            faults.add("\(pointer)/recurrence", "never_falls", "No day of it lies \(whole).")
        } else {
            faults.add(
                "\(pointer)/recurrence/count", "does_not_fit",
                "It never comes to so many: at most \(most) of its days lie \(whole).")
        }
    }

    mutating func checkEventsAndPhases() {
        var seen: Set<String> = []
        let used = usedEvents
        for (index, event) in study.events.enumerated() {
            checkCode(event.code, "/events/\(index)/code", &seen, isValid: Self.isCode)
            if !used.contains(event.code) {
                faults.add(
                    "/events/\(index)", "never_used", "No schedule, phase or notice counts from this event.")
            }
        }
        seen = []
        for (index, phase) in study.phases.enumerated() {
            checkCode(phase.code, "/phases/\(index)/code", &seen, isValid: Self.isIdentifier)
            check(phase, "/phases/\(index)")
        }
    }

    /// An event's code stands in addresses, so it has no underscore.
    private mutating func checkCode(
        _ code: String, _ pointer: String, _ seen: inout Set<String>, isValid: (String) -> Bool
    ) {
        if !isValid(code) {
            faults.add(
                pointer, "invalid_name",
                Self.isIdentifier(code) ? "An event's code has no underscore." : Self.identifierRule)
        }
        if !seen.insert(code).inserted { faults.add(pointer, "duplicate", "Another one has this code.") }
    }

    private var usedEvents: Set<String> {
        var used: Set<String> = []
        for schedule in study.schedules { if case .event(let code) = schedule.anchor { used.insert(code) } }
        for notice in study.notices { if case .event(let code) = notice.trigger { used.insert(code) } }
        for phase in study.phases {
            if case .event(let code) = phase.start { used.insert(code) }
            if case .event(let code) = phase.end { used.insert(code) }
        }
        return used
    }

    private mutating func check(_ phase: Phase, _ pointer: String) {
        var first: Int?
        switch phase.start {
        case .day(let day):
            first = day
            if !(0...Self.maximumDays).contains(day) || day > study.days {
                faults.add("\(pointer)/start", "out_of_range", "A phase begins on day 0 to \(study.days).")
            }
        case .event(let code): checkEvent(code, "\(pointer)/start")
        case .firstCompletion(let code): checkAnswered(code, by: [], "\(pointer)/start")
        }
        switch phase.end {
        case .studyEnd: break
        case .day(let day):
            if day < first ?? 0 || day > study.days {
                faults.add(
                    "\(pointer)/end", "out_of_range",
                    "A phase ends on its first day or later, and by day \(study.days).")
            }
        case .length(let length):
            checkPositive(length, "\(pointer)/end")
            let begin = first ?? 0
            if (1...Self.maximumDays).contains(length), (0...Self.maximumDays).contains(begin),
                begin <= study.days, begin + length - 1 > study.days
            {
                faults.add(
                    "\(pointer)/end", "after_study_end",
                    "It would last longer than the study, which ends on day \(study.days).")
            }
        case .event(let code):
            checkEvent(code, "\(pointer)/end")
            if phase.start == .event(code) {
                faults.add("\(pointer)/end", "empty", "It would end as it begins.")
            }
        }
    }

    mutating func checkEvent(_ code: String, _ pointer: String) {
        if study.events.contains(where: { $0.code == code }) { return }
        faults.add(pointer, "unknown_event", "The study has no event \(code).")
    }

    /// The questionnaire is the study's, and everybody who shall be asked because of it is asked it.
    private mutating func checkAnswered(_ code: String, by arms: [String], _ pointer: String) {
        guard study.questionnaire(code) != nil else {
            faults.add(pointer, "unknown_questionnaire", "The study has no questionnaire \(code).")
            return
        }
        if study.anyTime.contains(code) { return }
        let concerned = arms.isEmpty ? study.arms.map(\.code) : arms
        for arm in concerned
        where !study.schedules.contains(where: { $0.questionnaire == code && $0.applies(to: arm) }) {
            faults.add(pointer, "never_asked", "Arm \(arm) is never asked \(code).")
        }
    }
}
