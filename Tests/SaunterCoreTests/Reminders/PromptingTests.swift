import Foundation
import Testing

@testable import SaunterCore

@Suite("Prompting")
struct PromptingTests {
    static let enrolled = "2026-05-01T00:00:00Z"

    /// An occasion open from 10:00 to 14:00 and due at 12:00, unless told otherwise; no quiet hours and no daily mail, unless told.
    private func prompting(
        _ rules: [PromptRule], quiet: (String, String) = ("00:00", "00:00"), most: Int? = nil,
        resend: Int? = nil, daily: String? = nil, zone: Zone = .utc,
        opens: [String] = ["2026-05-04T10:00:00Z"]
    ) throws -> Prompting {
        var schedule = Sample.schedule(slots: [try Sample.slot("10:00", due: 2 * hour, close: 4 * hour)])
        schedule.prompts = rules
        var study = Sample.study([schedule])
        study.reminder = ReminderRule(
            at: try daily.map { try time($0) }, quietFrom: try time(quiet.0), quietTo: try time(quiet.1),
            mostPerDay: most, resendAfter: resend)
        let occasions = try opens.enumerated().map { Sample.occasion($0, open: try at($1), zone: zone) }
        return Prompting(
            study: study, occasions: occasions, zone: zone, enrolledAt: try at(Self.enrolled),
            plannedThrough: .maximum)
    }

    private func written(_ prompts: [Prompt]) -> [String] {
        prompts.map { "\($0.key.kind.rawValue) \($0.key.ordinal) \($0.at)" }
    }

    /// What is sent, one line a message, when somebody looks at each moment that was asked for.
    private func run(
        _ prompting: Prompting, until end: String, confirms: Bool = false
    ) throws -> [String] {
        var prompting = prompting
        var lines: [String] = []
        var next = prompting.next(at: try at(Self.enrolled))
        for _ in 0..<200 {
            guard let moment = next, moment < (try at(end)) else { break }
            let decision = prompting.decision(at: moment, waitedFor: moment)
            let message = MessageID(UUID())
            for (prompts, held) in [(decision.send, false), (decision.drop, true)] where !prompts.isEmpty {
                prompting.records += prompts.map {
                    ReminderRecord(
                        key: $0.key, message: message, claimedAt: moment, isUnsent: held,
                        sentAt: held ? nil : moment, deliveredAt: confirms && !held ? moment : nil)
                }
                let kinds = prompts.map { "\($0.key.kind.rawValue) \($0.key.ordinal)" }.joined(
                    separator: ", ")
                lines.append("\(prompting.zone.local(of: moment).time) \(held ? "not " : "")\(kinds)")
            }
            // Sent messages can bring others about.
            next = [decision.next, prompting.next(at: moment)].compactMap { $0 }.filter { $0 > moment }.min()
        }
        return lines
    }

    @Test(arguments: [
        (PromptRule.atOpen, "at_open 1 2026-05-04T10:00:00.000Z"),
        (.afterOpen(seconds: 1800), "after_open 1 2026-05-04T10:30:00.000Z"),
        (.beforeDue(seconds: 900), "before_due 1 2026-05-04T11:45:00.000Z"),
        (.beforeClose(seconds: 600), "before_close 1 2026-05-04T13:50:00.000Z"),
        // The window is shorter than that: not before it opens.
        (.beforeClose(seconds: 5 * 3600), "before_close 1 2026-05-04T10:00:00.000Z"),
        (.beforeDue(seconds: 5 * 3600), "before_due 1 2026-05-04T10:00:00.000Z"),
    ])
    func `a rule counts from its place in the window`(rule: PromptRule, expected: String) throws {
        #expect(written(try prompting([rule]).prompts(at: try at(Self.enrolled))) == [expected])
    }

    @Test func `nothing is said of what is closed by then`() throws {
        #expect(try prompting([.afterOpen(seconds: 5 * 3600)]).prompts(at: try at(Self.enrolled)) == [])
    }

    @Test func `rules of one kind are told apart by their ordinals`() throws {
        let found = try prompting([.afterOpen(seconds: 600), .atOpen, .afterOpen(seconds: 1200)])

        #expect(
            try run(found, until: "2026-05-05T00:00:00Z") == [
                "10:00 at_open 1", "10:10 after_open 1", "10:20 after_open 2",
            ])
    }

    @Test(arguments: [
        // Moved to the end of the quiet hours; dropped at the close and after it.
        (("09:00", "11:30"), ["11:30 at_open 1"]), (("09:00", "13:59"), ["13:59 at_open 1"]),
        (("09:00", "14:00"), []), (("22:00", "09:00"), ["10:00 at_open 1"]),
        (("09:00", "10:00"), ["10:00 at_open 1"]),
    ])
    func `nothing is said in quiet hours`(quiet: (String, String), expected: [String]) throws {
        #expect(try run(prompting([.atOpen], quiet: quiet), until: "2026-05-05T00:00:00Z") == expected)
    }

    @Test func `quiet hours are the participant's`() throws {
        // 10:00 in UTC is 19:00 in Tokyo, where it is quiet from 18:30 to 20:00.
        let found = try prompting([.atOpen], quiet: ("18:30", "20:00"), zone: try zone("Asia/Tokyo"))

        #expect(written(found.prompts(at: try at(Self.enrolled))) == ["at_open 1 2026-05-04T11:00:00.000Z"])
    }

    @Test func `what comes at one moment goes out as one message, the daily mail with it`() throws {
        let found = try prompting(
            [.atOpen, .afterOpen(seconds: 600)], quiet: ("09:00", "11:00"), daily: "11:00",
            opens: ["2026-05-04T10:00:00Z", "2026-05-04T10:05:00Z"])

        let sent = try run(found, until: "2026-05-05T00:00:00Z")
        #expect(sent.count == 1)
        #expect(sent.first?.hasSuffix(", due_today 1") == true)
        #expect(found.ahead(of: try at(Self.enrolled), limit: 50).map(\.prompts.count) == [5])
        #expect(found.ahead(of: try at(Self.enrolled), limit: 50).first?.occasions.count == 2)
    }

    @Test func `messages over the day's count stay unsent, and the next day counts anew`() throws {
        let found = try prompting(
            [.atOpen, .afterOpen(seconds: 600), .afterOpen(seconds: 1200)], most: 2,
            opens: ["2026-05-04T10:00:00Z", "2026-05-05T10:00:00Z"])

        #expect(
            try run(found, until: "2026-05-06T00:00:00Z") == [
                "10:00 at_open 1", "10:10 after_open 1", "10:20 not after_open 2",
                "10:00 at_open 1", "10:10 after_open 1", "10:20 not after_open 2",
            ])
        #expect(found.ahead(of: try at(Self.enrolled), limit: 50).count == 4)
    }

    @Test func `a snooze holds back what comes before its end, and reminds then`() throws {
        var found = try prompting([.afterOpen(seconds: 600), .beforeDue(seconds: 600)])
        let occasion = found.occasions[0].id
        found.snoozes = [
            Snooze(
                occasion: occasion, ordinal: 1, askedAt: try at("2026-05-04T10:05:00Z"),
                until: try at("2026-05-04T10:45:00Z"))
        ]
        #expect(try run(found, until: "2026-05-05T00:00:00Z") == ["10:45 snoozed 1", "11:50 before_due 1"])

        // Put off again before the first has come.
        found.snoozes.append(
            Snooze(
                occasion: occasion, ordinal: 2, askedAt: try at("2026-05-04T10:40:00Z"),
                until: try at("2026-05-04T13:00:00Z")))
        #expect(try run(found, until: "2026-05-05T00:00:00Z") == ["13:00 snoozed 2"])
    }

    @Test func `a snooze holds back what nobody had sent when it was asked for`() throws {
        var found = try prompting([.atOpen])
        found.snoozes = [
            Snooze(
                occasion: found.occasions[0].id, ordinal: 1, askedAt: try at("2026-05-04T11:00:00Z"),
                until: try at("2026-05-04T12:00:00Z"))
        ]
        #expect(
            written(found.prompts(at: try at("2026-05-04T10:55:00Z"))) == [
                "at_open 1 2026-05-04T10:00:00.000Z"
            ])
        #expect(
            written(found.prompts(at: try at("2026-05-04T11:05:00Z"))) == [
                "snoozed 1 2026-05-04T12:00:00.000Z"
            ])
    }

    @Test func `of several snoozes the last counts, a shorter one too`() throws {
        var found = try prompting([.afterOpen(seconds: 900), .beforeClose(seconds: 3600)])
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

    @Test func `what was opened, or put off since, goes out no more`() throws {
        var found = try prompting([.atOpen], resend: 1800)
        let sent = try at("2026-05-04T10:00:00Z")
        let key = PromptKey(.atOpen, of: found.occasions[0], ordinal: 1)
        found.records = [
            ReminderRecord(key: key, message: MessageID(UUID()), claimedAt: sent, sentAt: sent)
        ]
        #expect(written(found.prompts(at: sent)) == ["resend 1 2026-05-04T10:30:00.000Z"])

        found.snoozes = [
            Snooze(
                occasion: found.occasions[0].id, ordinal: 1, askedAt: sent.adding(seconds: 600),
                until: sent.adding(seconds: 1200))
        ]
        #expect(
            written(found.prompts(at: sent.adding(seconds: 600))) == ["snoozed 1 2026-05-04T10:20:00.000Z"])
        found.snoozes = []
        found.records[0].openedAt = sent.adding(seconds: 60)
        #expect(found.prompts(at: sent) == [])
    }

    @Test func `who confirms a message or its repetition is told of it no more`() throws {
        var found = try prompting([.atOpen, .afterOpen(seconds: 2 * 3600)], resend: 1800)
        let opening = try at("2026-05-04T10:00:00Z")
        let later = opening.adding(seconds: 1800)
        let occasion = found.occasions[0]
        func record(_ kind: PromptKind, at moment: Instant) -> ReminderRecord {
            ReminderRecord(
                key: PromptKey(kind, of: occasion, ordinal: 1), message: MessageID(UUID()),
                plannedAt: moment, claimedAt: moment, sentAt: moment)
        }
        found.records = [record(.atOpen, at: opening), record(.resend, at: later)]
        #expect(
            written(found.prompts(at: later)) == [
                "resend 2 2026-05-04T11:00:00.000Z", "after_open 1 2026-05-04T12:00:00.000Z",
            ])

        // The first of both is opened after the second went out.
        found.records[0].openedAt = later.adding(seconds: 60)
        #expect(written(found.prompts(at: later)) == ["after_open 1 2026-05-04T12:00:00.000Z"])
        // The next message is one of its own.
        let noon = try at("2026-05-04T12:00:00Z")
        found.records.append(record(.afterOpen, at: noon))
        #expect(written(found.prompts(at: noon)) == ["resend 2 2026-05-04T12:30:00.000Z"])
    }

    @Test func `what was held back is no message of its day`() throws {
        var found = try prompting([.atOpen])
        let moment = try at("2026-05-04T10:00:00Z")
        let key = PromptKey(.atOpen, of: found.occasions[0], ordinal: 1)
        found.records = [ReminderRecord(key: key, message: MessageID(UUID()), claimedAt: moment)]
        let date = found.zone.local(of: moment).date
        #expect(found.messages(on: date) == 1)
        found.records[0].isUnsent = true
        #expect(found.messages(on: date) == 0)
    }

    @Test func `a rule before another moves it to another place, and nobody is told twice`() throws {
        let sent = try at("2026-05-04T10:30:00Z")
        var found = try prompting([.afterOpen(seconds: 1800)])
        found.records = found.prompts(at: sent).map {
            ReminderRecord(
                key: $0.key, message: MessageID(UUID()), plannedAt: $0.at, claimedAt: sent, sentAt: sent)
        }
        found.study.schedules[0].prompts = [
            .afterOpen(seconds: 600), .afterOpen(seconds: 1800), .afterOpen(seconds: 3600),
        ]

        #expect(written(found.prompts(at: sent)) == ["after_open 3 2026-05-04T11:00:00.000Z"])
        // What was held back was never told.
        found.records[0].isUnsent = true
        #expect(
            written(found.prompts(at: sent)) == [
                "after_open 2 2026-05-04T10:30:00.000Z", "after_open 3 2026-05-04T11:00:00.000Z",
            ])
    }

    @Test func `in quiet hours what nobody sent waits for their end, unless it is closed by then`() throws {
        let now = try at("2026-05-04T13:30:00Z")
        func decision(_ end: String) throws -> ReminderDecision {
            try prompting([.atOpen], quiet: ("13:00", end)).decision(at: now, waitedFor: now)
        }
        #expect(try decision("13:45") == ReminderDecision(next: try at("2026-05-04T13:45:00Z")))
        #expect(try decision("15:00") == ReminderDecision(next: nil))
    }

    @Test(arguments: [
        // Looked at when it was waited for, too early, and after it was waited for.
        ("11:00", "11:00", 1), ("10:30", "10:00", 0), ("12:00", "11:30", 0),
    ])
    func `a daily mail goes out when its hour was waited for`(
        now: String, waitedFor: String, count: Int
    ) throws {
        var found = try prompting([], daily: "11:00")
        let (now, waitedFor) = (
            try at("2026-05-04T\(now):00Z"), try at("2026-05-04T\(waitedFor):00Z")
        )
        let sent = found.decision(at: now, waitedFor: waitedFor).send
        #expect(sent.map(\.key.kind) == Array(repeating: .dueToday, count: count))

        found.records = sent.map { ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now) }
        #expect(found.decision(at: now, waitedFor: waitedFor).send == [])
    }

    @Test func `a daily mail that was claimed is not ahead`() throws {
        var found = try prompting([], daily: "11:00")
        let start = try at("2026-05-04T10:30:00Z")
        let ahead = found.ahead(of: start, limit: 50)
        #expect(ahead.map(\.at) == [try at("2026-05-04T11:00:00Z")])
        found.records = ahead.flatMap(\.prompts).map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: start)
        }
        #expect(found.ahead(of: start, limit: 50) == [])
    }

    @Test func `what no device confirms goes out twice more, spaced`() throws {
        let found = try prompting([.atOpen], resend: 1800)

        #expect(
            try run(found, until: "2026-05-05T00:00:00Z") == [
                "10:00 at_open 1", "10:30 resend 1", "11:00 resend 2",
            ])
        #expect(try run(found, until: "2026-05-05T00:00:00Z", confirms: true) == ["10:00 at_open 1"])
    }

    @Test func `nobody is reminded of what opened before they enrolled, what is answered or set aside`()
        throws
    {
        var found = try prompting([.atOpen, .afterOpen(seconds: 1800)])
        found.enrolledAt = try at("2026-05-04T10:15:00Z")
        #expect(written(found.prompts(at: found.enrolledAt)) == ["after_open 1 2026-05-04T10:30:00.000Z"])

        found.occasions[0].setAside = .cancelled
        #expect(found.prompts(at: found.enrolledAt) == [])
        found.occasions[0].setAside = nil
        found.occasions[0].completedAt = try at("2026-05-04T10:20:00Z")
        #expect(found.prompts(at: found.enrolledAt) == [])
    }

    @Test(arguments: [
        // Before, at and after the moment of the second rule.
        ("10:29", ["after_open 1"]), ("10:30", ["after_open 1"]), ("10:31", []),
    ])
    func `what a version would have said before somebody followed it is not made up for`(
        followed: String, expected: [String]
    ) throws {
        var found = try prompting([.atOpen, .afterOpen(seconds: 1800)])
        found.followedFrom = try at("2026-05-04T\(followed):00Z")

        let kinds = found.prompts(at: try at("2026-05-04T10:45:00Z")).map {
            "\($0.key.kind.rawValue) \($0.key.ordinal)"
        }

        #expect(kinds == expected)
    }

    @Test(arguments: [
        // Waited for since before, since the second rule's moment, and since the version is followed.
        ("10:00", ["at_open 1", "after_open 1"]), ("10:30", ["after_open 1"]), ("10:40", []),
    ])
    func `what waited to go out when a version came to be followed goes out`(
        since: String, expected: [String]
    ) throws {
        var found = try prompting([.atOpen, .afterOpen(seconds: 1800)])
        found.followedFrom = try at("2026-05-04T10:40:00Z")
        found.waitingSince = try at("2026-05-04T\(since):00Z")

        let kinds = found.prompts(at: try at("2026-05-04T10:45:00Z")).map {
            "\($0.key.kind.rawValue) \($0.key.ordinal)"
        }

        #expect(kinds == expected)
    }

    @Test func `what quiet hours hold back until after a version is followed goes out`() throws {
        var found = try prompting([.atOpen], quiet: ("09:00", "11:30"))
        found.followedFrom = try at("2026-05-04T11:00:00Z")

        #expect(written(found.prompts(at: found.followedFrom)) == ["at_open 1 2026-05-04T11:30:00.000Z"])
    }

    @Test func `what nobody sent in time goes out while it is of use`() throws {
        let found = try prompting([.atOpen, .afterOpen(seconds: 600)])
        let late = try at("2026-05-04T13:59:00Z")

        let decision = found.decision(at: late, waitedFor: try at("2026-05-04T10:00:00Z"))

        #expect(decision.send.map(\.key.kind) == [.atOpen, .afterOpen])
        let over = found.decision(at: try at("2026-05-04T14:00:00Z"), waitedFor: late)
        #expect(over == ReminderDecision(next: nil))
    }

    @Test func `in a break nothing goes out, and nobody looks at what has passed`() throws {
        var found = try prompting([.atOpen, .beforeClose(seconds: 600)])
        found.isSilent = true
        let during = try at("2026-05-04T11:00:00Z")

        #expect(found.decision(at: during, waitedFor: during).send == [])
        #expect(found.next(at: during) == (try at("2026-05-04T13:50:00Z")))
        #expect(found.ahead(of: during, limit: 50) == [])
    }

    @Test func `the list ahead is cut at its limit and leaves out what was claimed`() throws {
        let days = (4...30).map { "2026-05-\($0 < 10 ? "0" : "")\($0)T10:00:00Z" }
        var found = try prompting(
            [.atOpen, .beforeDue(seconds: 600), .beforeClose(seconds: 600)], opens: days)
        let start = try at(Self.enrolled)

        #expect(found.ahead(of: start, limit: 50).count == 50)
        #expect(found.ahead(of: start, limit: 500).count == 81)
        let first = try #require(found.prompts(at: start).first)
        found.records = [ReminderRecord(key: first.key, message: MessageID(UUID()), claimedAt: start)]
        #expect(found.ahead(of: start, limit: 500).count == 80)
    }

    @Test func `a study without reminders lists its openings`() throws {
        var found = try prompting([.atOpen])
        found.study.reminder = nil

        #expect(found.next(at: try at(Self.enrolled)) == nil)
        #expect(
            found.ahead(of: try at(Self.enrolled), limit: 50).map(\.at) == [try at("2026-05-04T10:00:00Z")])
    }
}
