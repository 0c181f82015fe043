import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct ReminderLoopTests {
    private typealias Fixture = ReminderFixture

    @Test func `after one failed attempt at an unreachable mail server, other mails wait and are sent later`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.enrol()
            fixture.mailServer.answerNext(.temporaryFailure(code: nil))

            let first = await fixture.loop(at: Fixture.at(19)).drain()
            let second = await fixture.loop(at: Fixture.at(19, 30)).drain()

            #expect(first.results == [.unreachable: 1])
            #expect(second.results == [.sent: 2])
            #expect(second.faults == 0)
        }
    }

    @Test func `an unavailable mail server does not delay push messages`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<5 { try await fixture.enrol(in: "per_occasion") }
            let other = try await fixture.enrol(in: "per_occasion")
            _ = try await fixture.store.updateEnrolment(
                other.id, study: Fixture.perOccasion, now: Fixture.noon
            ) {
                $0.channels = [.push]
            }
            let endpoint = "https://push.example.net/\(other.account)"
            _ = try await fixture.store.register(
                StoredPushSubscription(
                    account: other.account, id: PushSubscriptionID(UUID()),
                    content: PushExample.body(endpoint), registeredAt: Fixture.noon), endpoint: endpoint)
            fixture.mailServer.answerNext(.outage(code: 554))

            let first = await fixture.loop(at: Fixture.at(18)).drain()

            #expect(first.results == [.unreachable: 1, .sent: 1])
            #expect(fixture.receivers.requests.count == 1 && fixture.mailServer.sent.count == 1)
            let second = await fixture.loop(at: Fixture.at(18, 2)).drain()
            #expect(second.results == [.sent: 5])
        }
    }

    @Test func `a loop that is cancelled while it sends a mail records the outcome before it ends`()
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.enrol()
            let (deliveries, deliveryStarted) = AsyncStream<Void>.makeStream()
            let (release, releaseDelivery) = AsyncStream<Void>.makeStream()
            fixture.mailServer.beforeEachReply {
                deliveryStarted.yield()
                for await _ in release { return }
            }
            let loop = fixture.loop(at: Fixture.at(19))

            let draining = Task { await loop.drain() }
            for await _ in deliveries { break }
            draining.cancel()
            releaseDelivery.finish()
            let counts = await draining.value

            #expect(counts.results == [.sent: 1])
            #expect(try await fixture.states() == ["sent"])
        }
    }

    @Test func `a failed step counts as a fault, and five faults end the run`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<6 { try await fixture.enrol(in: "unreadable") }

            let counts = await fixture.loop(at: Fixture.at(19)).drain()

            #expect(counts.faults == 5)
            #expect(counts.results.isEmpty)
        }
    }

    @Test func `password codes are sent independently of due reminders`() async throws {
        try await Fixture.with { fixture in
            let participant = try await fixture.enrol()
            for number in 1...2 {
                try await fixture.store.insertPasswordReset(
                    codeHash: [UInt8(number)], account: participant.account, message: ["code": "c0de"],
                    now: Fixture.at(19), expiresAt: Fixture.at(20))
            }

            let counts = await fixture.loop(at: Fixture.at(19)).sendAccountMails()

            #expect(counts.results == [.sent: 2])
            #expect(fixture.mailServer.sent.allSatisfy { $0.text.contains("c0de") })
            #expect(try await fixture.states().isEmpty)
        }
    }

    @Test(arguments: [(10, 0), (15, 0), (16, 1), (40, 1)])
    func `an enrolment that still has no plan after the extension of plans is counted`(
        day: Int, unplanned: Int
    )
        async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "unreadable")
            try await fixture.enrol()

            // Both enrolments have a plan for 14 days. Only the plan of the readable study can be extended.
            #expect(await fixture.loop(at: Fixture.at(12, day: day)).extendPlans() == unplanned)
        }
    }

    @Test func `an enrolment that cannot be planned does not prevent the plans of others`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "unreadable")
            let id = try await fixture.enrol().id
            let before = try await fixture.store.findEnrolment(id)?.plannedThrough

            await fixture.loop(at: Fixture.at(12, day: 10)).extendPlans()

            let after = try await fixture.store.findEnrolment(id)?.plannedThrough
            #expect(try #require(after) > #require(before))
        }
    }
}
