import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct ReminderParserTests {
    private func schedule(_ reminders: String) throws -> (Schedule?, [String]) {
        let log = FaultLog(file: "schedule.yaml")
        let text = """
            schedules:
              - id: a
                questionnaire: day_mood
                recurrence: once
                slots: []
                reminders: \(reminders)
            """
        let root = try #require(YAMLReader.read(text, log: log))
        return (ScheduleParser(log: log).schedules(root)?.first, log.faults.map(\.message))
    }

    @Test func `each kind of reminder is read with its time`() throws {
        let read = try schedule("[at_open, {after_open: 30m}, {before_due: 1h}, {before_close: 1h30m}]")

        #expect(read.1 == [])
        #expect(
            read.0?.reminders == [
                .atOpen, .afterOpen(seconds: 1800), .beforeDue(seconds: 3600), .beforeClose(seconds: 5400),
            ])
    }

    @Test(arguments: [
        (
            "[at_close]",
            "expected at_open or {after_open: …}, {before_due: …}, {before_close: …}, found \"at_close\""
        ),
        ("[{after_open: soon}]", "expected a duration such as 2d, 5h or 30m, found \"soon\""),
    ])
    func `an invalid reminder is reported`(text: String, message: String) throws {
        #expect(try schedule(text).1 == [message])
    }

    @Test func `the study daily-moments has reminders at the opening and before the close`()
        throws
    {
        let files = try PackFiles.load(
            directory: RealPacks.root.appending(path: "studies/daily-moments").path)
        let study = try StudyPack.read(files, study: "daily-moments").study

        #expect(study.schedules.first?.reminders == [.atOpen, .beforeClose(seconds: 600)])
        #expect(study.reminder?.maximumPerDay == 10)
        #expect(study.text["en"]?.occasionBody.contains("{{closes}}") == true)
    }

    @Test func `rules for notifications are read with their end`() throws {
        let log = FaultLog(file: "study.yaml")
        let text = """
            notices:
              - {code: a, when: inactive, first_after: 7d, repeat_every: 30d, at_most: 3}
              - {code: b, when: {event: back}, first_after: 91d, until: who_5}
              - {code: c, when: never, first_after: 1d}
            """
        let root = try #require(YAMLReader.read(text, log: log))
        let fields = try #require(Fields(root, of: "study.yaml", keys: ["notices"], log: log))

        let notices = fields.optional("notices") { $0.list($1, of: NotificationRuleParser.rule) }

        let day = 86_400
        #expect(
            notices == [
                NotificationRule(
                    code: "a", trigger: .inactivity, firstAfter: 7 * day, repeatEvery: 30 * day,
                    maximumMessages: 3),
                NotificationRule(code: "b", trigger: .event("back"), firstAfter: 91 * day, until: "who_5"),
            ])
        #expect(log.faults.map(\.message) == ["expected inactive or {event: …}, found \"never\""])
    }
}
