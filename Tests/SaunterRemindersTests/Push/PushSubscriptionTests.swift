import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct PushSubscriptionTests {
    @Test func `the subscription of a browser is parsed, and its stored form can be parsed again`() throws {
        let subscription = try PushSubscription(
            PushExample.body(key: PushExample.key + "="), policy: OutboundPolicy())

        #expect(subscription.publicKey.count == 65 && subscription.secret.count == 16)
        #expect(try PushSubscription(subscription.json, policy: OutboundPolicy()) == subscription)
    }

    private static let offCurve = Data([4] + [UInt8](repeating: 1, count: 64)).base64URL
    private static let infinity = Data([UInt8](repeating: 0, count: 65)).base64URL

    private static let invalid: [(JSON, String)] = [
        (PushExample.body("http://push.example.net/"), "/endpoint"),
        (PushExample.body("https://127.0.0.1/"), "/endpoint"),
        (PushExample.body("https://[fe80::1]/"), "/endpoint"),
        (PushExample.body(key: offCurve), "/keys/p256dh"),
        (PushExample.body(key: infinity), "/keys/p256dh"),
        (PushExample.body(key: PushExample.secret), "/keys/p256dh"),
        (PushExample.body(key: String(PushExample.key.dropLast(44))), "/keys/p256dh"),
        (PushExample.body(secret: PushExample.key), "/keys/auth"),
        (PushExample.body(secret: "B!BZMqHH6r4Tts7J_aSIgg"), "/keys/auth"),
        (.object(JSONObject()), "/endpoint"),
    ]

    @Test(arguments: invalid)
    func `an invalid subscription is rejected with a JSON pointer`(_ body: JSON, _ pointer: String) {
        #expect {
            try PushSubscription(body, policy: OutboundPolicy())
        } throws: { error in
            (error as? Faults)?.list.contains { $0.pointer == pointer } == true
        }
    }
}

@Suite struct VAPIDKeyTests {
    @Test func `the key is derived from the master key`() {
        let secrets = StoreSecrets(master: [UInt8](repeating: 7, count: 32))

        let key = VAPIDKey(secrets).publicKey

        #expect(key == VAPIDKey(StoreSecrets(master: [UInt8](repeating: 7, count: 32))).publicKey)
        #expect(key != VAPIDKey(StoreSecrets(master: [UInt8](repeating: 8, count: 32))).publicKey)
        #expect(Data(base64URL: key)?.count == 65)
    }
}
