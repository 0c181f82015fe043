/// The dates and instants of a phase for one participant.
struct PhaseSpan: Sendable, Hashable {
    let firstDate: LocalDate
    /// Nil if the phase starts on a day.
    let startAt: Instant?
    /// Nil if no day ends the phase.
    let lastDate: LocalDate?
    /// Nil if no event ends the phase, or if the event has not happened yet.
    let endAt: Instant?

    /// Whether an occasion with this date and opening belongs to the phase.
    func contains(_ date: LocalDate, openAt: Instant) -> Bool {
        guard date >= firstDate, lastDate.map({ date <= $0 }) ?? true else { return false }
        return (startAt.map { openAt >= $0 } ?? true) && (endAt.map { openAt < $0 } ?? true)
    }
}

extension Planner {
    /// The instant of an anchor that happens at most once. Nil if it has not happened.
    func moment(of anchor: Anchor) -> Instant? {
        switch anchor {
        case .event: input.anchors.last { $0.anchor == anchor }?.at
        case .firstCompletion(let questionnaire):
            occurrences(of: .completion(questionnaire: questionnaire)).first?.at
        default: nil
        }
    }

    /// All occurrences of a repeated anchor, in chronological order.
    func occurrences(of anchor: Anchor) -> [AnchorEvent] {
        let followed = input.study.questionnaires(followedBy: anchor)
        let anchors = followed.isEmpty ? [anchor] : Set(followed.map { .completion(questionnaire: $0) })
        return input.anchors.filter { anchors.contains($0.anchor) }.sorted {
            ($0.at, $0.instance) < ($1.at, $1.instance)
        }
    }

    /// The occurrences that start an instance of this schedule: all, or the first `maxPerDay` of each local date.
    func countedOccurrences(for schedule: Schedule) -> [AnchorEvent] {
        let all = occurrences(of: schedule.anchor)
        guard let maximum = schedule.maxPerDay else { return all }
        var counts: [LocalDate: Int] = [:]
        return all.filter { event in
            let count = counts[localDate(of: event.at), default: 0]
            counts[localDate(of: event.at)] = count + 1
            return count < maximum
        }
    }

    /// The span of a phase. Nil if the phase has not started or does not exist.
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
        case .length(let days): last = first.adding(days: max(days, 0) - 1)
        case .event(let event): endAt = moment(of: .event(event))
        }
        return PhaseSpan(firstDate: first, startAt: startAt, lastDate: last, endAt: endAt)
    }

    /// The local date of this instant, in the zone that the participant has at this instant.
    func localDate(of instant: Instant) -> LocalDate {
        history.zone(at: instant).local(of: instant).date
    }
}
