import Crypto
import Foundation
import Logging
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct PushSenderTests {
    private static let now = Instant("2026-11-21T12:00:00.000Z") ?? .minimum
    private static let key = VAPIDKey(StoreSecrets(master: [UInt8](repeating: 7, count: 32)))

    private func payload(_ occasions: [OccasionID] = [], seconds: Int = 7200, body: String = "b")
        -> PushPayload
    {
        PushPayload(
            title: "t", body: body, language: "de", publicURL: "https://s.example",
            message: MessageID(UUID()), enrolment: EnrolmentID(UUID()), occasions: occasions,
            expiresAt: Self.now.adding(seconds: seconds))
    }

    private func sender(_ outcome: OutboundOutcome = .status(201, retryAfter: nil)) -> PushSender {
        PushSender(
            key: Self.key, contact: "mailto:study@example.org", client: OutboundClient { _ in outcome },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func subscription(_ endpoint: String = "https://push.example.net:8443/p") throws
        -> PushSubscription
    {
        try PushSubscription(PushExample.body(endpoint), policy: OutboundPolicy())
    }

    @Test func `the token is signed for the origin of the push service and expires within a day`() throws {
        let request = try sender().request(payload(), to: try subscription(), now: Self.now)

        let value = try #require(request.header("Authorization"))
        let parts = value.dropFirst("vapid t=".count).split(separator: ",")
        let token = parts[0].split(separator: ".").map(String.init)
        let claims = try JSONReader.read(
            String(decoding: try #require(Data(base64URL: token[1])), as: UTF8.self))
        #expect(claims["aud"] == "https://push.example.net:8443")
        #expect(claims["sub"] == "mailto:study@example.org")
        let now = Int(Self.now.milliseconds / 1000)
        #expect((now...now + 86_400).contains(try #require(claims["exp"]?.int)))
        let publicKey = try P256.Signing.PublicKey(
            x963Representation: try #require(Data(base64URL: String(parts[1].dropFirst(3)))))
        #expect(parts[1] == " k=\(Self.key.publicKey)")
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Data(base64URL: token[2])))
        #expect(publicKey.isValidSignature(signature, for: Data("\(token[0]).\(token[1])".utf8)))
    }

    @Test(arguments: [
        (7200, "7200", "normal"), (3600, "3600", "high"), (-5, "0", "high"),
        (90 * 86_400, String(28 * 86_400), "normal"),
    ])
    func `the TTL ends with the message, and the urgency is high in the last hour`(
        _ seconds: Int, _ ttl: String, _ urgency: String
    ) throws {
        let request = try sender().request(payload(seconds: seconds), to: try subscription(), now: Self.now)
        #expect(request.header("TTL") == ttl && request.header("Urgency") == urgency)
        #expect(request.header("Content-Encoding") == "aes128gcm")
    }

    @Test func `messages about the same occasions have the same topic, and others have another`() {
        let (first, second) = (OccasionID(UUID()), OccasionID(UUID()))
        var message = payload([first, second])
        let topic = message.topic
        message.message = MessageID(UUID())
        message.occasions = [second, first]

        #expect(message.topic == topic && topic.utf8.count == 32)
        message.occasions = [first]
        #expect(message.topic != topic)
    }

    @Test(arguments: ["x", "\u{1}", "\u{1F6B6}", "\""])
    func `a text that is too long is cut to the maximum size`(_ character: String) throws {
        let bytes = payload(
            (0..<100).map { _ in OccasionID(UUID()) }, body: String(repeating: character, count: 9000)
        ).json(maximumBytes: PushSubscription.maximumPlaintext)
        #expect(bytes.count <= PushSubscription.maximumPlaintext)
        let read = try JSONReader.read(String(decoding: bytes, as: UTF8.self))
        #expect(read["notification"]?["data"]?["occasion_ids"]?.array?.count == 20)
    }

    @Test(arguments: [
        (OutboundOutcome.status(201, retryAfter: nil), DeliveryOutcome.accepted),
        (.status(202, retryAfter: nil), .accepted), (.status(404, retryAfter: nil), .gone),
        (.status(410, retryAfter: nil), .gone), (.status(413, retryAfter: nil), .permanentFailure(code: 413)),
        (.status(400, retryAfter: nil), .permanentFailure(code: 400)),
        (.status(307, retryAfter: nil), .permanentFailure(code: 307)),
        (.status(408, retryAfter: nil), .temporaryFailure(code: 408)),
        (.status(425, retryAfter: 5), .temporaryFailure(code: 425, retryAfter: 5)),
        (.status(429, retryAfter: 90), .temporaryFailure(code: 429, retryAfter: 90)),
        (.status(503, retryAfter: nil), .temporaryFailure(code: 503)),
        (.addressRefused, .permanentFailure(code: nil)), (.notSent("x"), .temporaryFailure(code: nil)),
        (.lost("x"), .unknown),
    ])
    func `the outcome of a request determines the delivery outcome`(
        _ outcome: OutboundOutcome, _ expected: DeliveryOutcome
    ) {
        #expect(DeliveryOutcome(outcome) == expected)
    }

    @Test(arguments: [
        ([DeliveryOutcome.gone, .accepted, .unknown], DeliveryOutcome.accepted),
        ([.gone, .unknown, .temporaryFailure(code: 503)], .unknown),
        ([.gone, .gone], .gone),
        ([.gone, .permanentFailure(code: 413)], .permanentFailure(code: 413)),
        (
            [
                .temporaryFailure(code: 429, retryAfter: 90), .permanentFailure(code: 400),
                .temporaryFailure(code: 503, retryAfter: 60),
            ],
            .temporaryFailure(code: 503, retryAfter: 60)
        ),
    ])
    func `the outcomes of several devices are combined`(
        _ outcomes: [DeliveryOutcome], _ expected: DeliveryOutcome
    ) {
        #expect(PushSender.combined(outcomes) == expected)
    }
}
