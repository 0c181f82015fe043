import Foundation
import SaunterCore

/// A participant of a small study, all of it made up from a seed: mostly near a change of the clock, in any
/// zone, with journeys, breaks, walks, sheets and events.
package struct PlanCase: Sendable {
    package let seed: UInt64
    package let input: PlanInput
    /// The zone at enrolment.
    package let zone: Zone
    var source: CaseSource

    package init(seed: UInt64) {
        var source = CaseSource(seed)
        let zone = source.zone()
        let change = source.moment(near: zone)
        let enrolledAt = change.adding(seconds: -source.number(-86_400...5 * 86_400))
        let date = zone.local(of: change).date
        let schedules = (0..<source.number(1...2)).map { Self.schedule($0, around: date, &source) }
        let home = enrolledAt.adding(seconds: source.number(0...6 * 86_400))
        self.seed = seed
        self.zone = zone
        input = PlanInput(
            study: Self.study(schedules, days: source.number(8...14)),
            enrolmentID: EnrolmentID(UUID(uuid: Self.bytes(&source))), arm: "all", enrolledAt: enrolledAt,
            zones: [ZoneChange(from: enrolledAt, zone: zone)] + Self.journeys(after: enrolledAt, &source),
            anchors: Self.anchors(after: enrolledAt, home: home, &source), seed: Array("secret \(seed)".utf8),
            status: Self.status(after: enrolledAt, &source))
        self.source = source
    }

    static func study(_ schedules: [Schedule], days: Int) -> Study {
        Study(
            code: "case", version: "1.0.0", consentVersion: "1.0.0", openEnrolment: true, languages: [],
            text: [:], zone: .utc, days: days, arms: [Arm(code: "all", ratio: 1)],
            allocation: Allocation(blockSizes: [1], concealed: false),
            phases: [
                Phase(code: "days", start: .day(2), end: .day(6)),
                Phase(code: "before", start: .day(0), end: .event("home")),
                Phase(code: "home", start: .event("home"), end: .length(days: 4)),
            ],
            events: [StudyEvent(code: "home", update: .mutable)], schedules: schedules, questionnaires: [])
    }

    private static func bytes(_ source: inout CaseSource) -> uuid_t {
        let (high, low) = (source.next(), source.next())
        return withUnsafeBytes(of: (high, low)) { $0.loadUnaligned(as: uuid_t.self) }
    }

    private static func journeys(after start: Instant, _ source: inout CaseSource) -> [ZoneChange] {
        guard source.once(in: 3) else { return [] }
        return (0..<source.number(1...2)).map { _ in
            ZoneChange(from: start.adding(seconds: source.number(1...10 * 86_400)), zone: source.zone())
        }
    }

    private static func anchors(
        after start: Instant, home: Instant, _ source: inout CaseSource
    ) -> [AnchorEvent] {
        func moment() -> Instant { start.adding(seconds: source.number(0...8 * 86_400)) }
        let walks = (0..<source.number(0...3)).map { _ in
            AnchorEvent.walk(WalkID(UUID(uuid: bytes(&source))), endedAt: moment())
        }
        let sheets = (0..<source.number(0...3)).map { _ in
            AnchorEvent.completion(of: "q0", sheet: SheetID(UUID(uuid: bytes(&source))), at: moment())
        }
        return walks + sheets + (source.once(in: 4) ? [] : [.event("home", at: home)])
    }

    private static func status(after start: Instant, _ source: inout CaseSource) -> EnrolmentStatus {
        var status = EnrolmentStatus.active
        if source.once(in: 4) {
            let from = start.adding(seconds: source.number(0...8 * 86_400))
            status.pauses = [
                Pause(
                    from: from,
                    to: source.once(in: 3) ? nil : from.adding(seconds: source.number(1...4) * 43_200))
            ]
        }
        if source.once(in: 8) { status.endedAt = start.adding(seconds: source.number(1...9 * 86_400)) }
        return status
    }
}

extension PlanCase {
    private static func schedule(_ number: Int, around date: LocalDate, _ source: inout CaseSource)
        -> Schedule
    {
        let anchor: Anchor =
            switch source.number(0...11) {
            case 0: .studyDate(date.adding(days: -source.number(0...3)))
            case 1: .phase("days")
            case 2: .phase("home")
            case 3: .event("home")
            case 4: .firstCompletion(questionnaire: "q0")
            case 5: .completion(questionnaire: "q0")
            case 6: .walk
            default: .enrolment
            }
        let offset = source.once(in: 3) ? source.number(0...3) : 0
        var schedule = Schedule(
            id: "s\(number)", questionnaire: "q\(number)", anchor: anchor, offsetDays: offset,
            recurrence: recurrence(from: offset, around: date, &source), slots: slots(anchor, &source))
        if source.once(in: 5) { schedule.phase = source.pick(["days", "before", "home"], or: "days") }
        if source.once(in: 4), schedule.recurrence != .once { schedule.count = source.number(1...4) }
        if source.once(in: 4) { schedule.maxPerDay = source.number(1...2) }
        if source.once(in: 6) {
            schedule.zonePolicy = source.once(in: 2) ? .enrolment : .study(source.zone())
        }
        if source.once(in: 4) { schedule.latePolicy = .complete }
        return schedule
    }

    private static func recurrence(
        from offset: Int, around date: LocalDate, _ source: inout CaseSource
    ) -> Recurrence {
        let until = offset + source.number(0...9)
        switch source.number(0...6) {
        case 0: return .once
        case 1:
            let weekdays = (1...7).filter { _ in source.once(in: 2) }
            return .weekly(
                weekdays: weekdays.isEmpty ? [date.weekday] : weekdays, weeks: source.number(1...2),
                untilDay: until)
        case 2:
            return .monthly(days: [date.components.day, source.number(1...31), 31], untilDay: until)
        case 3:
            let length = source.number(2...5)
            return .cycle(length: length, dayOffsets: [0, source.number(1...length) - 1], untilDay: until)
        default: return .every(days: source.once(in: 3) ? source.number(2...3) : 1, untilDay: until)
        }
    }

    /// One to three windows a day that do not overlap on the wall, often touching, on quarters of an hour.
    private static func slots(_ anchor: Anchor, _ source: inout CaseSource) -> [Slot] {
        let quarter = 900
        if source.once(in: 6), !anchor.isRepeated,
            let from = LocalTime(seconds: source.number(0...95) * quarter)
        {
            let gap = source.number(1...6) * quarter
            let count = source.number(1...3)
            let span = min((count - 1) * gap + source.number(1...16) * quarter, 86_400 - gap)
            let to = LocalTime(seconds: (from.seconds + span) % 86_400) ?? from
            let close = source.number(1...gap / quarter) * quarter
            return [
                slot(
                    .random(from: from, to: to, count: min(count, span / gap + 1), minimumGap: gap), close,
                    &source)
            ]
        }
        if anchor.isRepeated || anchor == .event("home"), source.once(in: 2) {
            let delay = source.once(in: 2) ? 0 : source.number(1...3000) * 60
            return [slot(.afterAnchor(seconds: delay), source.number(1...48) * quarter, &source)]
        }
        let first = source.number(0...95)
        var slots: [Slot] = []
        var open = first
        // Up to the same quarter of the next day, where the first one opens again.
        for _ in 0..<source.number(1...3) where open < 96 {
            let length = source.number(1...min(first + 96 - open, source.once(in: 3) ? 96 : 12))
            if let time = LocalTime(seconds: open * quarter) {
                slots.append(slot(.fixed(time), length * quarter, &source))
            }
            open += length + (source.once(in: 2) ? 0 : source.number(0...8))
        }
        return slots
    }

    private static func slot(_ opening: Opening, _ close: Int, _ source: inout CaseSource) -> Slot {
        Slot(
            opening: opening, dueAfter: source.once(in: 4) ? close : source.number(0...close / 60) * 60,
            closeAfter: close, visibleBefore: source.once(in: 2) ? 0 : source.number(1...8) * 900)
    }
}
