import Foundation
import Testing

@testable import SaunterCore

@Suite("Phases and events")
struct PhaseTests {
    private func daily(_ phase: String?, anchor: Anchor, until day: Int = 60) throws -> Schedule {
        var schedule = Sample.schedule(
            "in_" + (phase ?? "none"), anchor: anchor, repeating: .every(days: 1, untilDay: day),
            slots: [try Sample.slot("18:00", due: hour, close: 2 * hour)])
        schedule.phase = phase
        return schedule
    }

    private func study(_ phases: [Phase], _ schedules: [Schedule]) -> Study {
        var study = Sample.study(schedules, days: 60)
        study.phases = phases
        return study
    }

    private func dates(_ study: Study, _ events: [AnchorEvent] = []) throws -> [String] {
        Sample.planner(study, enrolledAt: try at("2026-05-01T06:00:00Z"), zones: [], anchors: events)
            .occasions(from: .minimum, through: .maximum).map {
                String($0.localDate.description.dropFirst(5))
            }
    }

    @Test(arguments: [
        (PhaseStart.day(3), PhaseEnd.day(5), ["05-04", "05-05", "05-06"]),
        (.day(3), .length(days: 2), ["05-04", "05-05"]),
        (.day(58), .studyEnd, ["06-28", "06-29", "06-30"]),
        (.day(5), .day(3), []),
    ])
    func `a phase by days contains its first and its last day`(
        start: PhaseStart, end: PhaseEnd, expected: [String]
    ) throws {
        let phase = Phase(code: "p", start: start, end: end)

        #expect(try dates(study([phase], [daily("p", anchor: .enrolment)])) == expected)
        #expect(try dates(study([phase], [daily("p", anchor: .phase("p"))])) == expected)
    }

    @Test func `occasions of a phase are planned only after the event that starts it`() throws {
        let phase = Phase(code: "p", start: .event("home"), end: .length(days: 2))
        let study = study([phase], [try daily("p", anchor: .phase("p"))])

        #expect(try dates(study) == [])
        #expect(
            try dates(study, [.event("home", at: at("2026-05-10T12:00:00Z"))]) == ["05-10", "05-11"])
    }

    /// The window of 18:00 belongs to the phase in which it opens.
    @Test(arguments: [
        ("2026-05-10T17:59:59Z", ["05-08", "05-09"], "05-10"),
        ("2026-05-10T18:00:00Z", ["05-08", "05-09"], "05-10"),
        ("2026-05-10T18:00:01Z", ["05-08", "05-09", "05-10"], "05-11"),
    ])
    func `if an event ends one phase and starts the next, every window is in exactly one of them`(
        moment: String, before: [String], after: String
    ) throws {
        let phases = [
            Phase(code: "a", start: .day(7), end: .event("home")),
            Phase(code: "b", start: .event("home"), end: .studyEnd),
        ]
        let home = AnchorEvent.event("home", at: try at(moment))
        let first = study(phases, [try daily("a", anchor: .enrolment)])
        let second = study(phases, [try daily("b", anchor: .phase("b"))])

        #expect(try dates(first, [home]) == before)
        #expect(try dates(second, [home]).first == after)
    }

    /// At noon of 10 May it is the 11th on Kiritimati, and at 01:00 of the 10th it is the 9th in Honolulu.
    @Test(arguments: [
        ("2026-05-10T12:00:00Z", "Pacific/Kiritimati", "05-11"),
        ("2026-05-10T01:00:00Z", "Pacific/Honolulu", "05-09"),
        ("2026-05-10T12:00:00Z", "UTC", "05-10"),
    ])
    func `day 0 of a phase that an event begins is asked, also if the schedule's clock has another date`(
        moment: String, id: String, date: String
    ) throws {
        var schedule = try daily("p", anchor: .phase("p"))
        schedule.slots = [Slot(opening: .afterAnchor(seconds: hour), dueAfter: hour, closeAfter: hour)]
        schedule.zonePolicy = .study(try zone(id))
        let phase = Phase(code: "p", start: .event("home"), end: .length(days: 1))

        #expect(try dates(study([phase], [schedule]), [.event("home", at: at(moment))]) == [date])
    }

    @Test func `a phase can start with the first sheet of a questionnaire`() throws {
        let phase = Phase(code: "p", start: .firstCompletion(questionnaire: "evening"), end: .length(days: 1))
        let study = study([phase], [try daily("p", anchor: .phase("p"))])
        func sheet(_ moment: String) throws -> AnchorEvent {
            .completion(of: "evening", sheet: SheetID(UUID()), at: try at(moment))
        }

        let sheets = [try sheet("2026-05-09T12:00:00Z"), try sheet("2026-05-07T12:00:00Z")]

        #expect(try dates(study, sheets) == ["05-07"])
    }

    @Test func `the first sheet starts one instance, and later sheets start none`() throws {
        let study = Sample.study([
            Sample.schedule(
                "after", anchor: .firstCompletion(questionnaire: "evening"), offset: 2, repeating: .once,
                slots: [try Sample.slot("18:00", due: hour, close: hour)])
        ])
        let sheets = try ["2026-05-08T12:00:00Z", "2026-05-03T12:00:00Z"].map {
            AnchorEvent.completion(of: "evening", sheet: SheetID(UUID()), at: try at($0))
        }

        #expect(try dates(study, sheets) == ["05-05"])
    }

    @Test(arguments: [
        (Anchor.completionOfAny(["morning", "news"]), ["05-03 1", "05-05 2"]),
        (.completionOfPractice, ["05-03 1", "05-08 3"]),
        (.completion(questionnaire: "news"), ["05-05 2"]),
    ])
    func `each sheet of any of several questionnaires starts one instance`(
        _ anchor: Anchor, _ expected: [String]
    ) throws {
        var study = Sample.study([
            Sample.schedule(
                "after", asks: "rating", anchor: anchor, repeating: .once,
                slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 600, closeAfter: hour)])
        ])
        study.anyTime = [
            AnyTimeRule(questionnaire: "morning", isPractice: true), "news",
            AnyTimeRule(questionnaire: "evening", isPractice: true),
        ]
        let sheets = (1...4).map { SheetID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0))) }
        let anchors = [
            AnchorEvent.completion(of: "evening", sheet: sheets[2], at: try at("2026-05-08T12:00:00Z")),
            .completion(of: "news", sheet: sheets[1], at: try at("2026-05-05T12:00:00Z")),
            .completion(of: "morning", sheet: sheets[0], at: try at("2026-05-03T12:00:00Z")),
            .completion(of: "rating", sheet: sheets[3], at: try at("2026-05-04T12:00:00Z")),
        ]

        let occasions = Sample.planner(
            study, enrolledAt: try at("2026-05-01T06:00:00Z"), zones: [], anchors: anchors
        ).occasions(from: .minimum, through: .maximum)

        let numbers = Dictionary(uniqueKeysWithValues: zip(sheets.map(\.description), 1...4))
        #expect(
            occasions.map {
                "\($0.localDate.description.dropFirst(5)) \(numbers[$0.key.anchorInstance] ?? 0)"
            } == expected)
        let followed = study.questionnaires(followedBy: anchor)
        #expect(!followed.isEmpty && followed.allSatisfy { study.changesPlan($0) })
        #expect(!study.changesPlan("rating"))
        #expect(!study.hasBegun(study.schedules[0], after: [.completion(questionnaire: "rating")]))
        #expect(
            study.hasBegun(
                study.schedules[0],
                after: Set(
                    study.questionnaires(followedBy: anchor).suffix(1).map { .completion(questionnaire: $0) })
            )
        )
    }

    @Test func `moving an event moves its occasions and keeps their ids`() throws {
        let study = study([], [try daily(nil, anchor: .event("home"), until: 3)])
        func plan(_ moment: String) throws -> [Occasion] {
            Sample.planner(
                study, enrolledAt: try at("2026-05-01T06:00:00Z"), zones: [],
                anchors: [.event("home", at: try at(moment))]
            ).occasions(from: .minimum, through: .maximum)
        }

        let before = try plan("2026-05-05T10:00:00Z")
        let after = try plan("2026-05-09T10:00:00Z")

        #expect(before.map(\.id) == after.map(\.id))
        #expect(after.first?.localDate == (try day("2026-05-09")))
    }

    @Test func `a window that closed before the event is not planned`() throws {
        let study = study([], [try daily(nil, anchor: .event("home"), until: 1)])

        #expect(try dates(study, [.event("home", at: at("2026-05-05T20:00:00Z"))]) == ["05-06"])
        #expect(try dates(study, [.event("home", at: at("2026-05-05T19:59:59Z"))]) == ["05-05", "05-06"])
    }

    @Test(arguments: [(nil, 5), (2, 3), (1, 2)] as [(Int?, Int)])
    func `at most maxPerDay walks of a day have occasions`(most: Int?, expected: Int) throws {
        var after = Sample.schedule(
            "after", asks: "after_walk", anchor: .walk, repeating: .once,
            slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: hour, closeAfter: hour)])
        after.maxPerDay = most
        // Four on one day in Tokyo, which are two days in UTC; one on the next day.
        let ends =
            ["15:30", "18:00", "23:00", "23:30"].map { "2026-05-04T\($0):00Z" } + ["2026-05-05T20:00:00Z"]
        let planner = Sample.planner(
            Sample.study([after]), enrolledAt: try at("2026-05-01T06:00:00Z"),
            zones: [ZoneChange(from: .minimum, zone: try zone("Asia/Tokyo"))],
            anchors: try ends.map { .walk(WalkID(UUID()), endedAt: try at($0)) })

        let occasions = planner.occasions(from: .minimum, through: .maximum)

        #expect(occasions.count == expected)
        #expect(occasions.first?.window.openAt == (try at("2026-05-04T15:30:00Z")))
    }

    @Test(arguments: [
        (Recurrence.every(days: 3, untilDay: 60), 3, ["05-01", "05-04", "05-07"]),
        (.every(days: 3, untilDay: 4), 3, ["05-01", "05-04"]),
        (.weekly(weekdays: [1, 5], weeks: 1, untilDay: 60), 3, ["05-01", "05-04", "05-08"]),
        (.monthly(days: [31], untilDay: 60), 1, ["05-31"]),
        (.cycle(length: 7, dayOffsets: [0, 1], untilDay: 60), 3, ["05-01", "05-02", "05-08"]),
    ])
    func `a count ends the recurrence`(
        recurrence: Recurrence, count: Int, expected: [String]
    ) throws {
        var schedule = Sample.schedule(
            repeating: recurrence, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        schedule.count = count

        #expect(try dates(Sample.study([schedule], days: 60)) == expected)
    }

    @Test func `schedules that wait for an anchor are not applicable`() throws {
        let phase = Phase(code: "p", start: .event("home"), end: .studyEnd)
        let study = study(
            [phase], [try daily("p", anchor: .enrolment), try daily(nil, anchor: .enrolment)])
        let planner = Sample.planner(study, enrolledAt: try at("2026-05-01T06:00:00Z"), zones: [])

        #expect(planner.notApplicable == ["in_p"])
        #expect(study.schedules.map(study.followsEvent) == [true, false])
    }

    @Test(arguments: [
        (StudyEvent.Update.mutable, true, true), (.futureOnly, false, true), (.immutable, false, false),
    ])
    func `an event can be moved if its update rule permits it`(rule: StudyEvent.Update, back: Bool, on: Bool)
        throws
    {
        let event = StudyEvent(code: "home", update: rule)
        let stored = try at("2026-05-05T10:00:00Z")

        #expect(event.canMove(from: stored, to: stored.adding(milliseconds: -1)) == back)
        #expect(event.canMove(from: stored, to: stored.adding(milliseconds: 1)) == on)
    }

    @Test func `the plan is complete up to the day before the next occasion`() throws {
        var late = Sample.schedule(
            "late", offset: 40, repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        late.questionnaire = "final"
        let planner = Sample.planner(
            Sample.study([late], days: 60), enrolledAt: try at("2026-05-01T06:00:00Z"), zones: [])

        #expect(planner.plannedThrough(try day("2026-05-15")) == (try day("2026-06-09")))
        #expect(planner.plannedThrough(try day("2026-06-10")) == .maximum)
    }
}
