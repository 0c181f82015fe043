/// A phase as one participant has it.
struct PhaseSpan: Sendable, Hashable {
    let firstDate: LocalDate
    /// Nil where the phase begins with a day.
    let startAt: Instant?
    /// Nil where no day ends it.
    let lastDate: LocalDate?
    /// Nil where no event ends it, or where it has not happened yet.
    let endAt: Instant?

    /// Whether an occasion of this date whose window opens at this moment belongs to the phase.
    func holds(_ date: LocalDate, openAt: Instant) -> Bool {
        guard date >= firstDate, lastDate.map({ date <= $0 }) ?? true else { return false }
        return (startAt.map { openAt >= $0 } ?? true) && (endAt.map { openAt < $0 } ?? true)
    }
}

extension Planner {
    /// When a thing happened that happens at most once; nil while it has not.
    func moment(of anchor: Anchor) -> Instant? {
        switch anchor {
        case .event: input.anchors.last { $0.anchor == anchor }?.at
        case .firstCompletion(let questionnaire):
            occurrences(of: .completion(questionnaire: questionnaire)).first?.at
        default: nil
        }
    }

    /// What happened of a thing that happens often, in its order.
    func occurrences(of anchor: Anchor) -> [AnchorEvent] {
        input.anchors.filter { $0.anchor == anchor }.sorted { ($0.at, $0.instance) < ($1.at, $1.instance) }
    }

    /// Those that count for this schedule: the first few of each of the participant's own days, where it says
    /// so.
    func counting(for schedule: Schedule) -> [AnchorEvent] {
        let all = occurrences(of: schedule.anchor)
        guard let most = schedule.maxPerDay else { return all }
        var counts: [LocalDate: Int] = [:]
        return all.filter { event in
            let count = counts[localDate(of: event.at), default: 0]
            counts[localDate(of: event.at)] = count + 1
            return count < most
        }
    }

    /// Nil while the phase has not begun, and for one that the study does not have.
    func span(of code: String) -> PhaseSpan? {
        guard let phase = input.study.phases.first(where: { $0.code == code }) else { return nil }
        let startAt: Instant?
        switch phase.start {
        case .day: startAt = nil
        case .event(let event): startAt = moment(of: .event(event))
        case .firstCompletion(let code): startAt = moment(of: .firstCompletion(questionnaire: code))
        }
        let first: LocalDate
        if case .day(let day) = phase.start {
            first = enrolmentDate.adding(days: day)
        } else {
            guard let startAt else { return nil }
            first = localDate(of: startAt)
        }
        var last: LocalDate?
        var endAt: Instant?
        switch phase.end {
        case .studyEnd: break
        case .day(let day): last = enrolmentDate.adding(days: day)
        case .length(let days): last = first.adding(days: min(max(days, 0), Slot.maximumLength) - 1)
        case .event(let event): endAt = moment(of: .event(event))
        }
        return PhaseSpan(firstDate: first, startAt: startAt, lastDate: last, endAt: endAt)
    }

    /// By the clock that the participant lived by then.
    func localDate(of instant: Instant) -> LocalDate {
        history.zone(at: instant).local(of: instant).date
    }
}
