import Crypto
import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct PushSubscriptionRouteTests {
    private static let path = "/v1/account/push-subscriptions"

    /// The subscription of a new device.
    private static func subscription(at endpoint: String) -> JSON {
        let key = P256.KeyAgreement.PrivateKey().publicKey.x963Representation
        let secret = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        return [
            "endpoint": .string(endpoint), "expirationTime": nil,
            "keys": ["p256dh": .string(key.base64URL), "auth": .string(secret.base64URL)],
        ]
    }

    /// The subscription of a new device, with its own endpoint.
    private static func subscription() -> JSON { subscription(at: "https://push.example.net/\(UUID())") }

    @Test(
        arguments: [
            ("endpoint", "http://push.example.net/a", "/endpoint"),
            ("endpoint", "https://10.0.0.1/", "/endpoint"),
            ("endpoint", "https://[::1]/", "/endpoint"),
            ("endpoint", "https://[::ffff:169.254.169.254]/", "/endpoint"),
            ("endpoint", "https://a@push.example.net/", "/endpoint"),
            (
                "endpoint", "https://push.example.net/" + String(repeating: "a", count: 3000), "/endpoint"
            ),
            ("p256dh", "BA" + String(repeating: "A", count: 85), "/keys/p256dh"),
            ("p256dh", String(repeating: "A", count: 87), "/keys/p256dh"),
            ("auth", String(repeating: "A", count: 24), "/keys/auth"),
        ])
    func `an unusable subscription is rejected`(
        _ member: String, _ value: String, _ pointer: String
    ) async throws {
        let valid = Self.subscription()
        let change = JSON.object(JSONObject([.init(name: member, value: .string(value))]))
        let body =
            member == "endpoint"
            ? valid.with(change) : valid.with(["keys": (valid["keys"] ?? [:]).with(change)])

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put("\(Self.path)/\(SampleBatch.newID())", body)

            answer.expectProblem(422, "body-invalid", [pointer])
            #expect(answer.json["errors"]?.array?.count == 1)
            #expect(try await ada.get(Self.path).json["items"]?.array?.isEmpty == true)
        }
    }

    @Test func `the list of devices contains no address and no key`() async throws {
        let (id, body) = (SampleBatch.newID(), Self.subscription())

        try await ServerFixture.withParticipant { ada async throws in
            let first = try await ada.put("\(Self.path)/\(id)", body)
            let second = try await ada.put("\(Self.path)/\(id)", body)
            let list = try await ada.get(Self.path)

            #expect(first.status == 201)
            #expect(second.status == 200)
            let items = list.json["items"]?.array ?? []
            #expect(items.map { $0["subscription_id"]?.string } == [id])
            #expect(items.map { $0["service"]?.string } == ["https://push.example.net"])
            let secrets = [body["endpoint"], body["keys"]?["auth"], body["keys"]?["p256dh"]]
            for secret in secrets.compactMap({ $0?.string }) { #expect(!list.text.contains(secret)) }
        }
    }

    @Test func `a device that another account registers belongs to this account only`() async throws {
        let path = "\(Self.path)/\(SampleBatch.newID())"
        let body = Self.subscription()

        try await ServerFixture.withParticipant { ada async throws in
            let ben = try await ada.newParticipant()
            #expect(try await ada.put(path, body).status == 201)
            try await ben.send(.delete, path).expectProblem(404, "not-found")

            #expect(try await ben.put(path, body).status == 201)

            #expect(try await ada.get(Self.path).json["items"]?.array?.isEmpty == true)
            #expect(try await ben.send(.delete, path).status == 204)
            try await ben.send(.delete, path).expectProblem(404, "not-found")
        }
    }

    @Test func `an account can register ten devices`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            for _ in 0..<10 {
                let answer = try await ada.put("\(Self.path)/\(SampleBatch.newID())", Self.subscription())
                #expect(answer.status == 201)
            }

            let answer = try await ada.put("\(Self.path)/\(SampleBatch.newID())", Self.subscription())

            answer.expectProblem(403, "not-permitted")
        }
    }
}
