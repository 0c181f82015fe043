import Foundation
import SaunterCore

/// A random participant of a small random study, made from a seed. Most cases are near a zone transition. They have
/// zone changes, pauses, walks, sheets and events.
package struct PlanCase: Sendable {
    package let seed: UInt64
    package let input: PlanInput
    /// The zone at enrolment.
    package let zone: Zone
    var generator: SeededGenerator

    package init(seed: UInt64) {
        var generator = SeededGenerator(seed)
        let zone = generator.zone()
        let change = generator.moment(near: zone)
        let enrolledAt = change.adding(seconds: -generator.number(-86_400...5 * 86_400))
        let date = zone.local(of: change).date
        let schedules = (0..<generator.number(1...2)).map { Self.schedule($0, around: date, &generator) }
        let home = enrolledAt.adding(seconds: generator.number(0...6 * 86_400))
        self.seed = seed
        self.zone = zone
        input = PlanInput(
            study: Self.study(schedules, days: generator.number(8...14)),
            enrolmentID: EnrolmentID(UUID(uuid: Self.bytes(&generator))), arm: "all", enrolledAt: enrolledAt,
            zones: [ZoneChange(from: enrolledAt, zone: zone)]
                + Self.zoneChanges(after: enrolledAt, &generator),
            anchors: Self.anchors(after: enrolledAt, home: home, &generator),
            seed: Array("secret \(seed)".utf8),
            status: Self.status(after: enrolledAt, &generator))
        self.generator = generator
    }

    static func study(_ schedules: [Schedule], days: Int) -> Study {
        Study(
            code: "case", version: "1.0.0", consentVersion: "1.0.0", openEnrolment: true, languages: [],
            text: [:], zone: .utc, days: days, arms: [Arm(code: "all", ratio: 1)],
            allocation: Allocation(blockSizes: [1], isConcealed: false),
            phases: [
                Phase(code: "days", start: .day(2), end: .day(6)),
                Phase(code: "before", start: .day(0), end: .event("home")),
                Phase(code: "home", start: .event("home"), end: .length(days: 4)),
            ],
            events: [StudyEvent(code: "home", update: .mutable)], schedules: schedules, questionnaires: [],
            anyTime: [
                AnyTimeRule(questionnaire: "p0", isPractice: true), "x",
                AnyTimeRule(questionnaire: "p1", isPractice: true),
            ])
    }

    private static func bytes(_ generator: inout SeededGenerator) -> uuid_t {
        let (high, low) = (generator.next(), generator.next())
        return withUnsafeBytes(of: (high, low)) { $0.loadUnaligned(as: uuid_t.self) }
    }

    private static func zoneChanges(after start: Instant, _ generator: inout SeededGenerator) -> [ZoneChange]
    {
        guard generator.chance(oneIn: 3) else { return [] }
        return (0..<generator.number(1...2)).map { _ in
            ZoneChange(from: start.adding(seconds: generator.number(1...10 * 86_400)), zone: generator.zone())
        }
    }

    private static func anchors(
        after start: Instant, home: Instant, _ generator: inout SeededGenerator
    ) -> [AnchorEvent] {
        func moment() -> Instant { start.adding(seconds: generator.number(0...8 * 86_400)) }
        let walks = (0..<generator.number(0...3)).map { _ in
            AnchorEvent.walk(WalkID(UUID(uuid: bytes(&generator))), endedAt: moment())
        }
        let sheets = (0..<generator.number(0...5)).map { _ in
            AnchorEvent.completion(
                of: generator.element(from: ["q0", "q0", "p0", "p1", "x"], or: "q0"),
                sheet: SheetID(UUID(uuid: bytes(&generator))), at: moment())
        }
        return walks + sheets + (generator.chance(oneIn: 4) ? [] : [.event("home", at: home)])
    }

    private static func status(after start: Instant, _ generator: inout SeededGenerator) -> EnrolmentStatus {
        var status = EnrolmentStatus.active
        if generator.chance(oneIn: 4) {
            let from = start.adding(seconds: generator.number(0...8 * 86_400))
            status.pauses = [
                Pause(
                    from: from,
                    to: generator.chance(oneIn: 3)
                        ? nil : from.adding(seconds: generator.number(1...4) * 43_200))
            ]
        }
        if generator.chance(oneIn: 8) {
            status.endedAt = start.adding(seconds: generator.number(1...9 * 86_400))
        }
        return status
    }
}

extension PlanCase {
    private static func schedule(_ number: Int, around date: LocalDate, _ generator: inout SeededGenerator)
        -> Schedule
    {
        let anchor: Anchor =
            switch generator.number(0...13) {
            case 0: .studyDate(date.adding(days: -generator.number(0...3)))
            case 1: .phase("days")
            case 2: .phase("home")
            case 3: .event("home")
            case 4: .firstCompletion(questionnaire: "q0")
            case 5: .completion(questionnaire: "q0")
            case 6: .walk
            case 7: .completionOfAny(["q0", "p1"])
            case 8: .completionOfPractice
            default: .enrolment
            }
        let offset = generator.chance(oneIn: 3) ? generator.number(0...3) : 0
        var schedule = Schedule(
            id: "s\(number)", questionnaire: "q\(number)", anchor: anchor, offsetDays: offset,
            recurrence: recurrence(from: offset, around: date, &generator), slots: slots(anchor, &generator))
        if generator.chance(oneIn: 5) {
            schedule.phase = generator.element(from: ["days", "before", "home"], or: "days")
        }
        if generator.chance(oneIn: 4), schedule.recurrence != .once {
            schedule.count = generator.number(1...4)
        }
        if generator.chance(oneIn: 4) { schedule.maxPerDay = generator.number(1...2) }
        if generator.chance(oneIn: 6) {
            schedule.zonePolicy = generator.chance(oneIn: 2) ? .enrolment : .study(generator.zone())
        }
        if generator.chance(oneIn: 4) { schedule.latePolicy = .complete }
        return schedule
    }

    private static func recurrence(
        from offset: Int, around date: LocalDate, _ generator: inout SeededGenerator
    ) -> Recurrence {
        let until = offset + generator.number(0...9)
        switch generator.number(0...6) {
        case 0: return .once
        case 1:
            let weekdays = (1...7).filter { _ in generator.chance(oneIn: 2) }
            return .weekly(
                weekdays: weekdays.isEmpty ? [date.weekday] : weekdays, weeks: generator.number(1...2),
                untilDay: until)
        case 2:
            return .monthly(days: [date.components.day, generator.number(1...31), 31], untilDay: until)
        case 3:
            let length = generator.number(2...5)
            return .cycle(length: length, dayOffsets: [0, generator.number(1...length) - 1], untilDay: until)
        default:
            return .every(days: generator.chance(oneIn: 3) ? generator.number(2...3) : 1, untilDay: until)
        }
    }

    /// One to three windows per day that do not overlap in local time. Many are adjacent. All times are multiples of 15
    /// minutes.
    private static func slots(_ anchor: Anchor, _ generator: inout SeededGenerator) -> [Slot] {
        let quarter = 900
        if generator.chance(oneIn: 6), !anchor.isRepeated,
            let from = LocalTime(seconds: generator.number(0...95) * quarter)
        {
            let gap = generator.number(1...6) * quarter
            let count = generator.number(1...3)
            let span = min((count - 1) * gap + generator.number(1...16) * quarter, 86_400 - gap)
            let to = LocalTime(seconds: (from.seconds + span) % 86_400) ?? from
            let close = generator.number(1...gap / quarter) * quarter
            return [
                slot(
                    .random(from: from, to: to, count: min(count, span / gap + 1), minimumGap: gap), close,
                    &generator)
            ]
        }
        if anchor.isRepeated || anchor == .event("home"), generator.chance(oneIn: 2) {
            let delay = generator.chance(oneIn: 2) ? 0 : generator.number(1...3000) * 60
            return [slot(.afterAnchor(seconds: delay), generator.number(1...48) * quarter, &generator)]
        }
        let first = generator.number(0...95)
        var slots: [Slot] = []
        var open = first
        // Up to the same quarter of the next day, when the first window opens again.
        for _ in 0..<generator.number(1...3) where open < 96 {
            let length = generator.number(1...min(first + 96 - open, generator.chance(oneIn: 3) ? 96 : 12))
            if let time = LocalTime(seconds: open * quarter) {
                slots.append(slot(.fixed(time), length * quarter, &generator))
            }
            open += length + (generator.chance(oneIn: 2) ? 0 : generator.number(0...8))
        }
        return slots
    }

    private static func slot(_ opening: Opening, _ close: Int, _ generator: inout SeededGenerator) -> Slot {
        Slot(
            opening: opening,
            dueAfter: generator.chance(oneIn: 4) ? close : generator.number(0...close / 60) * 60,
            closeAfter: close, visibleBefore: generator.chance(oneIn: 2) ? 0 : generator.number(1...8) * 900)
    }
}
