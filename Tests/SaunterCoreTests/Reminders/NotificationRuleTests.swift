import Foundation
import Testing

@testable import SaunterCore

@Suite("Notification rules")
struct NotificationRuleTests {
    private static let day = 86_400

    private func planner(
        _ notification: NotificationRule, _ facts: NotificationFacts = NotificationFacts(),
        quiet: (String, String) = ("00:00", "00:00")
    ) throws -> ReminderPlanner {
        var study = Sample.study([
            Sample.schedule(slots: [try Sample.slot("10:00", due: hour, close: hour)])
        ])
        study.reminder = ReminderRule(at: nil, quietFrom: try time(quiet.0), quietTo: try time(quiet.1))
        study.notificationRules = [notification]
        return ReminderPlanner(
            study: study, occasions: [], zone: .utc, enrolledAt: try at("2026-05-01T12:00:00Z"),
            plannedThrough: .maximum, facts: facts)
    }

    private func written(_ reminders: [Reminder]) -> [String] {
        reminders.map { "\($0.key.ordinal) \($0.at)" }
    }

    private static let inactivityRule = NotificationRule(
        code: "come_back", trigger: .inactivity, firstAfter: 7 * day, repeatEvery: 3 * day, maximumMessages: 3
    )

    @Test
    func
        `inactivity counts from the last activity, otherwise from the enrolment, and has a maximum number of messages`()
        throws
    {
        #expect(
            written(try planner(Self.inactivityRule).notifications()) == [
                "1 2026-05-08T12:00:00.000Z", "2 2026-05-11T12:00:00.000Z", "3 2026-05-14T12:00:00.000Z",
            ])
        let facts = NotificationFacts(lastActivity: try at("2026-05-03T08:00:00Z"))
        #expect(
            written(try planner(Self.inactivityRule, facts).notifications()) == [
                "1 2026-05-10T08:00:00.000Z", "2 2026-05-13T08:00:00.000Z", "3 2026-05-16T08:00:00.000Z",
            ])
    }

    @Test func `the first inactivity notification is known when the inactivity begins`() throws {
        let visit = NotificationRule(code: "next", trigger: .event("visit"), firstAfter: Self.day)
        var soon = Self.inactivityRule
        soon.firstAfter = 2 * Self.day
        var study = try planner(Self.inactivityRule).study
        study.notificationRules = [visit, Self.inactivityRule, soon]
        let start = try at("2026-05-03T08:00:00Z")
        #expect(study.firstNotification(ofInactivitySince: start) == (try at("2026-05-05T08:00:00Z")))

        study.notificationRules = [visit]
        #expect(study.firstNotification(ofInactivitySince: start) == nil)
        study.notificationRules = [soon]
        study.reminder = nil
        #expect(study.firstNotification(ofInactivitySince: start) == nil)
    }

    @Test
    func
        `notifications before the participant followed the version are not sent afterwards, and later ones are`()
        throws
    {
        var found = try planner(Self.inactivityRule)
        let now = try at("2026-05-09T12:00:00Z")
        found.followedFrom = now
        #expect(
            written(found.reminders(at: now)) == ["2 2026-05-11T12:00:00.000Z", "3 2026-05-14T12:00:00.000Z"])

        // The notification was pending when the version changed.
        found.pendingCheckAt = try at("2026-05-08T12:00:00Z")
        #expect(found.reminders(at: now).map(\.key.ordinal) == [1, 2, 3])
    }

    @Test
    func `a new period of inactivity has separate notifications, and claimed ones are not planned again`()
        throws
    {
        var first = try planner(Self.inactivityRule)
        let now = try at("2026-05-08T12:00:00Z")
        let sent = first.decision(at: now, scheduledAt: now).send
        #expect(sent.map(\.key.notificationCode) == ["come_back"])
        first.records = sent.map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now)
        }
        #expect(first.nextCheck(at: now) == (try at("2026-05-11T12:00:00Z")))

        first.facts.lastActivity = try at("2026-05-09T00:00:00Z")
        #expect(first.nextCheck(at: now) == (try at("2026-05-16T00:00:00Z")))
    }

    @Test func `activity that becomes known late does not repeat the notifications of that period`() throws {
        var found = try planner(Self.inactivityRule)
        let nominal = try at("2026-05-08T12:00:00Z")
        // It was sent one hour late.
        let now = nominal.adding(seconds: hour)
        found.records = found.decision(at: now, scheduledAt: nominal).send.map {
            ReminderRecord(
                key: $0.key, message: MessageID(UUID()), plannedAt: $0.at, claimedAt: now, sentAt: now)
        }
        #expect(found.records.map(\.plannedAt) == [nominal])
        #expect(
            written(found.reminders(at: now)) == ["2 2026-05-11T12:00:00.000Z", "3 2026-05-14T12:00:00.000Z"])

        // A device that was offline uploads activity of the first day, half an hour after the enrolment.
        found.facts.lastActivity = try at("2026-05-02T08:00:00Z")
        #expect(
            written(found.reminders(at: now)) == ["2 2026-05-12T08:00:00.000Z", "3 2026-05-15T08:00:00.000Z"])
        found.facts.lastActivity = try at("2026-05-01T12:30:00Z")
        #expect(
            written(found.reminders(at: now)) == ["2 2026-05-11T12:30:00.000Z", "3 2026-05-14T12:30:00.000Z"])

        // Activity shortly before the message begins a new period of inactivity.
        found.facts.lastActivity = try at("2026-05-08T11:00:00Z")
        #expect(
            written(found.reminders(at: now)) == [
                "1 2026-05-15T11:00:00.000Z", "2 2026-05-18T11:00:00.000Z", "3 2026-05-21T11:00:00.000Z",
            ])
        // A suppressed message was not sent.
        found.facts.lastActivity = try at("2026-05-01T12:30:00Z")
        found.records[0].isUnsent = true
        #expect(found.reminders(at: now).map(\.key.ordinal) == [1, 2, 3])
    }

    @Test func `a message that quiet hours postponed does not delay the others of its period`() throws {
        var rule = Self.inactivityRule
        rule.repeatEvery = 36 * hour
        var found = try planner(rule, quiet: ("11:00", "15:30"))
        let now = try at("2026-05-08T15:30:00Z")
        found.records = found.decision(at: now, scheduledAt: now).send.map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), plannedAt: $0.at, claimedAt: now)
        }
        #expect(found.records.count == 1)

        #expect(
            written(found.reminders(at: now)) == ["2 2026-05-10T00:00:00.000Z", "3 2026-05-11T15:30:00.000Z"])
    }

    @Test func `a pause is not inactivity, and no notification is sent in it`() throws {
        func moments(_ pauses: [(String, String?)], lastActivity: String? = nil) throws -> [String] {
            let facts = NotificationFacts(
                lastActivity: try lastActivity.map { try at($0) },
                pauses: try pauses.map { Pause(from: try at($0.0), to: try $0.1.map { try at($0) }) })
            return written(try planner(Self.inactivityRule, facts).notifications())
        }
        #expect(
            try moments([("2026-05-03T00:00:00Z", "2026-05-06T00:00:00Z")]) == [
                "1 2026-05-11T12:00:00.000Z", "2 2026-05-14T12:00:00.000Z", "3 2026-05-17T12:00:00.000Z",
            ])
        // While an open-ended pause lasts, the end of the inactivity is unknown.
        #expect(try moments([("2026-05-03T00:00:00Z", nil)]) == [])
        #expect(try moments([("2026-05-09T12:00:00Z", nil)]) == ["1 2026-05-08T12:00:00.000Z"])
        // A pause that begins exactly at a notification postpones it. Two pauses both count.
        #expect(
            try moments([
                ("2026-05-08T12:00:00Z", "2026-05-09T12:00:00Z"),
                ("2026-05-10T12:00:00Z", "2026-05-11T18:00:00Z"),
            ]) == ["1 2026-05-09T12:00:00.000Z", "2 2026-05-13T18:00:00.000Z", "3 2026-05-16T18:00:00.000Z"])
        // Only pauses after the last activity count.
        #expect(
            try moments(
                [
                    ("2026-05-02T00:00:00Z", "2026-05-03T00:00:00Z"),
                    ("2026-05-04T00:00:00Z", "2026-05-06T00:00:00Z"),
                ], lastActivity: "2026-05-05T00:00:00Z"
            ).first == "1 2026-05-13T00:00:00.000Z")
    }

    @Test func `notifications of an event count time in pauses`() throws {
        let rule = NotificationRule(code: "next", trigger: .event("visit"), firstAfter: 7 * Self.day)
        let facts = NotificationFacts(
            events: ["visit": try at("2026-05-02T12:00:00Z")],
            pauses: [Pause(from: try at("2026-05-03T00:00:00Z"), to: try at("2026-05-06T00:00:00Z"))])

        #expect(written(try planner(rule, facts).notifications()) == ["1 2026-05-09T12:00:00.000Z"])
    }

    @Test func `a corrected event does not repeat its notifications`() throws {
        let rule = NotificationRule(
            code: "after_visit", trigger: .event("visit"), firstAfter: Self.day, repeatEvery: Self.day,
            maximumMessages: 2)
        var found = try planner(
            rule, NotificationFacts(events: ["visit": try at("2026-05-02T12:00:00Z")]))
        let now = try at("2026-05-03T12:00:00Z")
        found.records = found.decision(at: now, scheduledAt: now).send.map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now, sentAt: now)
        }
        #expect(found.records.count == 1)

        found.facts.events["visit"] = try at("2026-05-02T18:00:00Z")
        #expect(written(found.reminders(at: now)) == ["2 2026-05-04T18:00:00.000Z"])
        // An event after the sent message is another visit.
        found.facts.events["visit"] = try at("2026-05-03T12:00:01Z")
        #expect(
            written(found.reminders(at: now)) == ["1 2026-05-04T12:00:01.000Z", "2 2026-05-05T12:00:01.000Z"])
        // A suppressed message was not sent.
        found.facts.events["visit"] = try at("2026-05-02T18:00:00Z")
        found.records[0].isUnsent = true
        #expect(
            written(found.reminders(at: now)) == ["1 2026-05-03T18:00:00.000Z", "2 2026-05-04T18:00:00.000Z"])
    }

    @Test func `planned messages include notifications that are not claimed`() throws {
        var found = try planner(Self.inactivityRule)
        let now = try at("2026-05-08T12:00:00Z")

        #expect(
            found.upcomingMessages(after: now, limit: 50).map(\.at) == [
                try at("2026-05-11T12:00:00Z"), try at("2026-05-14T12:00:00Z"),
            ])
        #expect(found.upcomingMessages(after: now, limit: 50).allSatisfy { $0.occasions.isEmpty })
        found.records = found.notifications().map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now)
        }
        #expect(found.upcomingMessages(after: now, limit: 50) == [])
    }

    @Test func `notifications count from a reported event, and a sheet stops them`() throws {
        let rule = NotificationRule(
            code: "next", trigger: .event("training-finished"), firstAfter: Self.day, until: "evening")
        #expect(try planner(rule).notifications() == [])
        var facts = NotificationFacts(events: ["training-finished": try at("2026-05-10T09:00:00Z")])
        #expect(written(try planner(rule, facts).notifications()) == ["1 2026-05-11T09:00:00.000Z"])

        facts.completions = ["evening": try at("2026-05-10T08:59:59Z")]
        #expect(try planner(rule, facts).notifications().count == 1)
        facts.completions = ["evening": try at("2026-05-10T09:00:00Z")]
        #expect(try planner(rule, facts).notifications() == [])
    }

    @Test func `events before the enrolment have no notifications`() throws {
        let rule = NotificationRule(code: "next", trigger: .event("training-finished"), firstAfter: Self.day)
        func count(_ moment: String) throws -> Int {
            try planner(rule, NotificationFacts(events: ["training-finished": try at(moment)]))
                .notifications().count
        }
        #expect(try count("2026-04-28T12:00:00Z") == 0)
        #expect(try count("2026-04-30T12:00:00Z") == 1)
    }

    @Test func `quiet hours postpone a notification, and the end of the study ends all`() throws {
        let quiet = try planner(Self.inactivityRule, quiet: ("11:00", "15:30"))
        #expect(written(quiet.notifications()).first == "1 2026-05-08T15:30:00.000Z")

        // The study's last day is the 29th.
        let late = NotificationFacts(lastActivity: try at("2026-05-22T20:00:00Z"))
        #expect(
            written(try planner(Self.inactivityRule, late).notifications()) == ["1 2026-05-29T20:00:00.000Z"])
    }

    @Test func `an overdue notification expires when the next one is due`() throws {
        let found = try planner(Self.inactivityRule)
        let now = try at("2026-05-12T00:00:00Z")

        #expect(found.decision(at: now, scheduledAt: now).send.map(\.key.ordinal) == [2])
    }
}
