import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct ReminderLoopTests {
    private typealias Fixture = ReminderFixture

    @Test func `a mail server that nobody reaches is asked once, and the others keep their turn`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.enrol()
            fixture.outbox.answer(.temporaryFailure(code: nil))

            let first = await fixture.loop(at: Fixture.at(19)).drain()
            let second = await fixture.loop(at: Fixture.at(19, 30)).drain()

            #expect(first.results == [.unreachable: 1])
            #expect(second.results == [.sent: 2])
            #expect(second.faults == 0)
        }
    }

    @Test func `a mail server that nobody reaches holds up nobody who is reached otherwise`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<5 { try await fixture.enrol(in: "prompted") }
            let other = try await fixture.enrol(in: "prompted")
            _ = try await fixture.store.updateEnrolment(other.id, study: Fixture.prompted, now: Fixture.noon)
            {
                $0.channels = [.push]
            }
            let endpoint = "https://push.example.net/\(other.account)"
            _ = try await fixture.store.register(
                StoredPushSubscription(
                    account: other.account, id: PushSubscriptionID(UUID()),
                    content: PushExample.body(endpoint), registeredAt: Fixture.noon), address: endpoint)
            fixture.outbox.answer(.outage(code: 554))

            let first = await fixture.loop(at: Fixture.at(18)).drain()

            #expect(first.results == [.unreachable: 1, .sent: 1])
            #expect(fixture.world.posts.count == 1 && fixture.outbox.sent.count == 1)
            let second = await fixture.loop(at: Fixture.at(18, 2)).drain()
            #expect(second.results == [.sent: 5])
        }
    }

    @Test func `whoever is told to stop while a mail is on its way has recorded it before`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.enrol()
            let (arrived, arrival) = AsyncStream<Void>.makeStream()
            let (go, leave) = AsyncStream<Void>.makeStream()
            fixture.outbox.hold {
                arrival.yield()
                for await _ in go { return }
            }
            let loop = fixture.loop(at: Fixture.at(19))

            let draining = Task { await loop.drain() }
            for await _ in arrived { break }
            draining.cancel()
            leave.finish()
            let counts = await draining.value

            #expect(counts.results == [.sent: 1])
            #expect(try await fixture.states() == ["sent"])
        }
    }

    @Test func `a step that fails is counted, and one after the other come to an end`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<6 { try await fixture.enrol(in: "broken") }

            let counts = await fixture.loop(at: Fixture.at(19)).drain()

            #expect(counts.faults == 5)
            #expect(counts.results.isEmpty)
        }
    }

    @Test func `codes for a new password go out without the reminders that are due`() async throws {
        try await Fixture.with { fixture in
            let person = try await fixture.enrol()
            for number in 1...2 {
                try await fixture.store.insertPasswordReset(
                    codeHash: [UInt8(number)], account: person.account, message: ["code": "c0de"],
                    now: Fixture.at(19), expiresAt: Fixture.at(20))
            }

            let counts = await fixture.loop(at: Fixture.at(19)).sendCodes()

            #expect(counts.results == [.sent: 2])
            #expect(fixture.outbox.sent.allSatisfy { $0.text.contains("c0de") })
            #expect(try await fixture.states().isEmpty)
        }
    }

    @Test(arguments: [(10, 0), (15, 0), (16, 1), (40, 1)])
    func `whoever is without a plan although plans were extended is noticed`(day: Int, gaps: Int) async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "broken")
            try await fixture.enrol()

            // Both were planned for a fortnight; only the sound study's plan goes on.
            #expect(await fixture.loop(at: Fixture.at(12, day: day)).extendPlans() == gaps)
        }
    }

    @Test func `a plan that cannot be made keeps nobody else from theirs`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "broken")
            let id = try await fixture.enrol().id
            let before = try await fixture.store.findEnrolment(id)?.plannedThrough

            await fixture.loop(at: Fixture.at(12, day: 10)).extendPlans()

            let after = try await fixture.store.findEnrolment(id)?.plannedThrough
            #expect(try #require(after) > #require(before))
        }
    }
}
