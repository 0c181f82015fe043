import Foundation
import Postgres
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

/// Reminders of single occasions, tested with the store and the step.
@Suite struct OccasionReminderStepTests {
    private typealias Fixture = ReminderFixture

    private func drain(_ fixture: Fixture, at now: Instant) async throws -> [ReminderStep.Result] {
        try await Self.drain(fixture.step, at: now)
    }

    private static func drain(_ step: ReminderStep, at now: Instant) async throws -> [ReminderStep
        .Result]
    {
        var results: [ReminderStep.Result] = []
        while results.last != .idle { results.append(try await step.run(now: now)) }
        return Array(results.dropLast())
    }

    @Test func `each reminder is sent once at its time, and none in quiet hours`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")

            #expect(try await drain(fixture, at: Fixture.at(17, 59)) == [])
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(18)) == [])
            #expect(try await drain(fixture, at: Fixture.at(18, 30)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(2, day: 1)) == [])

            #expect(
                fixture.mailServer.sent.map(\.subject)
                    == Array(repeating: "1 until Sunday 22 November, 04:00", count: 2))
            #expect(fixture.mailServer.sent.map(\.text) == ["Ada", "Ada"])
            #expect(try await drain(fixture, at: Fixture.at(18, day: 1)) == [.sent])
        }
    }

    @Test func `an open occasion that a new version removed keeps its former reminders until it closes`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])

            try await fixture.publishSecondVersion(of: "per_occasion", at: Fixture.at(18, 10))

            #expect(try await fixture.store.listFirstRemindersDue() == [Fixture.at(18, 30)])
            #expect(try await drain(fixture, at: Fixture.at(18, 10)) == [])
            #expect(try await drain(fixture, at: Fixture.at(18, 30)) == [.sent])
            #expect(try await fixture.states() == ["sent", "sent"])
            #expect(try await drain(fixture, at: Fixture.at(18, 30, day: 1)) == [])
        }
    }

    @Test func `the daily mail includes an open occasion that a new version removed`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.publishSecondVersion(of: "walks", at: Fixture.at(18, 10))

            #expect(try await fixture.store.listFirstRemindersDue() == [Fixture.at(19)])
            #expect(try await drain(fixture, at: Fixture.at(19)) == [.sent])
            #expect(
                try await fixture.values(
                    "select kind || ' ' || occasion_count::text as value from research.reminder") == [
                        "due_today 1"
                    ])
        }
    }

    @Test func `an unconfirmed reminder is resent at most twice`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "resending")

            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            #expect(try await fixture.store.listFirstRemindersDue() == [Fixture.at(19)])
            #expect(try await drain(fixture, at: Fixture.at(18, 59)) == [])
            #expect(try await drain(fixture, at: Fixture.at(19)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(20)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(21)).filter { $0 == .sent } == [])

            #expect(fixture.mailServer.sent.count == 3)
            #expect(try await fixture.store.listFirstRemindersDue() == [Fixture.at(18, day: 1)])
        }
    }

    @Test func `a confirmed reminder is not resent`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "resending")
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            _ = try await fixture.owner.query(
                Statement(name: "confirm", sql: "update research.reminder set delivered_at = claimed_at"), [])

            #expect(try await drain(fixture, at: Fixture.at(19)).filter { $0 == .sent } == [])

            #expect(try await fixture.store.listFirstRemindersDue() == [Fixture.at(18, day: 1)])
        }
    }

    @Test func `after downtime, the missed reminders of an open occasion are sent as one message`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")

            #expect(try await drain(fixture, at: Fixture.at(21)) == [.sent])

            #expect(fixture.mailServer.sent.count == 1)
            #expect(try await fixture.states() == ["sent", "sent"])
        }
    }

    @Test func `the daily maximum counts messages that may have been sent, and not failed ones`() async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "daily_maximum")
            fixture.mailServer.answerNext(.permanentFailure(code: 550), .accepted, .unknown)

            #expect(try await drain(fixture, at: Fixture.at(18)) == [.failed])
            #expect(try await drain(fixture, at: Fixture.at(18, 30)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(18, day: 1)) == [.unknown])
            #expect(try await drain(fixture, at: Fixture.at(18, 30, day: 1)) == [.nothingDue])

            #expect(
                try await fixture.states().sorted() == [
                    "failed refused", "sent", "suppressed daily_cap", "unknown connection_lost",
                ])
        }
    }

    @Test func `two concurrent workers send each message once`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<5 { try await fixture.enrol(in: "per_occasion") }

            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { [step = fixture.step] in
                        _ = try await Self.drain(step, at: Fixture.at(18))
                    }
                }
                try await group.waitForAll()
            }

            #expect(Set(fixture.mailServer.sent.map(\.to)).count == 5)
            #expect(fixture.mailServer.sent.count == 5)
        }
    }

    @Test func `a retry contains all reminders of the message and has the same message id`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))

            #expect(try await drain(fixture, at: Fixture.at(19)) == [.retrying])
            #expect(
                try await fixture.states() == ["retrying temporary_failure", "retrying temporary_failure"])
            #expect(try await drain(fixture, at: Fixture.at(19, 1)) == [.sent])

            #expect(Set(fixture.mailServer.sent.map(\.messageID)).count == 1)
            #expect(try await fixture.states() == ["sent", "sent"])
        }
    }

    @Test
    func `a message whose retry would be after quiet hours and after the close fails`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))

            // One minute later, quiet hours begin. They end after the occasion closes.
            #expect(try await drain(fixture, at: Fixture.at(21, 59)) == [.failed])
        }
    }

    @Test func `a late retry waits for the end of quiet hours`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "long_window")
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))

            #expect(try await drain(fixture, at: Fixture.at(21, 58)) == [.retrying])
            // No worker made the retry in time.
            #expect(try await drain(fixture, at: Fixture.at(22, 30)) == [.retrying])
            #expect(try await drain(fixture, at: Fixture.at(23)) == [])
            #expect(fixture.mailServer.sent.count == 1)
            #expect(try await drain(fixture, at: Fixture.at(7, day: 1)) == [.sent])
        }
    }

    @Test func `a retry for an occasion that was snoozed meanwhile is suppressed until the snooze ends`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.retrying])
            let occasion = try #require(
                try await fixture.store.findParticipantState(id, now: Fixture.at(18))?.occasions.first {
                    $0.state(at: Fixture.at(18)) == .open
                })
            try await fixture.store.snooze(
                occasion.id, of: id, until: Fixture.at(20), study: Fixture.perOccasion, now: Fixture.at(18))

            #expect(try await drain(fixture, at: Fixture.at(18, 1)) == [.suppressed])
            #expect(try await drain(fixture, at: Fixture.at(20)) == [.sent])

            #expect(fixture.mailServer.sent.count == 2)
            #expect(try await fixture.states() == ["suppressed snoozed", "sent"])
        }
    }

    @Test func `a message expires with its last occasion, and a retry contains only open occasions`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "two_windows")
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))

            let first = Fixture.at(18, 59).adding(seconds: 30)
            #expect(try await drain(fixture, at: first) == [.retrying])
            #expect(try await drain(fixture, at: Fixture.at(19, 5)) == [.sent])

            #expect(fixture.mailServer.sent.map { $0.subject.prefix(2) } == ["2 ", "1 "])
            #expect(try await fixture.states().sorted() == ["sent", "suppressed closed"])
        }
    }

    @Test func `a message follows at the end of a snooze, and an invalid snooze is rejected`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            let store = fixture.store
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            let occasion = try #require(
                try await store.findParticipantState(id, now: Fixture.at(18))?.occasions.first {
                    $0.state(at: Fixture.at(18)) == .open
                })
            func snooze(_ occasion: OccasionID, until: Instant) async throws {
                try await store.snooze(
                    occasion, of: id, until: until, study: Fixture.perOccasion, now: Fixture.at(18, 10))
            }

            try await snooze(occasion.id, until: Fixture.at(20))
            try await snooze(occasion.id, until: Fixture.at(20))
            await #expect(throws: SnoozeRefusal.self) {
                try await snooze(occasion.id, until: Fixture.at(4, day: 1))
            }
            await #expect(throws: SnoozeRefusal.self) {
                try await snooze(OccasionID(UUID()), until: Fixture.at(20))
            }
            // The occasion of the next day, until one millisecond before it opens.
            let upcoming = try #require(
                try await store.findParticipantState(id, now: Fixture.at(18))?.occasions.first {
                    $0.state(at: Fixture.at(18)) == .upcoming
                })
            await #expect(throws: SnoozeRefusal.self) {
                try await snooze(
                    upcoming.id, until: upcoming.window.openAt.adding(milliseconds: -1))
            }

            #expect(try await drain(fixture, at: Fixture.at(18, 30)) == [])
            #expect(try await drain(fixture, at: Fixture.at(20)) == [.sent])
            #expect(try await fixture.states() == ["sent", "sent"])
            #expect(try await store.findParticipantState(id, now: Fixture.at(20))?.snoozes.count == 1)
        }
    }

    @Test func `a receipt keeps the first instants, and an unknown message cannot be confirmed`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            let store = fixture.store
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            let sent = try #require(
                try await store.findParticipantState(id, now: Fixture.at(18))?.reminders.first)

            let first = try await store.confirm(
                sent.message, of: id, deliveredAt: Fixture.at(18, 1), openedAt: nil)
            #expect(first.map(\.openedAt) == [nil])
            let second = try await store.confirm(
                sent.message, of: id, deliveredAt: Fixture.at(18, 3), openedAt: Fixture.at(18, 2))

            #expect(second.map(\.deliveredAt) == [Fixture.at(18, 1)])
            #expect(second.map(\.openedAt) == [Fixture.at(18, 2)])
            let early = try await store.confirm(
                sent.message, of: id, deliveredAt: nil, openedAt: Fixture.at(18, day: -30))
            #expect(early.map(\.deliveredAt) == [Fixture.at(18)])
            #expect(early.map(\.openedAt) == [Fixture.at(18)])
            let unknown = try await store.confirm(
                MessageID(UUID()), of: id, deliveredAt: Fixture.at(18), openedAt: nil)
            #expect(unknown.isEmpty)
        }
    }

    @Test
    func `a channel is unreachable after three consecutive rejections until a message is accepted`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            func unreachable() async throws -> [Instant] {
                try await fixture.store.listUnreachableChannels(of: [id])[id]?.map(\.since) ?? []
            }
            for day in 0...2 {
                #expect(try await unreachable() == [])
                fixture.mailServer.answerNext(.permanentFailure(code: 550))
                #expect(try await drain(fixture, at: Fixture.at(18, day: day)) == [.failed])
            }

            #expect(try await unreachable() == [Fixture.at(18, day: 2)])
            #expect(try await drain(fixture, at: Fixture.at(18, day: 3)) == [.sent])
            #expect(try await unreachable() == [])
        }
    }

    @Test func `a new mail address makes an unreachable participant reachable`() async throws {
        try await Fixture.with { fixture in
            let (account, id) = try await fixture.enrol(in: "per_occasion")
            for day in 0...2 {
                fixture.mailServer.answerNext(.permanentFailure(code: 550))
                #expect(try await drain(fixture, at: Fixture.at(18, day: day)) == [.failed])
            }
            func unreachable() async throws -> [String] {
                try await fixture.store.listUnreachableChannels(of: [id])[id]?.map(\.channel) ?? []
            }

            _ = try await fixture.store.updateProfile(of: account, now: Fixture.noon) { $0.name = "Grace" }
            #expect(try await unreachable() == ["mail"])
            let (code, now) = (RandomToken.make(), Fixture.at(19, day: 2))
            _ = try await fixture.store.updateProfile(of: account, code: code, now: now) {
                $0.email = "grace@example.org"
            }
            #expect(try await unreachable() == ["mail"])
            #expect(try await fixture.store.verifyEmail(codeHash: code.digest, of: account, now: now))
            #expect(try await unreachable() == [])
        }
    }

    @Test
    func `an outage of the mail server does not count against the recipient, and the message is retried`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            fixture.mailServer.answerNext(.outage(code: 530), .outage(code: 554))

            #expect(try await drain(fixture, at: Fixture.at(18)) == [.unreachable])
            #expect(try await drain(fixture, at: Fixture.at(18, 1)) == [.unreachable])
            #expect(try await drain(fixture, at: Fixture.at(18, 6)) == [.sent])

            #expect(try await fixture.states() == ["sent"])
            #expect(try await fixture.store.listUnreachableChannels(of: [id]).isEmpty)
            #expect(
                try await fixture.values("select failures::text as value from research.reminder_channel")
                    == [])
        }
    }

    @Test func `after an outage longer than the backoff, a message about an open occasion is still sent`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "long_window")
            let attempts = [
                Fixture.at(18), Fixture.at(21), Fixture.at(7, day: 1), Fixture.at(10, day: 1),
                Fixture.at(13, day: 1), Fixture.at(16, day: 1), Fixture.at(19, day: 1),
            ]
            for attempt in attempts {
                fixture.mailServer.answerNext(.temporaryFailure(code: nil))
                #expect(try await drain(fixture, at: attempt) == [.unreachable])
            }
            // Three hours after the last attempt, quiet hours have begun.
            #expect(try await drain(fixture, at: Fixture.at(23, day: 1)) == [])
            #expect(try await drain(fixture, at: Fixture.at(7, day: 2)) == [.sent])

            #expect(fixture.mailServer.sent.count == 8)
            #expect(try await fixture.states() == ["sent"])
        }
    }

    @Test func `a message that a lost worker claimed is never sent`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")
            let now = Fixture.at(18)
            _ = try await fixture.store.claimReminders(now: now) { participant in
                participant.reminderPlanner(Fixture.perOccasion, at: now).decision(
                    at: now, scheduledAt: now)
            }

            #expect(try await drain(fixture, at: now) == [])
            try await fixture.step.markAbandonedReminders(now: Fixture.at(18, 20))

            #expect(try await fixture.states() == ["unknown worker_lost"])
            #expect(try await drain(fixture, at: Fixture.at(18, 20)) == [])
            #expect(fixture.mailServer.sent.isEmpty)
        }
    }

    @Test func `a claim whose commit got no response is found by its message until the message is sent`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            let now = Fixture.at(18)
            let claim = try await fixture.store.claimReminders(now: now) { participant in
                participant.reminderPlanner(Fixture.perOccasion, at: now).decision(
                    at: now, scheduledAt: now)
            }
            let message = try #require(claim?.message)

            let store = fixture.store
            #expect(try await store.findClaim(message.id.uuid, of: message.id, id) == message)
            #expect(try await store.findClaim(UUID(), of: MessageID(UUID()), id) == nil)
            #expect(try await store.findClaim(UUID(), of: message.id, id) == nil)
            _ = try await fixture.store.finish(
                message, message.keys, ReminderOutcome(.sent), channel: "mail", now: now)
            #expect(try await store.findClaim(message.id.uuid, of: message.id, id) == nil)
        }
    }

    @Test func `an inactive participant gets one notification with its own text`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")

            // Noon, five days after the enrolment at noon. No worker ran before.
            #expect(try await drain(fixture, at: Fixture.at(12, day: 5)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(12, 30, day: 5)) == [])

            #expect(fixture.mailServer.sent.map(\.subject) == ["Are you there?"])
            #expect(fixture.mailServer.sent.map(\.text) == ["Dear Ada"])
        }
    }
}
