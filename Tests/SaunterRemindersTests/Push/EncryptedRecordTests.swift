import Crypto
import Foundation
import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct EncryptedRecordTests {
    private func bytes(_ text: String) throws -> [UInt8] { Array(try #require(Data(base64URL: text))) }

    /// RFC 8188, section 3.1.
    @Test func `the example of RFC 8188 produces the documented record`() throws {
        let record = try EncryptedRecord(
            sealing: Array("I am the walrus".utf8),
            input: SymmetricKey(data: try bytes("yqdlZ-tYemfogSmv7Ws5PQ")),
            salt: try bytes("I1BsxtFttlv3u_Oo94xnmw"))

        #expect(
            Data(record.bytes).base64URL
                == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    /// RFC 8291, section 5 and appendix A.
    @Test func `the example of RFC 8291 produces the documented message`() throws {
        let subscription = try PushSubscription(PushExample.body(), policy: OutboundPolicy())
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: try bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))

        let message = try subscription.encrypted(
            Array("When I grow up, I want to be a watermelon".utf8), key: key,
            salt: try bytes("DGv6ra1nlYgDCS1FRnbzlw"))

        let expected = [
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w",
            "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
        ]
        #expect(Data(message).base64URL == expected.joined())
    }

    @Test func `each message has a new key and salt, and the longest message fits into one record`() throws {
        let subscription = try PushSubscription(PushExample.body(), policy: OutboundPolicy())
        let plain = [UInt8](repeating: 7, count: PushSubscription.maximumPlaintext)

        let (first, second) = (try subscription.encrypted(plain), try subscription.encrypted(plain))

        #expect(first.count == 4096)
        #expect(first.prefix(16) != second.prefix(16))
        #expect(first[21..<86] != second[21..<86])
    }
}

/// The device of the example in RFC 8291.
enum PushExample {
    static let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    static func body(
        _ endpoint: String = "https://push.example.net/p", key: String = key, secret: String = secret
    ) -> JSON {
        [
            "endpoint": .string(endpoint), "expirationTime": nil,
            "keys": ["p256dh": .string(key), "auth": .string(secret)],
        ]
    }
}
