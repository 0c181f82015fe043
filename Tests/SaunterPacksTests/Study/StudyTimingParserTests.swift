import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct StudyTimingParserTests {
    private func study(_ code: String) throws -> Study {
        let files = try PackFiles.load(directory: RealPacks.root.appending(path: "studies/\(code)").path)
        return try StudyPack.read(files, study: code).study
    }

    @Test func `phases and events are read, and the default end is the end of the study`() throws {
        let trial = try study("training-or-waiting")

        #expect(
            trial.phases == [
                Phase(code: "baseline", start: .day(0), end: .day(6)),
                Phase(code: "course", start: .day(7), end: .event("training-finished")),
                Phase(code: "after", start: .event("training-finished"), end: .length(days: 28)),
            ])
        #expect(trial.events == [StudyEvent(code: "training-finished", update: .futureOnly)])
        let after = try #require(trial.schedules.first { $0.id == "after_stress" })
        #expect(after.phase == "after" && after.anchor == .phase("after"))
        #expect(after.count == 2 && after.recurrence == .every(days: 14, untilDay: Study.maximumDays))
    }

    @Test func `anchors and daily limits are read`() throws {
        let diary = try study("strain-diary")
        let anchors = Dictionary(
            diary.schedules.map { ($0.id, $0.anchor) }, uniquingKeysWith: { first, _ in first })

        #expect(
            anchors == [
                "two_hours_later": .completion(questionnaire: "tlx_raw"), "after_walk": .walk,
                "a_week_on": .firstCompletion(questionnaire: "tlx_raw"), "first_days": .event("back-at-work"),
            ])
        #expect(diary.schedules.map(\.maxPerDay) == [3, 2, nil, nil])
        #expect(diary.anyTime == [AnyTimeRule(questionnaire: "tlx_raw", maximumPerDay: 4)])
        #expect(diary.events == [StudyEvent(code: "back-at-work", update: .mutable)])
    }

    @Test(arguments: [
        (
            "{code: p, start: {week: 1}}",
            "expected {day: …}, {event: …}, {first_completion: …}, found a mapping"
        ),
        ("{code: p, start: {day: 1}, end: soon}", "expected {day: …}, {days: …}, {event: …}, found \"soon\""),
        ("{code: p}", "\"start\" is missing"),
        ("{code: p, start: {day: 0}, stop: {day: 3}}", "\"stop\" is not a key of a phase"),
    ])
    func `an invalid phase is reported`(phase: String, message: String) throws {
        let log = FaultLog(file: "study.yaml")
        let root = try #require(YAMLReader.read("phases: [\(phase)]\n", log: log))
        let fields = try #require(Fields(root, of: "study.yaml", keys: ["phases"], log: log))

        _ = StudyTimingParser(fields)

        #expect(log.faults.map(\.message) == [message])
    }

    @Test func `a recurrence needs an end: a day, a count or both`() throws {
        func recurrence(_ text: String) throws -> (Schedule?, [String]) {
            let log = FaultLog(file: "schedule.yaml")
            let schedule = """
                schedules:
                  - id: a
                    questionnaire: day_mood
                    recurrence: {every: {days: 2\(text)}}
                    slots: []
                """
            let root = try #require(YAMLReader.read(schedule, log: log))
            return (ScheduleParser(log: log).schedules(root)?.first, log.faults.map(\.message))
        }

        #expect(try recurrence(", count: 5").0?.count == 5)
        #expect(try recurrence(", count: 5, until_day: 7").0?.recurrence == .every(days: 2, untilDay: 7))
        #expect(try recurrence("").1 == ["\"until_day\" is missing"])
    }
}
