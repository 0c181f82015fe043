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

    private func note(_ occasions: [OccasionID] = [], seconds: Int = 7200, body: String = "b") -> PushNote {
        PushNote(
            title: "t", body: body, language: "de", url: "https://s.example", message: MessageID(UUID()),
            enrolment: EnrolmentID(UUID()), occasions: occasions,
            closesAt: Self.now.adding(seconds: seconds))
    }

    private func sender(_ reply: OutwardReply = .status(201, retryAfter: nil)) -> PushSender {
        PushSender(
            key: Self.key, contact: "mailto:study@example.org", caller: OutwardCaller { _ in reply },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func subscription(_ endpoint: String = "https://push.example.net:8443/p") throws
        -> PushSubscription
    {
        try PushSubscription(PushExample.body(endpoint), rule: OutwardRule())
    }

    @Test func `the token is signed for the service's origin and ends within a day`() throws {
        let post = try sender().post(note(), to: try subscription(), now: Self.now)

        let value = try #require(post.header("Authorization"))
        let parts = value.dropFirst("vapid t=".count).split(separator: ",")
        let token = parts[0].split(separator: ".").map(String.init)
        let claims = try JSONReader.read(
            String(decoding: try #require(Data(base64URL: token[1])), as: UTF8.self))
        #expect(claims["aud"] == "https://push.example.net:8443")
        #expect(claims["sub"] == "mailto:study@example.org")
        let now = Int(Self.now.milliseconds / 1000)
        #expect((now...now + 86_400).contains(try #require(claims["exp"]?.int)))
        let known = try P256.Signing.PublicKey(
            x963Representation: try #require(Data(base64URL: String(parts[1].dropFirst(3)))))
        #expect(parts[1] == " k=\(Self.key.publicKey)")
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Data(base64URL: token[2])))
        #expect(known.isValidSignature(signature, for: Data("\(token[0]).\(token[1])".utf8)))
    }

    @Test(arguments: [
        (7200, "7200", "normal"), (3600, "3600", "high"), (-5, "0", "high"),
        (90 * 86_400, String(28 * 86_400), "normal"),
    ])
    func `it is kept until it is of no use, and hurries towards the end`(
        _ seconds: Int, _ ttl: String, _ urgency: String
    ) throws {
        let post = try sender().post(note(seconds: seconds), to: try subscription(), now: Self.now)
        #expect(post.header("TTL") == ttl && post.header("Urgency") == urgency)
        #expect(post.header("Content-Encoding") == "aes128gcm")
    }

    @Test func `a later message about the same replaces the earlier one, and no other`() {
        let (one, two) = (OccasionID(UUID()), OccasionID(UUID()))
        var first = note([one, two])
        let topic = first.topic
        first.message = MessageID(UUID())
        first.occasions = [two, one]

        #expect(first.topic == topic && topic.utf8.count == 32)
        first.occasions = [one]
        #expect(first.topic != topic)
    }

    @Test(arguments: ["x", "\u{1}", "\u{1F6B6}", "\""])
    func `words without end are cut to what fits`(_ character: String) throws {
        let bytes = note(
            (0..<100).map { _ in OccasionID(UUID()) }, body: String(repeating: character, count: 9000)
        ).json(within: PushSubscription.mostPlaintext)
        #expect(bytes.count <= PushSubscription.mostPlaintext)
        let read = try JSONReader.read(String(decoding: bytes, as: UTF8.self))
        #expect(read["notification"]?["data"]?["occasion_ids"]?.array?.count == 20)
    }

    @Test(arguments: [
        (OutwardReply.status(201, retryAfter: nil), DeliveryOutcome.accepted),
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
    func `a service's answer means`(_ reply: OutwardReply, _ expected: DeliveryOutcome) {
        #expect(PushSender.outcome(of: reply) == expected)
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
    func `several devices come to one answer`(_ each: [DeliveryOutcome], _ expected: DeliveryOutcome) {
        #expect(PushSender.together(each) == expected)
    }
}
