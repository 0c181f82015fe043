import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Purchases in the app store: signed transactions of clients, notices of the store, and every kind of forgery.
@Suite struct PurchaseRouteTests {
    private static let store = TestAppStore.shared
    private static let notices = "/v1/purchase-notifications/app_store"

    private static func with(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        try await ServerFixture.withParticipant(in: TestAppStore.study, body)
    }

    private static func body(_ jws: String) -> JSON {
        [
            "provider": "app_store", "study": .string(TestAppStore.study),
            "signed_transaction": .string(jws),
        ]
    }

    /// A transaction that no other test uses.
    private static func newOriginal() -> String { String(UInt64.random(in: 1...UInt64(Int64.max))) }

    private static func buy(_ transaction: JSON, _ ada: APICaller) async throws -> Answer {
        try await ada.post("/v1/account/purchases", body(try store.sign(transaction)))
    }

    private static func state(_ ada: APICaller) async throws -> JSON? {
        try await ada.get(ada.own("/entitlements")).json["items"]?.array?.first?["state"]
    }

    // MARK: - Plans and claims

    @Test func `anyone reads the plans in a language of the study`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let path = "/v1/studies/\(TestAppStore.study)/plans"
            let plans = try await caller.get(path).json["items"]?.array ?? []
            let german = try await caller.send(.get, path, bytes: nil, headers: [.acceptLanguage: "de"])

            #expect(plans.map { $0["plan"]?.string } == ["monthly", "yearly"])
            #expect(plans.first?["entitlement"] == "premium" && plans.first?["period"] == "per month")
            #expect(plans.first?["store_product"] == "calm.premium.month")
            #expect(german.json["items"]?.array?.first?["period"] == "pro Monat")
            #expect(try await caller.get("/v1/studies/small-steps/plans").json["items"] == [])
            try await caller.get("/v1/studies/nothing/plans").expectProblem(404, "not-found")
        }
    }

    @Test func `a purchase gives its entitlement once, and to one account`() async throws {
        try await Self.with { ada async throws in
            let ben = try await ada.newParticipant(in: TestAppStore.study)
            let transaction = TestAppStore.transaction(Self.newOriginal())

            let first = try await Self.buy(transaction, ada)
            let again = try await Self.buy(transaction, ada)

            #expect(first.status == 200 && first.json["entitlement"] == "premium")
            #expect(first.json["state"] == "active" && again.json == first.json)
            let own = try await ada.get(ada.own("/entitlements")).json["items"]?.array ?? []
            #expect(own.count == 1 && own[0]["source"] == "app_store" && own[0]["title"] == "Premium")
            try await Self.buy(transaction, ben).expectProblem(409, "purchase-taken")
            #expect(try await ben.get(ben.own("/entitlements")).json["items"] == [])
        }
    }

    @Test func `a study that is not sold, and an unknown provider, are not found`() async throws {
        try await Self.with { ada async throws in
            let jws = try Self.store.sign(TestAppStore.transaction(Self.newOriginal()))
            for study in ["small-steps", "nothing"] {
                let body = Self.body(jws).with(["study": .string(study)])
                try await ada.post("/v1/account/purchases", body).expectProblem(404, "not-found")
            }
            try await ada.post("/v1/purchase-notifications/play_store", ["signedPayload": .string(jws)])
                .expectProblem(404, "not-found")
        }
    }

    // MARK: - Forgeries

    @Test func `what the store did not sign for this app and environment is refused`() async throws {
        try await Self.with { ada async throws in
            let store = Self.store
            func refuse(_ jws: String, _ what: String) async throws {
                let answer = try await ada.post("/v1/account/purchases", Self.body(jws))
                #expect(answer.status == 422 && answer.slug == "purchase-invalid", "\(what): \(answer.text)")
                let notice = try await ada.post(Self.notices, ["signedPayload": .string(jws)])
                #expect(notice.status == 422, "\(what): \(notice.text)")
            }
            let valid = TestAppStore.transaction(Self.newOriginal())
            let jws = try store.sign(valid)
            let parts = jws.split(separator: ".").map(String.init)
            let other = Data(valid.with(["productId": "calm.premium.year"]).text.utf8).base64URL
            func header(_ text: String) -> String { Data(text.utf8).base64URL }

            try await refuse(try TestAppStore().sign(valid), "another root")
            try await refuse("\(parts[0]).\(other).\(parts[2])", "another payload")
            try await refuse("\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))", "another signature")
            try await refuse("\(parts[0]).\(parts[1]).", "no signature")
            try await refuse("\(header(#"{"alg":"none"}"#)).\(parts[1]).", "no algorithm")
            try await refuse("\(header(#"{"alg":"ES256"}"#)).\(parts[1]).\(parts[2])", "no chain")
            try await refuse(try store.sign(valid, algorithm: "HS256"), "another algorithm")
            try await refuse(try store.sign(valid, algorithm: "ES384"), "another curve")
            try await refuse(try store.sign(valid, certificates: 1), "the leaf alone")
            try await refuse(try store.sign(valid, certificates: 2), "no root")
            let expired = store.signer(validUntil: ServerFixture.now.adding(seconds: -86_400))
            try await refuse(try store.sign(valid, by: expired), "certificates that have expired")
            let future = TestAppStore.milliseconds(ServerFixture.now, days: 1)
            try await refuse(try store.sign(valid.with(["signedDate": future])), "signed in the future")
            for text in ["a.b.c", "", "..", "\(jws).\(jws)"] where !text.isEmpty {
                try await refuse(text, "no JWS")
            }
            #expect(try await ada.get(ada.own("/entitlements")).json["items"] == [])
        }
    }

    @Test(
        arguments: [
            ["bundleId": "org.example.other"], ["environment": "Sandbox"], ["productId": "calm.gold"],
            ["type": "Consumable", "expiresDate": nil],
            ["type": "Non-Renewing Subscription", "expiresDate": nil], ["originalTransactionId": nil],
            ["signedDate": "now"],
        ] as [JSON])
    func `a signed transaction of another app, environment, product or type is refused`(_ changes: JSON)
        async throws
    {
        try await Self.with { ada async throws in
            let answer = try await Self.buy(TestAppStore.transaction(Self.newOriginal(), changes), ada)

            answer.expectProblem(422, "purchase-invalid")
        }
    }

    @Test func `markers of the certificates are checked if the operator requires them`() async throws {
        let store = Self.store
        let verifier = try AppStoreVerifier(store.settings(requiresMarkers: true))
        let transaction = TestAppStore.transaction("1")

        let marked = try store.sign(transaction, by: store.signer(hasMarkers: true))
        let plain = try store.sign(transaction)

        #expect(
            try await verifier.transaction(marked, now: ServerFixture.now).product == "calm.premium.month")
        await #expect(throws: Problem.self) {
            _ = try await verifier.transaction(plain, now: ServerFixture.now)
        }
        let sandbox = try AppStoreVerifier(store.settings(environment: .sandbox))
        await #expect(throws: Problem.self) {
            _ = try await sandbox.transaction(plain, now: ServerFixture.now)
        }
    }

    // MARK: - Notices

    @Test func `a renewal extends, a refund ends after three days, and older notices undo nothing`()
        async throws
    {
        try await Self.with { ada async throws in
            let original = Self.newOriginal()
            let now = ServerFixture.now
            func at(_ days: Double) -> JSON { TestAppStore.milliseconds(now, days: days) }
            func send(_ notice: JSON) async throws {
                let answer = try await ada.post(Self.notices, notice)
                #expect(answer.status == 204, "\(answer.text)")
            }
            func until() async throws -> String? {
                try await ada.get(ada.own("/entitlements")).json["items"]?.array?.first?["valid_until"]?
                    .string
            }
            let first: JSON = ["purchaseDate": at(-40), "expiresDate": at(-10), "signedDate": at(-40)]
            let bought = TestAppStore.transaction(original, first)
            #expect(try await Self.buy(bought, ada).json["state"] == "ended")

            let renewed = TestAppStore.transaction(
                original, ["purchaseDate": at(-10), "expiresDate": at(20), "signedDate": at(-10)])
            let renewal = try Self.store.notice("DID_RENEW", renewed, signed: -10)
            try await send(renewal)
            #expect(try await Self.state(ada) == "active")
            #expect(try await until() == now.adding(seconds: 20 * 86_400).description)
            // The app sends the transaction of the first month again.
            #expect(try await Self.buy(bought, ada).json["state"] == "active")

            let refund = try Self.store.notice("REFUND", renewed, signed: -1)
            try await send(refund)
            #expect(try await Self.state(ada) == "grace")
            #expect(try await until() == now.adding(seconds: -86_400).description)
            try await send(renewal)
            try await send(refund)
            #expect(try await Self.buy(renewed, ada).json["state"] == "grace")
            #expect(try await Self.state(ada) == "grace")

            let revoked = TestAppStore.transaction(
                original, ["purchaseDate": at(-10), "expiresDate": at(20), "revocationDate": at(-4)])
            try await send(try Self.store.notice("REVOKE", revoked, signed: -0.5))
            #expect(try await Self.state(ada) == "ended")
            try await send(try Self.store.notice("REFUND_REVERSED", renewed, signed: -0.25))
            #expect(try await Self.state(ada) == "active")
        }
    }

    @Test
    func `a refund that arrives before the purchase is claimed cannot be undone by an older transaction`()
        async throws
    {
        try await Self.with { ada async throws in
            let at = { TestAppStore.milliseconds(ServerFixture.now, days: $0) }
            let bought = TestAppStore.transaction(
                Self.newOriginal(), ["purchaseDate": at(-9), "signedDate": at(-9)])
            let notice = try Self.store.notice("REFUND", bought.with(["revocationDate": at(-8)]), signed: -8)
            #expect(try await ada.post(Self.notices, notice).status == 204)

            #expect(try await Self.buy(bought, ada).json["state"] == "ended")
        }
    }

    @Test func `notices that are not about a purchase of this server change nothing`() async throws {
        try await Self.with { ada async throws in
            #expect(try await ada.post(Self.notices, try Self.store.notice("TEST", nil)).status == 204)
            let foreign = TestAppStore.transaction(Self.newOriginal(), ["bundleId": "org.example.other"])
            try await ada.post(Self.notices, try Self.store.notice("DID_RENEW", foreign))
                .expectProblem(422, "purchase-invalid")
            let unknown = TestAppStore.transaction(Self.newOriginal(), ["productId": "calm.gold"])
            try await ada.post(Self.notices, try Self.store.notice("DID_RENEW", unknown))
                .expectProblem(422, "purchase-invalid")
        }
    }

    @Test func `the database and the audit name no transaction`() async throws {
        try await Self.with { ada async throws in
            let original = "canary\(Self.newOriginal())"
            #expect(try await Self.buy(TestAppStore.transaction(original), ada).status == 200)

            #expect(try await ada.server.auditEntries(containing: original) == [])
            let stored = try await ada.server.storedEntitlements()
            #expect(!stored.contains(original) && stored.contains("app_store"))
        }
    }
}
