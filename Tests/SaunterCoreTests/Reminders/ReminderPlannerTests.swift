import Foundation
import Testing

@testable import SaunterCore

@Suite("Reminder planner")
struct ReminderPlannerTests {
    static let enrolled = "2026-05-01T00:00:00Z"

    /// By default an occasion that is open from 10:00 to 14:00 and due at 12:00, without quiet hours and daily mail.
    private func planner(
        _ rules: [ReminderTiming], quiet: (String, String) = ("00:00", "00:00"), most: Int? = nil,
        resend: Int? = nil, daily: String? = nil, zone: Zone = .utc,
        opens: [String] = ["2026-05-04T10:00:00Z"]
    ) throws -> ReminderPlanner {
        var schedule = Sample.schedule(slots: [try Sample.slot("10:00", due: 2 * hour, close: 4 * hour)])
        schedule.reminders = rules
        var study = Sample.study([schedule])
        study.reminder = ReminderRule(
            at: try daily.map { try time($0) }, quietFrom: try time(quiet.0), quietTo: try time(quiet.1),
            maximumPerDay: most, resendAfter: resend)
        let occasions = try opens.enumerated().map { Sample.occasion($0, open: try at($1), zone: zone) }
        return ReminderPlanner(
            study: study, occasions: occasions, zone: zone, enrolledAt: try at(Self.enrolled),
            plannedThrough: .maximum)
    }

    private func written(_ reminders: [Reminder]) -> [String] {
        reminders.map { "\($0.key.kind.rawValue) \($0.key.ordinal) \($0.at)" }
    }

    /// The sent messages, one line each, if every scheduled check happens on time.
    private func run(
        _ planner: ReminderPlanner, until end: String, confirms: Bool = false
    ) throws -> [String] {
        var planner = planner
        var lines: [String] = []
        var next = planner.nextCheck(at: try at(Self.enrolled))
        for _ in 0..<200 {
            guard let moment = next, moment < (try at(end)) else { break }
            let decision = planner.decision(at: moment, scheduledAt: moment)
            let message = MessageID(UUID())
            for (reminders, held) in [(decision.send, false), (decision.drop, true)] where !reminders.isEmpty
            {
                planner.records += reminders.map {
                    ReminderRecord(
                        key: $0.key, message: message, claimedAt: moment, isUnsent: held,
                        sentAt: held ? nil : moment, deliveredAt: confirms && !held ? moment : nil)
                }
                let kinds = reminders.map { "\($0.key.kind.rawValue) \($0.key.ordinal)" }.joined(
                    separator: ", ")
                lines.append("\(planner.zone.local(of: moment).time) \(held ? "not " : "")\(kinds)")
            }
            // A sent message can cause further checks.
            next = [decision.next, planner.nextCheck(at: moment)].compactMap { $0 }.filter { $0 > moment }
                .min()
        }
        return lines
    }

    @Test(arguments: [
        (ReminderTiming.atOpen, "at_open 1 2026-05-04T10:00:00.000Z"),
        (.afterOpen(seconds: 1800), "after_open 1 2026-05-04T10:30:00.000Z"),
        (.beforeDue(seconds: 900), "before_due 1 2026-05-04T11:45:00.000Z"),
        (.beforeClose(seconds: 600), "before_close 1 2026-05-04T13:50:00.000Z"),
        // The window is shorter than that: not before it opens.
        (.beforeClose(seconds: 5 * 3600), "before_close 1 2026-05-04T10:00:00.000Z"),
        (.beforeDue(seconds: 5 * 3600), "before_due 1 2026-05-04T10:00:00.000Z"),
    ])
    func `a timing counts from its reference in the window`(rule: ReminderTiming, expected: String) throws {
        #expect(written(try planner([rule]).reminders(at: try at(Self.enrolled))) == [expected])
    }

    @Test func `no reminder is sent after the close`() throws {
        #expect(try planner([.afterOpen(seconds: 5 * 3600)]).reminders(at: try at(Self.enrolled)) == [])
    }

    @Test func `reminders of one kind have different ordinals`() throws {
        let found = try planner([.afterOpen(seconds: 600), .atOpen, .afterOpen(seconds: 1200)])

        #expect(
            try run(found, until: "2026-05-05T00:00:00Z") == [
                "10:00 at_open 1", "10:10 after_open 1", "10:20 after_open 2",
            ])
    }

    @Test(arguments: [
        // Postponed to the end of the quiet hours; dropped at the close and after it.
        (("09:00", "11:30"), ["11:30 at_open 1"]), (("09:00", "13:59"), ["13:59 at_open 1"]),
        (("09:00", "14:00"), []), (("22:00", "09:00"), ["10:00 at_open 1"]),
        (("09:00", "10:00"), ["10:00 at_open 1"]),
    ])
    func `no reminder is sent in quiet hours`(quiet: (String, String), expected: [String]) throws {
        #expect(try run(planner([.atOpen], quiet: quiet), until: "2026-05-05T00:00:00Z") == expected)
    }

    @Test func `quiet hours use the participant's zone`() throws {
        // 10:00 in UTC is 19:00 in Tokyo, where quiet hours are from 18:30 to 20:00.
        let found = try planner([.atOpen], quiet: ("18:30", "20:00"), zone: try zone("Asia/Tokyo"))

        #expect(written(found.reminders(at: try at(Self.enrolled))) == ["at_open 1 2026-05-04T11:00:00.000Z"])
    }

    @Test func `reminders of the same moment are sent as one message, including the daily mail`() throws {
        let found = try planner(
            [.atOpen, .afterOpen(seconds: 600)], quiet: ("09:00", "11:00"), daily: "11:00",
            opens: ["2026-05-04T10:00:00Z", "2026-05-04T10:05:00Z"])

        let sent = try run(found, until: "2026-05-05T00:00:00Z")
        #expect(sent.count == 1)
        #expect(sent.first?.hasSuffix(", due_today 1") == true)
        #expect(found.upcomingMessages(after: try at(Self.enrolled), limit: 50).map(\.reminders.count) == [5])
        #expect(found.upcomingMessages(after: try at(Self.enrolled), limit: 50).first?.occasions.count == 2)
    }

    @Test func `messages above the daily maximum are not sent, and the next day starts at zero`() throws {
        let found = try planner(
            [.atOpen, .afterOpen(seconds: 600), .afterOpen(seconds: 1200)], most: 2,
            opens: ["2026-05-04T10:00:00Z", "2026-05-05T10:00:00Z"])

        #expect(
            try run(found, until: "2026-05-06T00:00:00Z") == [
                "10:00 at_open 1", "10:10 after_open 1", "10:20 not after_open 2",
                "10:00 at_open 1", "10:10 after_open 1", "10:20 not after_open 2",
            ])
        #expect(found.upcomingMessages(after: try at(Self.enrolled), limit: 50).count == 4)
    }

    @Test func `a snooze drops reminders before its end, and reminds at its end`() throws {
        var found = try planner([.afterOpen(seconds: 600), .beforeDue(seconds: 600)])
        let occasion = found.occasions[0].id
        found.snoozes = [
            Snooze(
                occasion: occasion, ordinal: 1, askedAt: try at("2026-05-04T10:05:00Z"),
                until: try at("2026-05-04T10:45:00Z"))
        ]
        #expect(try run(found, until: "2026-05-05T00:00:00Z") == ["10:45 snoozed 1", "11:50 before_due 1"])

        // Snoozed again before the end of the first snooze.
        found.snoozes.append(
            Snooze(
                occasion: occasion, ordinal: 2, askedAt: try at("2026-05-04T10:40:00Z"),
                until: try at("2026-05-04T13:00:00Z")))
        #expect(try run(found, until: "2026-05-05T00:00:00Z") == ["13:00 snoozed 2"])
    }

    @Test func `a snooze drops pending reminders that were not sent before it`() throws {
        var found = try planner([.atOpen])
        found.snoozes = [
            Snooze(
                occasion: found.occasions[0].id, ordinal: 1, askedAt: try at("2026-05-04T11:00:00Z"),
                until: try at("2026-05-04T12:00:00Z"))
        ]
        #expect(
            written(found.reminders(at: try at("2026-05-04T10:55:00Z"))) == [
                "at_open 1 2026-05-04T10:00:00.000Z"
            ])
        #expect(
            written(found.reminders(at: try at("2026-05-04T11:05:00Z"))) == [
                "snoozed 1 2026-05-04T12:00:00.000Z"
            ])
    }

    @Test func `only the last snooze counts, even if it is shorter`() throws {
        var found = try planner([.afterOpen(seconds: 900), .beforeClose(seconds: 3600)])
        let occasion = found.occasions[0].id
        found.snoozes = [
            Snooze(
                occasion: occasion, ordinal: 1, askedAt: try at("2026-05-04T10:05:00Z"),
                until: try at("2026-05-04T13:30:00Z")),
            Snooze(
                occasion: occasion, ordinal: 2, askedAt: try at("2026-05-04T10:10:00Z"),
                until: try at("2026-05-04T10:40:00Z")),
        ]
        #expect(
            try run(found, until: "2026-05-05T00:00:00Z") == [
                "10:40 snoozed 2", "13:00 before_close 1",
            ])
    }

    @Test func `a message that was opened or snoozed is not sent again`() throws {
        var found = try planner([.atOpen], resend: 1800)
        let sent = try at("2026-05-04T10:00:00Z")
        let key = ReminderKey(.atOpen, of: found.occasions[0], ordinal: 1)
        found.records = [
            ReminderRecord(key: key, message: MessageID(UUID()), claimedAt: sent, sentAt: sent)
        ]
        #expect(written(found.reminders(at: sent)) == ["resend 1 2026-05-04T10:30:00.000Z"])

        found.snoozes = [
            Snooze(
                occasion: found.occasions[0].id, ordinal: 1, askedAt: sent.adding(seconds: 600),
                until: sent.adding(seconds: 1200))
        ]
        #expect(
            written(found.reminders(at: sent.adding(seconds: 600))) == ["snoozed 1 2026-05-04T10:20:00.000Z"])
        found.snoozes = []
        found.records[0].openedAt = sent.adding(seconds: 60)
        #expect(found.reminders(at: sent) == [])
    }

    @Test func `a confirmation of a message or of its repetition ends the repetitions`() throws {
        var found = try planner([.atOpen, .afterOpen(seconds: 2 * 3600)], resend: 1800)
        let opening = try at("2026-05-04T10:00:00Z")
        let later = opening.adding(seconds: 1800)
        let occasion = found.occasions[0]
        func record(_ kind: ReminderKind, at moment: Instant) -> ReminderRecord {
            ReminderRecord(
                key: ReminderKey(kind, of: occasion, ordinal: 1), message: MessageID(UUID()),
                plannedAt: moment, claimedAt: moment, sentAt: moment)
        }
        found.records = [record(.atOpen, at: opening), record(.resend, at: later)]
        #expect(
            written(found.reminders(at: later)) == [
                "resend 2 2026-05-04T11:00:00.000Z", "after_open 1 2026-05-04T12:00:00.000Z",
            ])

        // The first message is opened after the second was sent.
        found.records[0].openedAt = later.adding(seconds: 60)
        #expect(written(found.reminders(at: later)) == ["after_open 1 2026-05-04T12:00:00.000Z"])
        // The next message is independent.
        let noon = try at("2026-05-04T12:00:00Z")
        found.records.append(record(.afterOpen, at: noon))
        #expect(written(found.reminders(at: noon)) == ["resend 2 2026-05-04T12:30:00.000Z"])
    }

    @Test func `a suppressed message does not count for its day`() throws {
        var found = try planner([.atOpen])
        let moment = try at("2026-05-04T10:00:00Z")
        let key = ReminderKey(.atOpen, of: found.occasions[0], ordinal: 1)
        found.records = [ReminderRecord(key: key, message: MessageID(UUID()), claimedAt: moment)]
        let date = found.zone.local(of: moment).date
        #expect(found.messageCount(on: date) == 1)
        found.records[0].isUnsent = true
        #expect(found.messageCount(on: date) == 0)
    }

    @Test func `a new reminder changes the ordinals of later ones, and no reminder is sent twice`() throws {
        let sent = try at("2026-05-04T10:30:00Z")
        var found = try planner([.afterOpen(seconds: 1800)])
        found.records = found.reminders(at: sent).map {
            ReminderRecord(
                key: $0.key, message: MessageID(UUID()), plannedAt: $0.at, claimedAt: sent, sentAt: sent)
        }
        found.study.schedules[0].reminders = [
            .afterOpen(seconds: 600), .afterOpen(seconds: 1800), .afterOpen(seconds: 3600),
        ]

        #expect(written(found.reminders(at: sent)) == ["after_open 3 2026-05-04T11:00:00.000Z"])
        // A suppressed message was never sent.
        found.records[0].isUnsent = true
        #expect(
            written(found.reminders(at: sent)) == [
                "after_open 2 2026-05-04T10:30:00.000Z", "after_open 3 2026-05-04T11:00:00.000Z",
            ])
    }

    @Test func `overdue reminders wait for the end of the quiet hours, unless the window is closed by then`()
        throws
    {
        let now = try at("2026-05-04T13:30:00Z")
        func decision(_ end: String) throws -> ReminderDecision {
            try planner([.atOpen], quiet: ("13:00", end)).decision(at: now, scheduledAt: now)
        }
        #expect(try decision("13:45") == ReminderDecision(next: try at("2026-05-04T13:45:00Z")))
        #expect(try decision("15:00") == ReminderDecision(next: nil))
    }

    @Test(arguments: [
        // Checked when scheduled, too early, and after the scheduled time.
        ("11:00", "11:00", 1), ("10:30", "10:00", 0), ("12:00", "11:30", 0),
    ])
    func `a daily mail is sent only by the check that was scheduled for it`(
        now: String, scheduledAt: String, count: Int
    ) throws {
        var found = try planner([], daily: "11:00")
        let (now, scheduledAt) = (
            try at("2026-05-04T\(now):00Z"), try at("2026-05-04T\(scheduledAt):00Z")
        )
        let sent = found.decision(at: now, scheduledAt: scheduledAt).send
        #expect(sent.map(\.key.kind) == Array(repeating: .dueToday, count: count))

        found.records = sent.map { ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now) }
        #expect(found.decision(at: now, scheduledAt: scheduledAt).send == [])
    }

    @Test func `a claimed daily mail is not planned again`() throws {
        var found = try planner([], daily: "11:00")
        let start = try at("2026-05-04T10:30:00Z")
        let ahead = found.upcomingMessages(after: start, limit: 50)
        #expect(ahead.map(\.at) == [try at("2026-05-04T11:00:00Z")])
        found.records = ahead.flatMap(\.reminders).map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: start)
        }
        #expect(found.upcomingMessages(after: start, limit: 50) == [])
    }

    @Test func `an unconfirmed message is sent again twice, with the configured delay`() throws {
        let found = try planner([.atOpen], resend: 1800)

        #expect(
            try run(found, until: "2026-05-05T00:00:00Z") == [
                "10:00 at_open 1", "10:30 resend 1", "11:00 resend 2",
            ])
        #expect(try run(found, until: "2026-05-05T00:00:00Z", confirms: true) == ["10:00 at_open 1"])
    }

    @Test
    func
        `there are no reminders of occasions that opened before the enrolment, are answered or are excluded`()
        throws
    {
        var found = try planner([.atOpen, .afterOpen(seconds: 1800)])
        found.enrolledAt = try at("2026-05-04T10:15:00Z")
        #expect(written(found.reminders(at: found.enrolledAt)) == ["after_open 1 2026-05-04T10:30:00.000Z"])

        found.occasions[0].exclusion = .cancelled
        #expect(found.reminders(at: found.enrolledAt) == [])
        found.occasions[0].exclusion = nil
        found.occasions[0].completedAt = try at("2026-05-04T10:20:00Z")
        #expect(found.reminders(at: found.enrolledAt) == [])
    }

    @Test(arguments: [
        // Before, at and after the time of the second reminder.
        ("10:29", ["after_open 1"]), ("10:30", ["after_open 1"]), ("10:31", []),
    ])
    func `reminders before the participant followed the version are not sent afterwards`(
        followed: String, expected: [String]
    ) throws {
        var found = try planner([.atOpen, .afterOpen(seconds: 1800)])
        found.followedFrom = try at("2026-05-04T\(followed):00Z")

        let kinds = found.reminders(at: try at("2026-05-04T10:45:00Z")).map {
            "\($0.key.kind.rawValue) \($0.key.ordinal)"
        }

        #expect(kinds == expected)
    }

    @Test(arguments: [
        // Pending since before, since the time of the second reminder, and since the change of version.
        ("10:00", ["at_open 1", "after_open 1"]), ("10:30", ["after_open 1"]), ("10:40", []),
    ])
    func `pending reminders are sent after a change of version`(
        since: String, expected: [String]
    ) throws {
        var found = try planner([.atOpen, .afterOpen(seconds: 1800)])
        found.followedFrom = try at("2026-05-04T10:40:00Z")
        found.pendingCheckAt = try at("2026-05-04T\(since):00Z")

        let kinds = found.reminders(at: try at("2026-05-04T10:45:00Z")).map {
            "\($0.key.kind.rawValue) \($0.key.ordinal)"
        }

        #expect(kinds == expected)
    }

    @Test func `reminders that quiet hours postpone beyond the change of version are sent`() throws {
        var found = try planner([.atOpen], quiet: ("09:00", "11:30"))
        found.followedFrom = try at("2026-05-04T11:00:00Z")

        #expect(written(found.reminders(at: found.followedFrom)) == ["at_open 1 2026-05-04T11:30:00.000Z"])
    }

    @Test func `overdue reminders are sent until they expire`() throws {
        let found = try planner([.atOpen, .afterOpen(seconds: 600)])
        let late = try at("2026-05-04T13:59:00Z")

        let decision = found.decision(at: late, scheduledAt: try at("2026-05-04T10:00:00Z"))

        #expect(decision.send.map(\.key.kind) == [.atOpen, .afterOpen])
        let over = found.decision(at: try at("2026-05-04T14:00:00Z"), scheduledAt: late)
        #expect(over == ReminderDecision(next: nil))
    }

    @Test func `in a pause nothing is sent, and overdue reminders do not cause a check`() throws {
        var found = try planner([.atOpen, .beforeClose(seconds: 600)])
        found.isMuted = true
        let during = try at("2026-05-04T11:00:00Z")

        #expect(found.decision(at: during, scheduledAt: during).send == [])
        #expect(found.nextCheck(at: during) == (try at("2026-05-04T13:50:00Z")))
        #expect(found.upcomingMessages(after: during, limit: 50) == [])
    }

    @Test func `the planned messages end at the limit and do not include claimed reminders`() throws {
        let days = (4...30).map { "2026-05-\($0 < 10 ? "0" : "")\($0)T10:00:00Z" }
        var found = try planner(
            [.atOpen, .beforeDue(seconds: 600), .beforeClose(seconds: 600)], opens: days)
        let start = try at(Self.enrolled)

        #expect(found.upcomingMessages(after: start, limit: 50).count == 50)
        #expect(found.upcomingMessages(after: start, limit: 500).count == 81)
        let first = try #require(found.reminders(at: start).first)
        found.records = [ReminderRecord(key: first.key, message: MessageID(UUID()), claimedAt: start)]
        #expect(found.upcomingMessages(after: start, limit: 500).count == 80)
    }

    @Test func `a study without reminders has one planned message per opening`() throws {
        var found = try planner([.atOpen])
        found.study.reminder = nil

        #expect(found.nextCheck(at: try at(Self.enrolled)) == nil)
        #expect(
            found.upcomingMessages(after: try at(Self.enrolled), limit: 50).map(\.at) == [
                try at("2026-05-04T10:00:00Z")
            ])
    }
}
