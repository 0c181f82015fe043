import Foundation
import SaunterCore
import SaunterStore
import Synchronization
import Testing

@testable import SaunterReminders

/// Messages by push and webhook, tested with the store and the step. A function replaces the network.
@Suite struct ChannelStepTests {
    private typealias Fixture = ReminderFixture

    private func drain(_ step: ReminderStep, at now: Instant) async throws -> [ReminderStep.Result] {
        var results: [ReminderStep.Result] = []
        while results.last != .idle { results.append(try await step.run(now: now)) }
        return Array(results.dropLast())
    }

    /// An enrolled participant with devices and these channels in order.
    private func enrol(
        _ fixture: Fixture, _ channels: [ReminderChannel], devices: [String] = ["a"], isVerified: Bool = true
    ) async throws -> (account: AccountID, id: EnrolmentID) {
        let participant = try await fixture.enrol(in: "per_occasion", isVerified: isVerified)
        _ = try await fixture.store.updateEnrolment(
            participant.id, study: Fixture.perOccasion, now: Fixture.noon
        ) {
            $0.channels = channels
        }
        for name in devices { try await register(fixture, participant.account, name) }
        return participant
    }

    @discardableResult
    private func register(_ fixture: Fixture, _ account: AccountID, _ name: String) async throws -> Bool? {
        let endpoint = "https://push.example.net/\(account)/\(name)"
        return try await fixture.store.register(
            StoredPushSubscription(
                account: account, id: PushSubscriptionID(UUID()), content: PushExample.body(endpoint),
                registeredAt: Fixture.noon), endpoint: endpoint)
    }

    private func attempts(_ fixture: Fixture) async throws -> [String] {
        try await fixture.values(
            """
            select concat_ws(' ', attempt, channel, outcome, reply_code) as value
            from research.reminder_attempt order by attempted_at, attempt
            """)
    }

    @Test func `each device of a participant gets the message once, and no mail is sent`() async throws {
        try await Fixture.with { fixture in
            _ = try await enrol(fixture, [.push, .mail], devices: ["a", "b"])

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])
            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [])

            #expect(fixture.receivers.requests.map(\.url.text).map { $0.suffix(2) }.sorted() == ["/a", "/b"])
            #expect(fixture.mailServer.sent.isEmpty)
            #expect(try await fixture.states() == ["sent"])
        }
    }

    @Test func `a subscription that is gone is deleted, and the next channel sends the same message`()
        async throws
    {
        try await Fixture.with { fixture in
            let participant = try await enrol(fixture, [.push, .mail])
            fixture.receivers.answerNext(.status(410, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])

            #expect(fixture.mailServer.sent.count == 1)
            #expect(try await attempts(fixture) == ["1 push gone", "2 mail sent"])
            #expect(try await fixture.store.listPushSubscriptions(participant.account).isEmpty)
            let unreachable = try await fixture.store.listUnreachableChannels(of: [participant.id])
            #expect(unreachable[participant.id]?.map(\.channel) == ["push"])

            // A new device makes the channel reachable again.
            try await register(fixture, participant.account, "c")
            #expect(try await fixture.store.listUnreachableChannels(of: [participant.id]).isEmpty)
            #expect(try await drain(fixture.step, at: Fixture.at(18, 30)) == [.sent])
            #expect(fixture.mailServer.sent.count == 1)
        }
    }

    @Test func `if the address of a device is no longer permitted, the next channel sends the message`()
        async throws
    {
        try await Fixture.with { fixture in
            let participant = try await enrol(fixture, [.push, .mail], devices: [])
            // The device was registered when the policy still permitted this address.
            let endpoint = "https://10.0.0.1/a"
            _ = try await fixture.store.register(
                StoredPushSubscription(
                    account: participant.account, id: PushSubscriptionID(UUID()),
                    content: PushExample.body(endpoint), registeredAt: Fixture.noon), endpoint: endpoint)

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])

            #expect(fixture.receivers.requests.isEmpty && fixture.mailServer.sent.count == 1)
            #expect(try await attempts(fixture) == ["1 push refused", "2 mail sent"])
        }
    }

    @Test func `a device that was registered again during a delivery is not deleted`() async throws {
        try await Fixture.with { fixture in
            let participant = try await fixture.enrol(in: "per_occasion")
            var device = StoredPushSubscription(
                account: participant.account, id: PushSubscriptionID(UUID()), content: PushExample.body(),
                registeredAt: Fixture.noon)
            #expect(try await fixture.store.register(device, endpoint: "one") == true)
            device.registeredAt = Fixture.at(13)
            #expect(try await fixture.store.register(device, endpoint: "two") == false)

            let isDeleted = try await fixture.store.deletePushSubscription(
                device.id, of: participant.account, registeredAt: Fixture.noon)

            #expect(!isDeleted)
            #expect(try await fixture.store.listPushSubscriptions(participant.account) == [device])
        }
    }

    @Test func `a device belongs to the account that registered it last, and an account has at most ten`()
        async throws
    {
        try await Fixture.with { fixture in
            let (first, second) = (try await fixture.enrol().account, try await fixture.enrol().account)
            func register(_ account: AccountID, _ address: String) async throws -> Bool? {
                try await fixture.store.register(
                    StoredPushSubscription(
                        account: account, id: PushSubscriptionID(UUID()), content: PushExample.body(),
                        registeredAt: Fixture.noon), endpoint: address)
            }
            for number in 0..<Store.maximumPushSubscriptions {
                #expect(try await register(first, "\(number)") == true)
            }

            #expect(try await register(first, "more") == nil)
            // The same device with a new id does not count twice.
            #expect(try await register(first, "3") == true)
            #expect(try await fixture.store.listPushSubscriptions(first).count == 10)
            #expect(try await register(second, "3") == true)
            #expect(try await fixture.store.listPushSubscriptions(first).count == 9)
        }
    }

    @Test func `the stored data of a device cannot be read without the master key`() async throws {
        try await Fixture.with { fixture in
            let participant = try await fixture.enrol()
            try await register(fixture, participant.account, "a")

            let stored: [String] = try await fixture.values(
                "select push_subscription::text || encode(content_sealed, 'escape') as value from identity.push_subscription"
            )

            #expect(stored.count == 1)
            #expect(
                stored.allSatisfy { !$0.contains("push.example.net") && !$0.contains(PushExample.secret) })
        }
    }

    @Test func `a push service that answers Retry-After gets no request before that time`() async throws {
        try await Fixture.with { fixture in
            _ = try await enrol(fixture, [.push])
            fixture.receivers.answerNext(.status(429, retryAfter: 600))

            #expect(try await drain(fixture.step, at: Fixture.at(19)) == [.retrying])
            #expect(try await drain(fixture.step, at: Fixture.at(19, 9)) == [])
            #expect(try await drain(fixture.step, at: Fixture.at(19, 10)) == [.sent])

            let topics = fixture.receivers.requests.compactMap { $0.header("Topic") }
            #expect(topics.count == 2 && Set(topics).count == 1)
        }
    }

    @Test func `after the last failed attempt at a push service, the next channel sends the message`()
        async throws
    {
        try await Fixture.with { fixture in
            _ = try await enrol(fixture, [.push, .mail])
            fixture.receivers.answerAll(.status(503, retryAfter: nil))
            var now = Fixture.at(18)
            var results: [ReminderStep.Result] = []

            while now < Fixture.at(21, 45), fixture.mailServer.sent.isEmpty {
                results += try await drain(fixture.step, at: now)
                now = now.adding(seconds: 300)
            }

            #expect(results.filter { $0 == .retrying }.count >= 3)
            #expect(fixture.mailServer.sent.count == 1)
            #expect(try await attempts(fixture).contains { $0.hasSuffix("push given_up 503") })
        }
    }

    @Test func `a channel that rejected a message gets it no more while the next channel retries`()
        async throws
    {
        try await Fixture.with { fixture in
            _ = try await enrol(fixture, [.push, .mail])
            fixture.receivers.answerAll(.status(413, retryAfter: nil))
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.retrying])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 1)) == [.sent])

            #expect(fixture.receivers.requests.count == 1 && fixture.mailServer.sent.count == 2)
        }
    }

    @Test func `a message whose connection was lost after sending is not sent again by any channel`()
        async throws
    {
        try await Fixture.with { fixture in
            _ = try await enrol(fixture, [.push, .mail])
            fixture.receivers.answerNext(.lost("reset"))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.unknown])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 10)) == [])

            #expect(fixture.mailServer.sent.isEmpty)
            #expect(try await fixture.states() == ["unknown connection_lost"])
        }
    }

    @Test func `a message without a usable channel fails and is counted as undelivered`() async throws {
        try await Fixture.with { fixture in
            let id = try await enrol(fixture, [.push, .webhook], devices: []).id

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.failed])

            #expect(try await fixture.states() == ["failed no_channel"])
            var expected = MessageCounts()
            expected.undelivered = 1
            expected.lastUndeliveredAt = Fixture.at(18)
            #expect(try await fixture.store.countMessages(of: [id]) == [id: expected])
        }
    }

    @Test func `without a mail server, push messages are sent and mails wait`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")
            _ = try await enrol(fixture, [.push])
            let step = fixture.step(Channels(push: fixture.channels.push))

            #expect(try await drain(step, at: Fixture.at(18)) == [.sent])
            #expect(fixture.receivers.requests.count == 1)
            #expect(try await drain(fixture.step, at: Fixture.at(18, 1)) == [.sent])
            #expect(fixture.mailServer.sent.count == 1)
        }
    }

    @Test func `until the address is verified, push messages are sent and mails wait`() async throws {
        try await Fixture.with { fixture in
            let participant = try await enrol(fixture, [.mail], devices: [], isVerified: false)
            _ = try await enrol(fixture, [.mail, .push], isVerified: false)

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])
            #expect(fixture.receivers.requests.count == 1)
            #expect(fixture.mailServer.sent.isEmpty)

            try await verify(fixture, participant.account, at: Fixture.at(18, 1))
            #expect(fixture.mailServer.sent.map(\.subject) == ["Confirm your e-mail address for Saunter"])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 2)) == [.sent])
            #expect(fixture.mailServer.sent.map(\.to).last == "\(participant.account)@example.org")
            #expect(try await fixture.states() == ["sent", "sent"])
        }
    }

    @Test(arguments: [true, false])
    func `a message whose other channels failed waits until the address is verified`(hasDevice: Bool)
        async throws
    {
        try await Fixture.with { fixture in
            let participant = try await enrol(
                fixture, [.push, .mail], devices: hasDevice ? ["a"] : [], isVerified: false)
            fixture.receivers.answerAll(.status(410, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.retrying])
            #expect(fixture.mailServer.sent.isEmpty)
            #expect(try await attempts(fixture) == (hasDevice ? ["1 push gone"] : []))

            try await verify(fixture, participant.account, at: Fixture.at(18, 10))
            #expect(try await drain(fixture.step, at: Fixture.at(18, 15)) == [.sent])
            #expect(fixture.mailServer.sent.count == 2)
        }
    }

    /// Lets the step send a code, and verifies the address with it.
    private func verify(_ fixture: Fixture, _ account: AccountID, at now: Instant) async throws {
        let code = RandomToken.make()
        try await fixture.store.resendEmailVerification(code, of: account, now: now)
        #expect(try await drain(fixture.step, at: now) == [.sent])
        #expect(fixture.mailServer.sent.last?.text.contains(code.text) == true)
        #expect(try await fixture.store.verifyEmail(codeHash: code.digest, of: account, now: now))
    }

    @Test func `without a mail server, a mail that waits for a retry is not changed`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol(in: "per_occasion")
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))
            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.retrying])

            let step = fixture.step(Channels(push: fixture.channels.push))
            #expect(try await drain(step, at: Fixture.at(18, 10)) == [])

            #expect(try await attempts(fixture) == ["1 mail temporary_failure 451"])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 20)) == [.sent])
        }
    }

    @Test func `two concurrent workers send each push message once`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<5 { _ = try await enrol(fixture, [.push]) }

            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { [step = fixture.step] in
                        while try await step.run(now: Fixture.at(18)) != .idle {}
                    }
                }
                try await group.waitForAll()
            }

            #expect(fixture.receivers.requests.count == 5)
            #expect(Set(fixture.receivers.requests.map(\.url.text)).count == 5)
        }
    }

    @Test func `a webhook names the participant only by the pseudonym`() async throws {
        try await Fixture.with { fixture in
            let id = try await enrol(fixture, [.webhook]).id
            let secret = try await setWebhook(fixture)

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])

            let request = try #require(fixture.receivers.requests.first)
            #expect(request.url.text == "https://hooks.example.net/x")
            let body = String(decoding: request.body, as: UTF8.self)
            let data = try #require(try JSONReader.read(body)["data"])
            #expect(data["enrolment_id"]?.string == id.description)
            #expect(data["participant_id"]?.string?.hasPrefix("P-") == true)
            #expect(!body.contains("Ada") && !body.contains("example.org"))
            let (messageID, timeText) = (
                try #require(request.header("webhook-id")), try #require(request.header("webhook-timestamp"))
            )
            let timestamp = try #require(Int(timeText))
            #expect(timestamp == Int(Fixture.at(18).milliseconds / 1000))
            #expect(
                request.header("webhook-signature")
                    == secret.signature(id: messageID, timestamp: timestamp, body: request.body))
        }
    }

    private func setWebhook(_ fixture: Fixture) async throws -> WebhookSecret {
        let secret = WebhookSecret.make()
        let webhook = StudyWebhook(
            study: "per_occasion", url: "https://hooks.example.net/x", secret: Secret(secret.text),
            setAt: Fixture.noon)
        _ = try await fixture.store.set(
            webhook, audit: AuditEntry(actor: .system, action: "webhook_set", study: "per_occasion"))
        #expect(try await fixture.store.findWebhook("per_occasion") == webhook)
        return secret
    }

    @Test func `a webhook message keeps its id over all attempts, and each attempt has a new signature`()
        async throws
    {
        try await Fixture.with { fixture in
            _ = try await enrol(fixture, [.webhook])
            _ = try await setWebhook(fixture)
            fixture.receivers.answerNext(.status(500, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(19)) == [.retrying])
            #expect(try await fixture.store.findWebhook("per_occasion")?.failures == 1)
            #expect(try await drain(fixture.step, at: Fixture.at(19, 1)) == [.sent])

            #expect(Set(fixture.receivers.requests.compactMap { $0.header("webhook-id") }).count == 1)
            #expect(Set(fixture.receivers.requests.compactMap { $0.header("webhook-signature") }).count == 2)
            #expect(try await fixture.store.findWebhook("per_occasion")?.failures == 0)
        }
    }

    @Test func `a webhook that answers 410 is disabled at once, and the next channel sends the message`()
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await enrol(fixture, [.webhook, .mail]).id
            _ = try await setWebhook(fixture)
            fixture.receivers.answerNext(.status(410, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])
            #expect(try await drain(fixture.step, at: Fixture.at(18, 30)) == [.sent])

            #expect(fixture.receivers.requests.count == 1)
            #expect(fixture.mailServer.sent.count == 2)
            let stored = try #require(try await fixture.store.findWebhook("per_occasion"))
            #expect(stored.disabledReason == .gone && stored.disabledAt == Fixture.at(18))
            // A failure of the study's webhook does not count against the participant.
            #expect(try await fixture.store.listUnreachableChannels(of: [id]).isEmpty)
        }
    }

    @Test func `a webhook that answers 404 stays enabled`() async throws {
        try await Fixture.with { fixture in
            _ = try await enrol(fixture, [.webhook, .mail])
            _ = try await setWebhook(fixture)
            fixture.receivers.answerNext(.status(404, retryAfter: nil))

            #expect(try await drain(fixture.step, at: Fixture.at(18)) == [.sent])
            #expect(fixture.mailServer.sent.count == 1)
            let stored = try #require(try await fixture.store.findWebhook("per_occasion"))
            #expect(stored.disabledAt == nil && stored.failures == 1 && stored.lastReplyCode == 404)

            #expect(try await drain(fixture.step, at: Fixture.at(18, 30)) == [.sent])
            #expect(fixture.receivers.requests.count == 2 && fixture.mailServer.sent.count == 1)
        }
    }

    @Test(arguments: [(9, 48, nil), (10, 23, nil), (10, 24, StudyWebhook.DisabledReason.failing)])
    func `a webhook is disabled after ten failures over 24 hours`(
        failures: Int, hours: Int, reason: StudyWebhook.DisabledReason?
    ) async throws {
        try await Fixture.with { fixture in
            _ = try await fixture.enrol(in: "per_occasion")
            _ = try await setWebhook(fixture)
            let webhook = try #require(try await fixture.store.findWebhook("per_occasion"))

            for number in 1...failures {
                try await fixture.store.recordFailure(
                    of: webhook, code: 500, isGone: false,
                    now: Fixture.noon.adding(seconds: number < failures ? 0 : hours * 3600))
            }

            let stored = try #require(try await fixture.store.findWebhook("per_occasion"))
            #expect(
                stored.disabledReason == reason && stored.failures == failures && stored.lastReplyCode == 500)
            _ = try await setWebhook(fixture)
        }
    }
}
