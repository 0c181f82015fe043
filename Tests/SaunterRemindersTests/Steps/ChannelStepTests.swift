import Foundation
import SaunterCore
import SaunterStore
import Synchronization
import Testing

@testable import SaunterReminders

/// Messages by push and webhook, through store and step; the outer world is a function.
@Suite struct ChannelStepTests {
    private typealias Fixture = ReminderFixture

    private func drain(_ step: ReminderStep, at now: Instant) async throws -> [ReminderStep.Result] {
        var results: [ReminderStep.Result] = []
        while results.last != .idle { results.append(try await step.run(now: now)) }
        return Array(results.dropLast())
    }

    /// Somebody with devices, who is reached by these channels in this order.
    private func person(
        _ fixture: Fixture, _ channels: [ReminderChannel], devices: [String] = ["a"]
    ) async throws -> (account: AccountID, id: EnrolmentID) {
        let person = try await fixture.enrol(in: "prompted")
        _ = try await fixture.store.updateEnrolment(person.id, study: Fixture.prompted, now: Fixture.noon) {
            $0.channels = channels
        }
        for name in devices { try await register(fixture, person.account, name) }
        return person
    }

    @discardableResult
    private func register(_ fixture: Fixture, _ account: AccountID, _ name: String) async throws -> Bool? {
        let endpoint = "https://push.example.net/\(account)/\(name)"
        return try await fixture.store.register(
            StoredPushSubscription(
                account: account, id: PushSubscriptionID(UUID()), content: PushExample.body(endpoint),
                registeredAt: Fixture.noon), address: endpoint)
    }

    private func attempts(_ fixture: Fixture) async throws -> [String] {
        try await fixture.values(
            """
            select concat_ws(' ', attempt, channel, outcome, reply_code) as value
            from research.reminder_attempt order by attempted_at, attempt
            """)
    }

    @Test func `all devices of a person get one message, and nobody a mail`() async throws {
        try await Fixture.with { fixture in
            _ = try await person(fixture, [.push, .mail], devices: ["a", "b"])

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])
            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [])

            #expect(fixture.world.posts.map(\.url.text).map { $0.suffix(2) }.sorted() == ["/a", "/b"])
            #expect(fixture.outbox.sent.isEmpty)
            #expect(try await fixture.states() == ["sent"])
        }
    }

    @Test func `a device that is no more is forgotten, and the next channel takes the same message`()
        async throws
    {
        try await Fixture.with { fixture in
            let person = try await person(fixture, [.push, .mail])
            fixture.world.answer(.status(410, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])

            #expect(fixture.outbox.sent.count == 1)
            #expect(try await attempts(fixture) == ["1 push gone", "2 mail sent"])
            #expect(try await fixture.store.listPushSubscriptions(person.account).isEmpty)
            let unreachable = try await fixture.store.listUnreachableChannels(of: [person.id])
            #expect(unreachable[person.id]?.map(\.channel) == ["push"])

            // A new device may be reached.
            try await register(fixture, person.account, "c")
            #expect(try await fixture.store.listUnreachableChannels(of: [person.id]).isEmpty)
            #expect(try await drain(fixture.step, at: Fixture.at(18, 30)) == [.sent])
            #expect(fixture.outbox.sent.count == 1)
        }
    }

    @Test func `a device at an address that is not called any more makes way for the next channel`()
        async throws
    {
        try await Fixture.with { fixture in
            let person = try await person(fixture, [.push, .mail], devices: [])
            // It was registered while the operator still allowed it.
            let endpoint = "https://10.0.0.1/a"
            _ = try await fixture.store.register(
                StoredPushSubscription(
                    account: person.account, id: PushSubscriptionID(UUID()),
                    content: PushExample.body(endpoint), registeredAt: Fixture.noon), address: endpoint)

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])

            #expect(fixture.world.posts.isEmpty && fixture.outbox.sent.count == 1)
            #expect(try await attempts(fixture) == ["1 push refused", "2 mail sent"])
        }
    }

    @Test func `what was registered anew while a message was on its way stays`() async throws {
        try await Fixture.with { fixture in
            let person = try await fixture.enrol(in: "prompted")
            var device = StoredPushSubscription(
                account: person.account, id: PushSubscriptionID(UUID()), content: PushExample.body(),
                registeredAt: Fixture.noon)
            #expect(try await fixture.store.register(device, address: "one") == true)
            device.registeredAt = Fixture.at(13)
            #expect(try await fixture.store.register(device, address: "two") == false)

            let isGone = try await fixture.store.deletePushSubscription(
                device.id, of: person.account, registeredAt: Fixture.noon)

            #expect(!isGone)
            #expect(try await fixture.store.listPushSubscriptions(person.account) == [device])
        }
    }

    @Test func `a device is whose who registered it last, and an account has so many`() async throws {
        try await Fixture.with { fixture in
            let (one, other) = (try await fixture.enrol().account, try await fixture.enrol().account)
            func register(_ account: AccountID, _ address: String) async throws -> Bool? {
                try await fixture.store.register(
                    StoredPushSubscription(
                        account: account, id: PushSubscriptionID(UUID()), content: PushExample.body(),
                        registeredAt: Fixture.noon), address: address)
            }
            for number in 0..<Store.mostPushSubscriptions {
                #expect(try await register(one, "\(number)") == true)
            }

            #expect(try await register(one, "more") == nil)
            // The same device under a new id takes no more room.
            #expect(try await register(one, "3") == true)
            #expect(try await fixture.store.listPushSubscriptions(one).count == 10)
            #expect(try await register(other, "3") == true)
            #expect(try await fixture.store.listPushSubscriptions(one).count == 9)
        }
    }

    @Test func `what is stored of a device cannot be read without the master key`() async throws {
        try await Fixture.with { fixture in
            let person = try await fixture.enrol()
            try await register(fixture, person.account, "a")

            let stored: [String] = try await fixture.values(
                "select push_subscription::text || encode(content_sealed, 'escape') as value from identity.push_subscription"
            )

            #expect(stored.count == 1)
            #expect(
                stored.allSatisfy { !$0.contains("push.example.net") && !$0.contains(PushExample.secret) })
        }
    }

    @Test func `a service that asks to wait is asked again then, not before`() async throws {
        try await Fixture.with { fixture in
            _ = try await person(fixture, [.push])
            fixture.world.answer(.status(429, retryAfter: 600))

            #expect(try await drain(fixture.step, at: Fixture.at(19)) == [.retrying])
            #expect(try await drain(fixture.step, at: Fixture.at(19, 9)) == [])
            #expect(try await drain(fixture.step, at: Fixture.at(19, 10)) == [.sent])

            let ids = fixture.world.posts.compactMap { $0.header("Topic") }
            #expect(ids.count == 2 && Set(ids).count == 1)
        }
    }

    @Test func `a service that fails until the last attempt makes way for the next channel`() async throws {
        try await Fixture.with { fixture in
            _ = try await person(fixture, [.push, .mail])
            fixture.world.answerAll(.status(503, retryAfter: nil))
            var moment = Fixture.at(18)
            var results: [ReminderStep.Result] = []

            while moment < Fixture.at(21, 45), fixture.outbox.sent.isEmpty {
                results += try await drain(fixture.step, at: moment)
                moment = moment.adding(seconds: 300)
            }

            #expect(results.filter { $0 == .retrying }.count >= 3)
            #expect(fixture.outbox.sent.count == 1)
            #expect(try await attempts(fixture).contains { $0.hasSuffix("push given_up 503") })
        }
    }

    @Test func `a channel that has refused a message is not asked again while the next one is`() async throws
    {
        try await Fixture.with { fixture in
            _ = try await person(fixture, [.push, .mail])
            fixture.world.answerAll(.status(413, retryAfter: nil))
            fixture.outbox.answer(.temporaryFailure(code: 451))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.retrying])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 1)) == [.sent])

            #expect(fixture.world.posts.count == 1 && fixture.outbox.sent.count == 2)
        }
    }

    @Test func `a connection lost after sending is not sent again by any channel`() async throws {
        try await Fixture.with { fixture in
            _ = try await person(fixture, [.push, .mail])
            fixture.world.answer(.lost("reset"))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.unknown])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 10)) == [])

            #expect(fixture.outbox.sent.isEmpty)
            #expect(try await fixture.states() == ["unknown connection_lost"])
        }
    }

    @Test func `who can be reached by nothing is shown`() async throws {
        try await Fixture.with { fixture in
            let id = try await person(fixture, [.push, .webhook], devices: []).id

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.failed])

            #expect(try await fixture.states() == ["failed no_channel"])
            var expected = MessageCounts()
            expected.undelivered = 1
            expected.lastUndeliveredAt = Fixture.at(18)
            #expect(try await fixture.store.countMessages(of: [id]) == [id: expected])
        }
    }

    @Test func `without a mail server others are reached, and those who take mail wait`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")
            _ = try await person(fixture, [.push])
            let step = fixture.step(Channels(push: fixture.channels.push))

            #expect(try await drain(step, at: Fixture.at(18)) == [.sent])
            #expect(fixture.world.posts.count == 1)
            #expect(try await drain(fixture.step, at: Fixture.at(18, 1)) == [.sent])
            #expect(fixture.outbox.sent.count == 1)
        }
    }

    @Test func `without a mail server a mail that waits to be tried again stays as it is`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "prompted")
            fixture.outbox.answer(.temporaryFailure(code: 451))
            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.retrying])

            let step = fixture.step(Channels(push: fixture.channels.push))
            #expect(try await drain(step, at: Fixture.at(18, 10)) == [])

            #expect(try await attempts(fixture) == ["1 mail temporary_failure 451"])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 20)) == [.sent])
        }
    }

    @Test func `two workers at once send one push`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<5 { _ = try await person(fixture, [.push]) }

            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { [step = fixture.step] in
                        while try await step.run(now: Fixture.at(18)) != .idle {}
                    }
                }
                try await group.waitForAll()
            }

            #expect(fixture.world.posts.count == 5)
            #expect(Set(fixture.world.posts.map(\.url.text)).count == 5)
        }
    }

    @Test func `a study's programs are told by the pseudonym alone`() async throws {
        try await Fixture.with { fixture in
            let id = try await person(fixture, [.webhook]).id
            let secret = try await webhook(fixture)

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])

            let post = try #require(fixture.world.posts.first)
            #expect(post.url.text == "https://hooks.example.net/x")
            let body = String(decoding: post.body, as: UTF8.self)
            let data = try #require(try JSONReader.read(body)["data"])
            #expect(data["enrolment_id"]?.string == id.description)
            #expect(data["participant_id"]?.string?.hasPrefix("P-") == true)
            #expect(!body.contains("Ada") && !body.contains("example.org"))
            let (name, time) = (
                try #require(post.header("webhook-id")), try #require(post.header("webhook-timestamp"))
            )
            let timestamp = try #require(Int(time))
            #expect(timestamp == Int(Fixture.at(18).milliseconds / 1000))
            #expect(
                post.header("webhook-signature")
                    == secret.signature(id: name, timestamp: timestamp, body: post.body))
        }
    }

    private func webhook(_ fixture: Fixture) async throws -> WebhookSecret {
        let secret = WebhookSecret.make()
        let webhook = StudyWebhook(
            study: "prompted", url: "https://hooks.example.net/x", secret: secret.text, setAt: Fixture.noon)
        _ = try await fixture.store.set(
            webhook, audit: AuditEntry(actor: .system, action: "webhook_set", study: "prompted"))
        #expect(try await fixture.store.findWebhook("prompted") == webhook)
        return secret
    }

    @Test func `a message keeps its id over attempts, and its signature is of the moment`() async throws {
        try await Fixture.with { fixture in
            _ = try await person(fixture, [.webhook])
            _ = try await webhook(fixture)
            fixture.world.answer(.status(500, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(19)) == [.retrying])
            #expect(try await fixture.store.findWebhook("prompted")?.failures == 1)
            #expect(try await drain(fixture.step, at: Fixture.at(19, 1)) == [.sent])

            #expect(Set(fixture.world.posts.compactMap { $0.header("webhook-id") }).count == 1)
            #expect(Set(fixture.world.posts.compactMap { $0.header("webhook-signature") }).count == 2)
            #expect(try await fixture.store.findWebhook("prompted")?.failures == 0)
        }
    }

    @Test func `one that says that it is gone is disabled at once, and the next channel goes on`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await person(fixture, [.webhook, .mail]).id
            _ = try await webhook(fixture)
            fixture.world.answer(.status(410, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 30)) == [.sent])

            #expect(fixture.world.posts.count == 1)
            #expect(fixture.outbox.sent.count == 2)
            let known = try #require(try await fixture.store.findWebhook("prompted"))
            #expect(known.disabledWhy == .gone && known.disabledAt == Fixture.at(18))
            // That a study's programs fail says nothing of a person.
            #expect(try await fixture.store.listUnreachableChannels(of: [id]).isEmpty)
        }
    }

    @Test func `one whose address is unknown today may be known tomorrow`() async throws {
        try await Fixture.with { fixture in
            _ = try await person(fixture, [.webhook, .mail])
            _ = try await webhook(fixture)
            fixture.world.answer(.status(404, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])
            #expect(fixture.outbox.sent.count == 1)
            let known = try #require(try await fixture.store.findWebhook("prompted"))
            #expect(known.disabledAt == nil && known.failures == 1 && known.lastReplyCode == 404)

            #expect(try await drain(fixture.step, at: Fixture.at(18, 30)) == [.sent])
            #expect(fixture.world.posts.count == 2 && fixture.outbox.sent.count == 1)
        }
    }

    @Test(arguments: [(9, 48, nil), (10, 23, nil), (10, 24, StudyWebhook.Disabled.failing)])
    func `one that fails is disabled after so many failures over so long`(
        failures: Int, hours: Int, why: StudyWebhook.Disabled?
    ) async throws {
        try await Fixture.with { fixture in
            _ = try await fixture.enrol(in: "prompted")
            _ = try await webhook(fixture)
            let webhook = try #require(try await fixture.store.findWebhook("prompted"))

            for number in 1...failures {
                try await fixture.store.noteFailure(
                    of: webhook, code: 500, isGone: false,
                    now: Fixture.noon.adding(seconds: number < failures ? 0 : hours * 3600))
            }

            let known = try #require(try await fixture.store.findWebhook("prompted"))
            #expect(known.disabledWhy == why && known.failures == failures && known.lastReplyCode == 500)
            _ = try await self.webhook(fixture)
        }
    }
}
