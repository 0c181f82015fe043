import Foundation
import Postgres
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

/// Reminders of single occasions, through store and step.
@Suite struct PromptStepTests {
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

    @Test func `each comes at its moment and once, and none in quiet hours`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")

            #expect(try await drain(fixture, at: Fixture.at(17, 59)) == [])
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(18)) == [])
            #expect(try await drain(fixture, at: Fixture.at(18, 30)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(2, day: 1)) == [])

            #expect(
                fixture.outbox.sent.map(\.subject)
                    == Array(repeating: "1 until Sunday 22 November, 04:00", count: 2))
            #expect(fixture.outbox.sent.map(\.text) == ["Ada", "Ada"])
            #expect(try await drain(fixture, at: Fixture.at(18, day: 1)) == [.sent])
        }
    }

    @Test func `what a version has left out is reminded of as the former one had it, until it closes`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])

            try await fixture.publishSecond(of: "prompted", at: Fixture.at(18, 10))

            #expect(try await fixture.store.firstRemindersDue() == [Fixture.at(18, 30)])
            #expect(try await drain(fixture, at: Fixture.at(18, 10)) == [])
            #expect(try await drain(fixture, at: Fixture.at(18, 30)) == [.sent])
            #expect(try await fixture.states() == ["sent", "sent"])
            #expect(try await drain(fixture, at: Fixture.at(18, 30, day: 1)) == [])
        }
    }

    @Test func `what a version has left out is counted by the daily mail while it is open`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.publishSecond(of: "walks", at: Fixture.at(18, 10))

            #expect(try await fixture.store.firstRemindersDue() == [Fixture.at(19)])
            #expect(try await drain(fixture, at: Fixture.at(19)) == [.sent])
            #expect(
                try await fixture.values(
                    "select kind || ' ' || occasion_count::text as value from research.reminder") == [
                        "due_today 1"
                    ])
        }
    }

    @Test func `what nobody confirms comes again by itself, twice at most`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "resending")

            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            #expect(try await fixture.store.firstRemindersDue() == [Fixture.at(19)])
            #expect(try await drain(fixture, at: Fixture.at(18, 59)) == [])
            #expect(try await drain(fixture, at: Fixture.at(19)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(20)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(21)).filter { $0 == .sent } == [])

            #expect(fixture.outbox.sent.count == 3)
            #expect(try await fixture.store.firstRemindersDue() == [Fixture.at(18, day: 1)])
        }
    }

    @Test func `what a device has confirmed does not come again`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "resending")
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            _ = try await fixture.owner.query(
                Statement(name: "confirm", sql: "update research.reminder set delivered_at = claimed_at"), [])

            #expect(try await drain(fixture, at: Fixture.at(19)).filter { $0 == .sent } == [])

            #expect(try await fixture.store.firstRemindersDue() == [Fixture.at(18, day: 1)])
        }
    }

    @Test func `a worker that was away sends what is still of use as one message`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")

            #expect(try await drain(fixture, at: Fixture.at(21)) == [.sent])

            #expect(fixture.outbox.sent.count == 1)
            #expect(try await fixture.states() == ["sent", "sent"])
        }
    }

    @Test func `what failed is no message of its day, and what may have gone out is`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "capped")
            fixture.outbox.answer(.permanentFailure(code: 550), .accepted, .unknown)

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

    @Test func `two workers at once send one message`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<5 { try await fixture.enrol(in: "prompted") }

            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { [step = fixture.step] in
                        _ = try await Self.drain(step, at: Fixture.at(18))
                    }
                }
                try await group.waitForAll()
            }

            #expect(Set(fixture.outbox.sent.map(\.to)).count == 5)
            #expect(fixture.outbox.sent.count == 5)
        }
    }

    @Test func `a message that failed goes out whole at the next attempt, under the same id`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")
            fixture.outbox.answer(.temporaryFailure(code: 451))

            #expect(try await drain(fixture, at: Fixture.at(19)) == [.retrying])
            #expect(
                try await fixture.states() == ["retrying temporary_failure", "retrying temporary_failure"])
            #expect(try await drain(fixture, at: Fixture.at(19, 1)) == [.sent])

            #expect(Set(fixture.outbox.sent.map(\.messageID)).count == 1)
            #expect(try await fixture.states() == ["sent", "sent"])
        }
    }

    @Test
    func `another attempt waits for the end of the quiet hours, and is not made after the close`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")
            fixture.outbox.answer(.temporaryFailure(code: 451))

            // A minute later it is quiet until after the close.
            #expect(try await drain(fixture, at: Fixture.at(21, 59)) == [.failed])
        }
    }

    @Test func `a message that waits to be tried again waits for the end of quiet hours as well`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "patient")
            fixture.outbox.answer(.temporaryFailure(code: 451))

            #expect(try await drain(fixture, at: Fixture.at(21, 58)) == [.retrying])
            // Nobody tried it again in time.
            #expect(try await drain(fixture, at: Fixture.at(22, 30)) == [.retrying])
            #expect(try await drain(fixture, at: Fixture.at(23)) == [])
            #expect(fixture.outbox.sent.count == 1)
            #expect(try await drain(fixture, at: Fixture.at(7, day: 1)) == [.sent])
        }
    }

    @Test func `what was put off since a failed attempt is left to the message at the end of that`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            fixture.outbox.answer(.temporaryFailure(code: 451))
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.retrying])
            let occasion = try #require(
                try await fixture.store.findParticipation(id, now: Fixture.at(18))?.occasions.first {
                    $0.state(at: Fixture.at(18)) == .open
                })
            try await fixture.store.snooze(
                occasion.id, of: id, until: Fixture.at(20), study: Fixture.prompted, now: Fixture.at(18))

            #expect(try await drain(fixture, at: Fixture.at(18, 1)) == [.suppressed])
            #expect(try await drain(fixture, at: Fixture.at(20)) == [.sent])

            #expect(fixture.outbox.sent.count == 2)
            #expect(try await fixture.states() == ["suppressed snoozed", "sent"])
        }
    }

    @Test func `a message lives as long as its last window, and then tells of that alone`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "unequal")
            fixture.outbox.answer(.temporaryFailure(code: 451))

            let first = Fixture.at(18, 59).adding(seconds: 30)
            #expect(try await drain(fixture, at: first) == [.retrying])
            #expect(try await drain(fixture, at: Fixture.at(19, 5)) == [.sent])

            #expect(fixture.outbox.sent.map { $0.subject.prefix(2) } == ["2 ", "1 "])
            #expect(try await fixture.states().sorted() == ["sent", "suppressed closed"])
        }
    }

    @Test func `a snooze brings one at its end, and an unknown or late one is refused`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            let store = fixture.store
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            let occasion = try #require(
                try await store.findParticipation(id, now: Fixture.at(18))?.occasions.first {
                    $0.state(at: Fixture.at(18)) == .open
                })
            func snooze(_ occasion: OccasionID, until: Instant) async throws {
                try await store.snooze(
                    occasion, of: id, until: until, study: Fixture.prompted, now: Fixture.at(18, 10))
            }

            try await snooze(occasion.id, until: Fixture.at(20))
            try await snooze(occasion.id, until: Fixture.at(20))
            await #expect(throws: SnoozeRefusal.self) {
                try await snooze(occasion.id, until: Fixture.at(4, day: 1))
            }
            await #expect(throws: SnoozeRefusal.self) {
                try await snooze(OccasionID(UUID()), until: Fixture.at(20))
            }
            // Tomorrow's, until a moment before it opens.
            let upcoming = try #require(
                try await store.findParticipation(id, now: Fixture.at(18))?.occasions.first {
                    $0.state(at: Fixture.at(18)) == .upcoming
                })
            await #expect(throws: SnoozeRefusal.self) {
                try await snooze(
                    upcoming.id, until: upcoming.window.openAt.adding(milliseconds: -1))
            }

            #expect(try await drain(fixture, at: Fixture.at(18, 30)) == [])
            #expect(try await drain(fixture, at: Fixture.at(20)) == [.sent])
            #expect(try await fixture.states() == ["sent", "sent"])
            #expect(try await store.findParticipation(id, now: Fixture.at(20))?.snoozes.count == 1)
        }
    }

    @Test func `a receipt keeps the first word, and no message is confirmed that did not go out`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            let store = fixture.store
            #expect(try await drain(fixture, at: Fixture.at(18)) == [.sent])
            let sent = try #require(
                try await store.findParticipation(id, now: Fixture.at(18))?.reminders.first)

            let first = try await store.confirm(
                sent.message, of: id, deliveredAt: Fixture.at(18, 1), openedAt: nil)
            #expect(first.map(\.openedAt) == [nil])
            let known = try await store.confirm(
                sent.message, of: id, deliveredAt: Fixture.at(18, 3), openedAt: Fixture.at(18, 2))

            #expect(known.map(\.deliveredAt) == [Fixture.at(18, 1)])
            #expect(known.map(\.openedAt) == [Fixture.at(18, 2)])
            let early = try await store.confirm(
                sent.message, of: id, deliveredAt: nil, openedAt: Fixture.at(18, day: -30))
            #expect(early.map(\.deliveredAt) == [Fixture.at(18)])
            #expect(early.map(\.openedAt) == [Fixture.at(18)])
            let strange = try await store.confirm(
                MessageID(UUID()), of: id, deliveredAt: Fixture.at(18), openedAt: nil)
            #expect(strange.isEmpty)
        }
    }

    @Test
    func `who is refused three times in a row is shown as unreachable, until a message arrives`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            func unreachable() async throws -> [Instant] {
                try await fixture.store.listUnreachableChannels(of: [id])[id]?.map(\.since) ?? []
            }
            for day in 0...2 {
                #expect(try await unreachable() == [])
                fixture.outbox.answer(.permanentFailure(code: 550))
                #expect(try await drain(fixture, at: Fixture.at(18, day: day)) == [.failed])
            }

            #expect(try await unreachable() == [Fixture.at(18, day: 2)])
            #expect(try await drain(fixture, at: Fixture.at(18, day: 3)) == [.sent])
            #expect(try await unreachable() == [])
        }
    }

    @Test func `at another address whoever was unreachable may be reached`() async throws {
        try await Fixture.with { fixture in
            let (account, id) = try await fixture.enrol(in: "prompted")
            for day in 0...2 {
                fixture.outbox.answer(.permanentFailure(code: 550))
                #expect(try await drain(fixture, at: Fixture.at(18, day: day)) == [.failed])
            }
            func unreachable() async throws -> [String] {
                try await fixture.store.listUnreachableChannels(of: [id])[id]?.map(\.channel) ?? []
            }

            _ = try await fixture.store.updateProfile(of: account) { $0.name = "Grace" }
            #expect(try await unreachable() == ["mail"])
            _ = try await fixture.store.updateProfile(of: account) { $0.email = "grace@example.org" }
            #expect(try await unreachable() == [])
        }
    }

    @Test func `a mail server's own fault says nothing of a person, and what it refused goes out later`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            fixture.outbox.answer(.outage(code: 530), .outage(code: 554))

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

    @Test func `an outage longer than all steps loses nothing whose window is open`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "patient")
            let moments = [
                Fixture.at(18), Fixture.at(21), Fixture.at(7, day: 1), Fixture.at(10, day: 1),
                Fixture.at(13, day: 1), Fixture.at(16, day: 1), Fixture.at(19, day: 1),
            ]
            for moment in moments {
                fixture.outbox.answer(.temporaryFailure(code: nil))
                #expect(try await drain(fixture, at: moment) == [.unreachable])
            }
            // Three hours on it is quiet.
            #expect(try await drain(fixture, at: Fixture.at(23, day: 1)) == [])
            #expect(try await drain(fixture, at: Fixture.at(7, day: 2)) == [.sent])

            #expect(fixture.outbox.sent.count == 8)
            #expect(try await fixture.states() == ["sent"])
        }
    }

    @Test func `what a worker that died had claimed is never sent again`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")
            let plan = Fixture.at(18)
            _ = try await fixture.store.claimReminders(now: plan) { participation in
                participation.prompting(Fixture.prompted, at: plan).decision(at: plan, waitedFor: plan)
            }

            #expect(try await drain(fixture, at: plan) == [])
            try await fixture.step.settle(now: Fixture.at(18, 20))

            #expect(try await fixture.states() == ["unknown worker_lost"])
            #expect(try await drain(fixture, at: Fixture.at(18, 20)) == [])
            #expect(fixture.outbox.sent.isEmpty)
        }
    }

    @Test func `a claim whose commit was not answered is found by its message, until it is sent`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            let plan = Fixture.at(18)
            let claim = try await fixture.store.claimReminders(now: plan) { participation in
                participation.prompting(Fixture.prompted, at: plan).decision(at: plan, waitedFor: plan)
            }
            let message = try #require(claim?.message)

            let store = fixture.store
            #expect(try await store.findClaim(message.id.uuid, of: message.id, id) == message)
            #expect(try await store.findClaim(UUID(), of: MessageID(UUID()), id) == nil)
            #expect(try await store.findClaim(UUID(), of: message.id, id) == nil)
            _ = try await fixture.store.finish(
                message, message.keys, ReminderOutcome(.sent), channel: "mail", now: plan)
            #expect(try await store.findClaim(message.id.uuid, of: message.id, id) == nil)
        }
    }

    @Test func `whoever is not heard of gets a notice in its own words, once`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")

            // Noon, five days after the enrolment at noon; the evening before was reminded of by nobody.
            #expect(try await drain(fixture, at: Fixture.at(12, day: 5)) == [.sent])
            #expect(try await drain(fixture, at: Fixture.at(12, 30, day: 5)) == [])

            #expect(fixture.outbox.sent.map(\.subject) == ["Are you there?"])
            #expect(fixture.outbox.sent.map(\.text) == ["Dear Ada"])
        }
    }
}
