import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct AnonymousAccountRouteTests {
    private static let password = "correct horse battery"
    private static let study = "open-door"

    private static func start(_ caller: APICaller) async throws -> APICaller {
        var anonymous = caller
        let answer = try await caller.post("/v1/accounts/anonymous", ["language": "de"])
        try #require(answer.status == 201, "\(answer.text)")
        #expect(answer.json["account_kind"] == "anonymous")
        anonymous.token = answer.json["access_token"]?.string
        return anonymous
    }

    private static func credentials(_ email: String, password: String = Self.password) -> JSON {
        ["email": .string(email), "password": .string(password)]
    }

    private static func registration(_ email: String, name: String = "Ada Canary") -> JSON {
        ["email": .string(email), "password": .string(password), "display_name": .string(name)]
    }

    @Test func `an anonymous account enrols, is registered, and keeps its enrolment`() async throws {
        try await ServerFixture.withCaller { caller in
            var ada = try await Self.start(caller)
            let email = "ada-\(UUID())@example.org"
            let profile = try await ada.get("/v1/account").json
            #expect(profile["kind"] == "anonymous" && profile["email"] == .null)

            try await ada.post(
                "/v1/studies/mindful-walking/enrolments",
                ["consent": ["version": "1.0.0", "accepted": true], "time_zone": "Europe/Berlin"]
            ).expectProblem(403, "not-permitted")
            try await ada.send(.patch, "/v1/account", ["email": .string(email), "password": "x"])
                .expectProblem(403, "not-permitted")
            try await ada.enrol(in: Self.study)

            let first = try await ada.post("/v1/account/registration", Self.registration(email))
            let again = try await ada.post("/v1/account/registration", Self.registration(email))
            #expect(first.status == 200 && again.status == 200)
            #expect(first.json["kind"] == "registered" && first.json == again.json)
            #expect(first.json["email"]?.string == email)
            for changed in [
                Self.registration("x" + email), Self.registration(email, name: "Eve"),
                [
                    "email": .string(email), "password": "another horse battery",
                    "display_name": "Ada Canary",
                ] as JSON,
            ] {
                try await ada.post("/v1/account/registration", changed)
                    .expectProblem(409, "already-registered")
            }
            #expect(try await ada.get(ada.own("")).status == 200)
            let mails = try await caller.server.mails(of: first.json["account_id"]?.string ?? "")
            #expect(Set(mails.keys) == [.emailVerification])
            try await ada.post("/v1/account/adoption", Self.credentials(email))
                .expectProblem(409, "already-registered")
        }
    }

    @Test func `a registration with a taken address is rejected`() async throws {
        try await ServerFixture.withCaller { caller in
            let owner = try await caller.server.makeAccount(passwordHash: "none")
            let ada = try await Self.start(caller)

            try await ada.post("/v1/account/registration", Self.registration(owner.address))
                .expectProblem(409, "email-taken")
            #expect(try await ada.get("/v1/account").json["kind"] == "anonymous")
        }
    }

    @Test func `an adoption moves the enrolment, and ends the anonymous account`() async throws {
        try await ServerFixture.withCaller { caller in
            let email = "ada-\(UUID())@example.org"
            var owner = caller
            try await owner.register(email: email, password: Self.password)
            var ada = try await Self.start(caller)
            try await ada.enrol(in: Self.study)
            let enrolment = ada.own("")

            // One body for a wrong password, an unknown address and another's anonymous account.
            let wrong = try await ada.post(
                "/v1/account/adoption", Self.credentials(email, password: "wrong horse battery"))
            let unknown = try await ada.post(
                "/v1/account/adoption", Self.credentials("nobody-\(UUID())@example.org"))
            for answer in [wrong, unknown] {
                answer.expectProblem(401, "credentials-invalid")
                #expect(answer.json["detail"] == wrong.json["detail"])
            }
            #expect(try await owner.get(enrolment).status == 404)

            let adopted = try await ada.post("/v1/account/adoption", Self.credentials(email))
            #expect(adopted.status == 201 && adopted.json["account_kind"] == "registered")

            #expect(try await owner.get(enrolment).status == 200)
            var same = caller
            same.token = adopted.json["access_token"]?.string
            #expect(try await same.get(enrolment).status == 200)
            try await ada.get("/v1/account").expectProblem(401, "token-invalid")
            try await ada.post("/v1/account/adoption", Self.credentials(email))
                .expectProblem(401, "token-invalid")
        }
    }

    @Test func `an adoption of a second enrolment in a study changes nothing`() async throws {
        try await ServerFixture.withCaller { caller in
            let email = "ada-\(UUID())@example.org"
            var owner = caller
            try await owner.register(email: email, password: Self.password)
            try await owner.enrol(in: Self.study)
            var ada = try await Self.start(caller)
            try await ada.enrol(in: Self.study)

            let conflict = try await ada.post("/v1/account/adoption", Self.credentials(email))

            conflict.expectProblem(409, "already-enrolled")
            #expect(conflict.json["studies"] == [.string(Self.study)])
            #expect(try await ada.get(ada.own("")).status == 200)
            let erased = try await ada.post(ada.own("/withdrawal"), ["mode": "erase"])
            #expect(erased.status == 204)
            #expect(try await ada.post("/v1/account/adoption", Self.credentials(email)).status == 201)
            #expect(try await owner.get(owner.own("")).status == 200)
        }
    }

    @Test func `an anonymous account is erased without a password, a registered one is not`() async throws {
        try await ServerFixture.withCaller { caller in
            var ada = try await Self.start(caller)
            try await ada.enrol(in: Self.study)
            var owner = caller
            owner.token = try await caller.server.makeLogin().accessToken

            try await owner.send(.delete, "/v1/account", [:])
                .expectProblem(422, "body-invalid", ["/password"])
            #expect(try await ada.send(.delete, "/v1/account").status == 204)
            try await ada.get("/v1/account").expectProblem(401, "token-invalid")
        }
    }

    @Test func `a cached owner of an enrolment rejects no new owner`() async throws {
        let server = try await ServerFixture.running()
        let cache = MembershipCache(store: server.store)
        try await ServerFixture.withCaller { caller in
            let email = "ada-\(UUID())@example.org"
            var owner = caller
            try await owner.register(email: email, password: Self.password)
            var ada = try await Self.start(caller)
            try await ada.enrol(in: Self.study)
            func id(_ caller: APICaller) async throws -> AccountID {
                let text = try await caller.get("/v1/account").json["account_id"]?.string ?? ""
                return try #require(AccountID(text))
            }
            let enrolment = try #require(EnrolmentID(String(ada.own("").dropFirst("/v1/enrolments/".count))))
            #expect(try await cache.owns(id(ada), enrolment, now: ServerFixture.now))

            #expect(try await ada.post("/v1/account/adoption", Self.credentials(email)).status == 201)

            #expect(try await cache.owns(id(owner), enrolment, now: ServerFixture.now))
        }
    }

    @Test func `the session of an anonymous account is extended once a day, with its cookie`() async throws {
        let server = try await ServerFixture.running()
        let account = Account(
            anonymous: AccountID(UUID()), zone: nil, language: nil, createdAt: ServerFixture.now)
        try await server.store.insert(account)
        let family = UUID()
        _ = try await server.store.insertFamily(
            family, of: account.id, verified: account.passwordHash, tokenHash: RandomToken.make().digest,
            now: ServerFixture.now, expiresAt: ServerFixture.now.adding(seconds: account.kind.loginSeconds))
        let logger = ServerFixture.logger
        let revocations = RevocationList(store: server.store, now: { ServerFixture.now }, logger: logger)
        let sessions = WebSessions(
            store: server.store, keys: KeyRing(store: server.store, issuer: "https://s.example"),
            revocations: revocations)
        let cookie = RandomToken.make()
        try await server.store.insertWebSession(
            cookie.digest, of: family, now: ServerFixture.now, confirmedAt: nil)
        func session(days: Int, isPage: Bool = true) async throws -> WebSession? {
            try await sessions.identity(
                of: cookie.text, withGrants: true, isUse: true, isPage: isPage,
                now: ServerFixture.now.adding(seconds: days * 86_400))?.session
        }

        #expect(try await session(days: 0)?.renewedCookie == nil)
        #expect(try await session(days: 2, isPage: false)?.renewedCookie == nil)
        #expect(try await session(days: 2)?.renewedCookie == cookie.text)
        #expect(try await session(days: 2)?.renewedCookie == nil)
        #expect(try await session(days: 401)?.kind == .anonymous)
        #expect(try await session(days: 402)?.account == account.id)
        #expect(try await session(days: 900) == nil)
    }
}
