import Foundation
import HTTPTypes
import Logging
import Postgres
import SaunterCore
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// How long a browser session is open for routes that need a role.
@Suite struct StaffSessionTests {
    private static let path = "/v1/studies/mindful-walking/participants"

    private static func session(confirmed: Int?, seen: Int?) -> WebSession {
        WebSession(
            tokenHash: [1], account: AccountID(UUID()), family: UUID(), expiresAt: .maximum,
            confirmedAt: confirmed.map { ServerFixture.now.adding(seconds: -$0) },
            seenAt: seen.map { ServerFixture.now.adding(seconds: -$0) })
    }

    @Test(
        arguments: [
            (0, 0, true), (8 * 3600 - 1, 0, true), (8 * 3600, 0, false), (0, 1799, true), (0, 1800, false),
            (nil, 0, false), (0, nil, false),
        ] as [(Int?, Int?, Bool)])
    func `a session is open for 8 hours after the password, and for 30 minutes without use`(
        confirmed: Int?, seen: Int?, isOpen: Bool
    ) {
        let session = Self.session(confirmed: confirmed, seen: seen)

        #expect(session.isOpenForStaff(at: ServerFixture.now) == isOpen)
    }

    @Test func `use is recorded once a minute, and does not open a closed session`() {
        #expect(!Self.session(confirmed: 0, seen: 59).needsRecordOfUse(at: ServerFixture.now))
        #expect(Self.session(confirmed: 0, seen: 60).needsRecordOfUse(at: ServerFixture.now))
        #expect(!Self.session(confirmed: 0, seen: 1800).needsRecordOfUse(at: ServerFixture.now))
    }

    @Test func `an act that needs a confirmed password accepts one of the last ten minutes`() {
        #expect(Self.session(confirmed: 599, seen: 0).isConfirmed(at: ServerFixture.now))
        #expect(!Self.session(confirmed: 600, seen: 0).isConfirmed(at: ServerFixture.now))
    }

    // MARK: Requests

    /// A session of a researcher whose password is `correct horse battery`.
    private struct Session {
        let server: ServerFixture
        let caller: APICaller
        let cookie: String

        func send(
            _ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil, headers more: HTTPFields = [:]
        ) async throws -> Answer {
            var headers: HTTPFields = [
                .cookie: "__Host-saunter=\(cookie)", .contentType: "application/json",
                .secFetchSite: "same-origin",
            ]
            headers.append(contentsOf: more)
            return try await caller.send(method, path, bytes: body?.bytes, headers: headers)
        }

        /// Moves the password and the last use into the past.
        func age(confirmed: Int, seen: Int) async throws {
            _ = try await server.store.identity.query(
                Statement(
                    name: "age_session",
                    sql:
                        "update identity.web_session set confirmed_at = $2, seen_at = $3 where token_hash = $1"
                ),
                [
                    .bytes(RandomToken.digest(of: cookie)),
                    .instant(ServerFixture.now.adding(seconds: -confirmed)),
                    .instant(ServerFixture.now.adding(seconds: -seen)),
                ])
        }
    }

    private static func start(
        _ caller: APICaller, as role: Role = .researcher, isPasswordEntered: Bool = true
    ) async throws -> Session {
        let server = caller.server
        let accounts = try ServerFixture.makeAccountService(server.store)
        let account = try await server.makeAccount(
            passwordHash: accounts.hash("correct horse battery"))
        try await server.store.upsert(
            Grant(role: role, study: "mindful-walking"), for: account.id, now: ServerFixture.now)
        let login = try #require(await accounts.insertLogin(of: account, now: ServerFixture.now))
        let sessions = WebSessions(
            store: server.store, keys: accounts.keys, revocations: accounts.revocations)
        let cookie = try await sessions.start(
            with: login.accessToken, isPasswordEntered: isPasswordEntered, now: ServerFixture.now)
        var anonymous = caller
        anonymous.token = nil
        return Session(server: server, caller: anonymous, cookie: cookie)
    }

    @Test func `the password opens a session again that was not used for half an hour`() async throws {
        try await ServerFixture.withCaller { caller in
            let session = try await Self.start(caller)
            #expect(try await session.send(.get, Self.path).status == 200)

            try await session.age(confirmed: 3600, seen: 1800)
            try await session.send(.get, Self.path).expectProblem(403, "password-required")
            try await session.send(.get, Self.path).expectProblem(403, "password-required")
            let wrong = try await session.send(.post, "/v1/session/confirmation", ["password": "wrong"])
            wrong.expectProblem(401, "credentials-invalid")
            try await session.send(.get, Self.path).expectProblem(403, "password-required")

            let right: JSON = ["password": "correct horse battery"]
            #expect(try await session.send(.post, "/v1/session/confirmation", right).status == 204)
            #expect(try await session.send(.get, Self.path).status == 200)
        }
    }

    @Test func `using an open session keeps it open`() async throws {
        try await ServerFixture.withCaller { caller in
            let session = try await Self.start(caller)
            try await session.age(confirmed: 7 * 3600, seen: 1700)

            #expect(try await session.send(.get, Self.path).status == 200)

            let digest = RandomToken.digest(of: session.cookie)
            let stored = try await caller.server.store.findWebSession(digest, now: ServerFixture.now)
            #expect(stored?.seenAt == ServerFixture.now)
            #expect(stored?.confirmedAt == ServerFixture.now.adding(seconds: -7 * 3600))
        }
    }

    @Test(arguments: [[.refresh: "1"], [.accept: "text/event-stream"]] as [HTTPFields])
    func `a page that refreshes by itself does not keep the session open`(headers: HTTPFields) async throws {
        try await ServerFixture.withCaller { caller in
            let session = try await Self.start(caller)
            try await session.age(confirmed: 3600, seen: 1700)

            #expect(try await session.send(.get, Self.path, headers: headers).status == 200)

            let digest = RandomToken.digest(of: session.cookie)
            let stored = try await caller.server.store.findWebSession(digest, now: ServerFixture.now)
            #expect(stored?.seenAt == ServerFixture.now.adding(seconds: -1700))
        }
    }

    @Test func `an export of coded data needs a password of the last ten minutes`() async throws {
        try await ServerFixture.withCaller { caller in
            let session = try await Self.start(caller)
            let exports = "/v1/studies/mindful-walking/exports"
            try await session.age(confirmed: 600, seen: 0)

            // The instant is in the future, so no dataset is queued.
            let future: JSON = "2999-01-01T00:00:00.000Z"
            let coded = try await session.send(.post, exports, ["profile": "coded", "as_of": future])
            let other = try await session.send(.post, exports, ["profile": "deidentified", "as_of": future])

            coded.expectProblem(403, "password-required")
            other.expectProblem(422, "body-invalid")
        }
    }

    @Test func `a message to many participants needs a password of the last ten minutes`() async throws {
        try await ServerFixture.withCaller { caller in
            let session = try await Self.start(caller, as: .coordinator)
            let path = "/v1/studies/mindful-walking/broadcasts/\(SampleBatch.newID())"
            // The arm does not exist, so nothing is stored.
            let body: JSON = [
                "audience": ["arms": ["unknown"]],
                "words": ["en": ["subject": "New times", "body": "At nine."]],
            ]

            try await session.age(confirmed: 599, seen: 0)
            try await session.send(.put, path, body).expectProblem(422, "body-invalid")
            try await session.age(confirmed: 600, seen: 0)
            try await session.send(.put, path, body).expectProblem(403, "password-required")
        }
    }

    @Test func `a login by a link does not open the routes of study teams, and other routes answer`()
        async throws
    {
        try await ServerFixture.withCaller { caller in
            let session = try await Self.start(caller, isPasswordEntered: false)

            try await session.send(.get, Self.path).expectProblem(403, "password-required")
            try await session.send(.get, "/v1/staff/studies").expectProblem(403, "password-required")
            #expect(try await session.send(.get, "/v1/account").status == 200)
        }
    }

    @Test func `only a browser session is confirmed`() async throws {
        try await ServerFixture.withResearcher { rosa in
            let answer = try await rosa.post("/v1/session/confirmation", ["password": "x"])

            answer.expectProblem(403, "not-permitted")
        }
    }
}
