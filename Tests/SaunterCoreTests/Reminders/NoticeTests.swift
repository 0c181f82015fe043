import Foundation
import Testing

@testable import SaunterCore

@Suite("Notices")
struct NoticeTests {
    private static let day = 86_400

    private func prompting(
        _ notice: NoticeRule, _ facts: NoticeFacts = NoticeFacts(),
        quiet: (String, String) = ("00:00", "00:00")
    ) throws -> Prompting {
        var study = Sample.study([
            Sample.schedule(slots: [try Sample.slot("10:00", due: hour, close: hour)])
        ])
        study.reminder = ReminderRule(at: nil, quietFrom: try time(quiet.0), quietTo: try time(quiet.1))
        study.notices = [notice]
        return Prompting(
            study: study, occasions: [], zone: .utc, enrolledAt: try at("2026-05-01T12:00:00Z"),
            plannedThrough: .maximum, facts: facts)
    }

    private func written(_ prompts: [Prompt]) -> [String] {
        prompts.map { "\($0.key.ordinal) \($0.at)" }
    }

    private static let silence = NoticeRule(
        code: "come_back", trigger: .inactivity, firstAfter: 7 * day, repeatEvery: 3 * day, most: 3)

    @Test
    func `silence counts from the last that came, else from the enrolment, and ends at its count`()
        throws
    {
        #expect(
            written(try prompting(Self.silence).notices()) == [
                "1 2026-05-08T12:00:00.000Z", "2 2026-05-11T12:00:00.000Z", "3 2026-05-14T12:00:00.000Z",
            ])
        let heard = NoticeFacts(lastActivity: try at("2026-05-03T08:00:00Z"))
        #expect(
            written(try prompting(Self.silence, heard).notices()) == [
                "1 2026-05-10T08:00:00.000Z", "2 2026-05-13T08:00:00.000Z", "3 2026-05-16T08:00:00.000Z",
            ])
    }

    @Test func `the first notice of a silence is looked for when it began`() throws {
        let visit = NoticeRule(code: "next", trigger: .event("visit"), firstAfter: Self.day)
        var soon = Self.silence
        soon.firstAfter = 2 * Self.day
        var study = try prompting(Self.silence).study
        study.notices = [visit, Self.silence, soon]
        let start = try at("2026-05-03T08:00:00Z")
        #expect(study.firstNotice(ofSilenceSince: start) == (try at("2026-05-05T08:00:00Z")))

        study.notices = [visit]
        #expect(study.firstNotice(ofSilenceSince: start) == nil)
        study.notices = [soon]
        study.reminder = nil
        #expect(study.firstNotice(ofSilenceSince: start) == nil)
    }

    @Test func `a notice of before a version was followed is not made up for, and later ones come`() throws {
        var found = try prompting(Self.silence)
        let now = try at("2026-05-09T12:00:00Z")
        found.followedFrom = now
        #expect(
            written(found.prompts(at: now)) == ["2 2026-05-11T12:00:00.000Z", "3 2026-05-14T12:00:00.000Z"])

        // It waited to go out when the version came.
        found.waitingSince = try at("2026-05-08T12:00:00Z")
        #expect(found.prompts(at: now).map(\.key.ordinal) == [1, 2, 3])
    }

    @Test
    func `a new spell of silence has notices of its own, and one that was claimed comes no more`()
        throws
    {
        var first = try prompting(Self.silence)
        let now = try at("2026-05-08T12:00:00Z")
        let sent = first.decision(at: now, waitedFor: now).send
        #expect(sent.map(\.key.noticeCode) == ["come_back"])
        first.records = sent.map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now)
        }
        #expect(first.next(at: now) == (try at("2026-05-11T12:00:00Z")))

        first.facts.lastActivity = try at("2026-05-09T00:00:00Z")
        #expect(first.next(at: now) == (try at("2026-05-16T00:00:00Z")))
    }

    @Test func `what becomes known late does not say again what was said of that silence`() throws {
        var found = try prompting(Self.silence)
        let nominal = try at("2026-05-08T12:00:00Z")
        // It went out an hour late.
        let now = nominal.adding(seconds: hour)
        found.records = found.decision(at: now, waitedFor: nominal).send.map {
            ReminderRecord(
                key: $0.key, message: MessageID(UUID()), plannedAt: $0.at, claimedAt: now, sentAt: now)
        }
        #expect(found.records.map(\.plannedAt) == [nominal])
        #expect(
            written(found.prompts(at: now)) == ["2 2026-05-11T12:00:00.000Z", "3 2026-05-14T12:00:00.000Z"])

        // A device that was offline hands in what was done on the first day, and half an hour after the enrolment.
        found.facts.lastActivity = try at("2026-05-02T08:00:00Z")
        #expect(
            written(found.prompts(at: now)) == ["2 2026-05-12T08:00:00.000Z", "3 2026-05-15T08:00:00.000Z"])
        found.facts.lastActivity = try at("2026-05-01T12:30:00Z")
        #expect(
            written(found.prompts(at: now)) == ["2 2026-05-11T12:30:00.000Z", "3 2026-05-14T12:30:00.000Z"])

        // What was done shortly before the message begins a silence that has yet to be told of.
        found.facts.lastActivity = try at("2026-05-08T11:00:00Z")
        #expect(
            written(found.prompts(at: now)) == [
                "1 2026-05-15T11:00:00.000Z", "2 2026-05-18T11:00:00.000Z", "3 2026-05-21T11:00:00.000Z",
            ])
        // What was held back was said to nobody.
        found.facts.lastActivity = try at("2026-05-01T12:30:00Z")
        found.records[0].isUnsent = true
        #expect(found.prompts(at: now).map(\.key.ordinal) == [1, 2, 3])
    }

    @Test func `a message that quiet hours held back puts off no other of its silence`() throws {
        var rule = Self.silence
        rule.repeatEvery = 36 * hour
        var found = try prompting(rule, quiet: ("11:00", "15:30"))
        let now = try at("2026-05-08T15:30:00Z")
        found.records = found.decision(at: now, waitedFor: now).send.map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), plannedAt: $0.at, claimedAt: now)
        }
        #expect(found.records.count == 1)

        #expect(
            written(found.prompts(at: now)) == ["2 2026-05-10T00:00:00.000Z", "3 2026-05-11T15:30:00.000Z"])
    }

    @Test func `a break is no silence, and nothing is said in one`() throws {
        func moments(_ pauses: [(String, String?)], heard: String? = nil) throws -> [String] {
            let facts = NoticeFacts(
                lastActivity: try heard.map { try at($0) },
                pauses: try pauses.map { Pause(from: try at($0.0), to: try $0.1.map { try at($0) }) })
            return written(try prompting(Self.silence, facts).notices())
        }
        #expect(
            try moments([("2026-05-03T00:00:00Z", "2026-05-06T00:00:00Z")]) == [
                "1 2026-05-11T12:00:00.000Z", "2 2026-05-14T12:00:00.000Z", "3 2026-05-17T12:00:00.000Z",
            ])
        // Of one that lasts nobody knows when silence goes on.
        #expect(try moments([("2026-05-03T00:00:00Z", nil)]) == [])
        #expect(try moments([("2026-05-09T12:00:00Z", nil)]) == ["1 2026-05-08T12:00:00.000Z"])
        // What begins at the very moment of a notice holds it back; of two, both count.
        #expect(
            try moments([
                ("2026-05-08T12:00:00Z", "2026-05-09T12:00:00Z"),
                ("2026-05-10T12:00:00Z", "2026-05-11T18:00:00Z"),
            ]) == ["1 2026-05-09T12:00:00.000Z", "2 2026-05-13T18:00:00.000Z", "3 2026-05-16T18:00:00.000Z"])
        // Only what lies after the last sign of life counts.
        #expect(
            try moments(
                [
                    ("2026-05-02T00:00:00Z", "2026-05-03T00:00:00Z"),
                    ("2026-05-04T00:00:00Z", "2026-05-06T00:00:00Z"),
                ], heard: "2026-05-05T00:00:00Z"
            ).first == "1 2026-05-13T00:00:00.000Z")
    }

    @Test func `an event's notices count breaks as any other time`() throws {
        let rule = NoticeRule(code: "next", trigger: .event("visit"), firstAfter: 7 * Self.day)
        let facts = NoticeFacts(
            events: ["visit": try at("2026-05-02T12:00:00Z")],
            pauses: [Pause(from: try at("2026-05-03T00:00:00Z"), to: try at("2026-05-06T00:00:00Z"))])

        #expect(written(try prompting(rule, facts).notices()) == ["1 2026-05-09T12:00:00.000Z"])
    }

    @Test func `a correction of an event's time does not say again what was said of it`() throws {
        let rule = NoticeRule(
            code: "after_visit", trigger: .event("visit"), firstAfter: Self.day, repeatEvery: Self.day,
            most: 2)
        var found = try prompting(
            rule, NoticeFacts(events: ["visit": try at("2026-05-02T12:00:00Z")]))
        let now = try at("2026-05-03T12:00:00Z")
        found.records = found.decision(at: now, waitedFor: now).send.map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now, sentAt: now)
        }
        #expect(found.records.count == 1)

        found.facts.events["visit"] = try at("2026-05-02T18:00:00Z")
        #expect(written(found.prompts(at: now)) == ["2 2026-05-04T18:00:00.000Z"])
        // What happens after the message went out is another visit.
        found.facts.events["visit"] = try at("2026-05-03T12:00:01Z")
        #expect(
            written(found.prompts(at: now)) == ["1 2026-05-04T12:00:01.000Z", "2 2026-05-05T12:00:01.000Z"])
        // What was held back was said to nobody.
        found.facts.events["visit"] = try at("2026-05-02T18:00:00Z")
        found.records[0].isUnsent = true
        #expect(
            written(found.prompts(at: now)) == ["1 2026-05-03T18:00:00.000Z", "2 2026-05-04T18:00:00.000Z"])
    }

    @Test func `notices stand in the list ahead, without those that were claimed`() throws {
        var found = try prompting(Self.silence)
        let now = try at("2026-05-08T12:00:00Z")

        #expect(
            found.ahead(of: now, limit: 50).map(\.at) == [
                try at("2026-05-11T12:00:00Z"), try at("2026-05-14T12:00:00Z"),
            ])
        #expect(found.ahead(of: now, limit: 50).allSatisfy { $0.occasions.isEmpty })
        found.records = found.notices().map {
            ReminderRecord(key: $0.key, message: MessageID(UUID()), claimedAt: now)
        }
        #expect(found.ahead(of: now, limit: 50) == [])
    }

    @Test func `an event is counted from once it is told, and a sheet stops it`() throws {
        let rule = NoticeRule(
            code: "next", trigger: .event("training-finished"), firstAfter: Self.day, until: "evening")
        #expect(try prompting(rule).notices() == [])
        var facts = NoticeFacts(events: ["training-finished": try at("2026-05-10T09:00:00Z")])
        #expect(written(try prompting(rule, facts).notices()) == ["1 2026-05-11T09:00:00.000Z"])

        facts.completions = ["evening": try at("2026-05-10T08:59:59Z")]
        #expect(try prompting(rule, facts).notices().count == 1)
        facts.completions = ["evening": try at("2026-05-10T09:00:00Z")]
        #expect(try prompting(rule, facts).notices() == [])
    }

    @Test func `what happened before somebody enrolled is not noticed`() throws {
        let rule = NoticeRule(code: "next", trigger: .event("training-finished"), firstAfter: Self.day)
        func count(_ moment: String) throws -> Int {
            try prompting(rule, NoticeFacts(events: ["training-finished": try at(moment)])).notices().count
        }
        #expect(try count("2026-04-28T12:00:00Z") == 0)
        #expect(try count("2026-04-30T12:00:00Z") == 1)
    }

    @Test func `quiet hours move one, and the end of the study ends them all`() throws {
        let quiet = try prompting(Self.silence, quiet: ("11:00", "15:30"))
        #expect(written(quiet.notices()).first == "1 2026-05-08T15:30:00.000Z")

        // The study's last day is the 29th.
        let late = NoticeFacts(lastActivity: try at("2026-05-22T20:00:00Z"))
        #expect(written(try prompting(Self.silence, late).notices()) == ["1 2026-05-29T20:00:00.000Z"])
    }

    @Test func `a notice that nobody sent in time gives way to the next`() throws {
        let found = try prompting(Self.silence)
        let now = try at("2026-05-12T00:00:00Z")

        #expect(found.decision(at: now, waitedFor: now).send.map(\.key.ordinal) == [2])
    }
}
