import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct AuditedRequestTests {
    private static let password = "correct horse battery"

    /// Waits for an entry that is written in the background.
    private static func waitForEntries(_ caller: APICaller, containing text: String, _ count: Int)
        async throws -> [String]
    {
        for _ in 0..<500 {
            let entries = try await caller.server.auditEntries(containing: text)
            if entries.count >= count { return entries }
            try await Task.sleep(for: .milliseconds(10))
        }
        return try await caller.server.auditEntries(containing: text)
    }

    private static func account(_ caller: APICaller) async throws -> AccountID {
        let id = try await caller.get("/v1/account").json["account_id"]?.string
        return try #require(id.flatMap { AccountID($0) })
    }

    @Test func `logins are recorded: each good one, and bad ones once per hour`() async throws {
        try await ServerFixture.withCaller { caller in
            var person = caller
            let email = "\(UUID().uuidString.lowercased())@example.org"
            try await person.register(email: email, password: Self.password)
            let ref = caller.server.auditRef(of: try await Self.account(person))
            func logIn(_ password: String) async throws -> Int {
                try await caller.post(
                    "/v1/tokens", ["email": .string(email), "password": .string(password)]
                ).status
            }

            #expect(try await logIn("wrong") == 401)
            #expect(try await logIn("wrong again") == 401)
            #expect(try await Self.waitForEntries(caller, containing: ref, 2).count == 2)
            #expect(try await logIn(Self.password) == 201)
            #expect(try await logIn(Self.password) == 201)

            let entries = try await caller.server.auditEntries(containing: ref)
            #expect(
                entries == [
                    "registered {}", #"login_failed {"account_ref": "\#(ref)"}"#, "logged_in {}",
                    "logged_in {}",
                ])
            #expect(try await caller.server.auditEntries(containing: email) == [])
        }
    }

    @Test func `a login with an unknown address is recorded without the address`() async throws {
        try await ServerFixture.withCaller { caller in
            let email = "\(UUID().uuidString.lowercased())@example.org"

            let attempts = 8
            for _ in 0..<attempts {
                let answer = try await caller.post(
                    "/v1/tokens", ["email": .string(email), "password": .string(Self.password)])
                #expect(answer.slug == "credentials-invalid")
            }

            let entries = try await Self.waitForEntries(caller, containing: "login_failed,,,,{}", 1)
            // All strangers of a server together have one entry per hour. Other tests are strangers too, some with
            // separate limits, and the hour can change.
            #expect(Set(entries) == ["login_failed {}"])
            #expect(entries.count < attempts)
            #expect(try await caller.server.auditEntries(containing: email) == [])
        }
    }

    @Test func `changes of the address and the password, and a wrong password, are recorded`() async throws {
        try await ServerFixture.withCaller { caller in
            var person = caller
            let email = "\(UUID().uuidString.lowercased())@example.org"
            try await person.register(email: email, password: Self.password)
            let ref = caller.server.auditRef(of: try await Self.account(person))

            for body: JSON in [
                ["email": .string("a\(email)"), "password": "wrong"],
                ["email": .string("a\(email)"), "password": .string(Self.password)],
                ["new_password": "another long password", "password": .string(Self.password)],
            ] {
                _ = try await person.send(.patch, "/v1/account", body)
            }

            #expect(
                try await caller.server.auditEntries(containing: ref)
                    == ["registered {}", "password_wrong {}", "email_changed {}", "password_changed {}"])
        }
    }

    @Test(arguments: ["participants", "adherence", "changes", "devices", "balance"])
    func `a researcher's reading is recorded once per hour and route`(list: String) async throws {
        try await ServerFixture.withCaller { caller in
            let login = try await caller.server.makeLogin(Grant(role: .researcher, study: "mindful-walking"))
            var researcher = caller
            researcher.token = login.accessToken

            for _ in 0..<3 {
                #expect(try await researcher.get("/v1/studies/mindful-walking/\(list)").status == 200)
            }

            let entries = try await caller.server.auditEntries(
                containing: caller.server.auditRef(of: login.account))
            #expect(entries == [#"data_read {"route": "GET /v1/studies/{study}/\#(list)"}"#])
        }
    }

    @Test func `a coordinator's reading is recorded, and a coordinator's writing is not recorded as reading`()
        async throws
    {
        try await ServerFixture.withCaller { caller in
            let login = try await caller.server.makeLogin(Grant(role: .coordinator, study: "mindful-walking"))
            var coordinator = caller
            coordinator.token = login.accessToken
            let codes = "/v1/studies/mindful-walking/enrolment-codes"

            #expect(try await coordinator.get(codes).status == 200)
            _ = try await coordinator.post(codes, [:])

            let entries = try await caller.server.auditEntries(
                containing: caller.server.auditRef(of: login.account)
            ).filter { $0.hasPrefix("data_read") }
            #expect(entries == [#"data_read {"route": "GET /v1/studies/{study}/enrolment-codes"}"#])
        }
    }

    @Test(arguments: AccessKind.allCases) func `reading is recorded for every role, and only for roles`(
        kind: AccessKind
    ) {
        func route(_ method: HTTPRequest.Method) -> Route {
            Route(
                method, "/v1/studies/{study}/things", who: Access<Anyone>(kind: kind) { _ in Anyone() },
                tag: "", summary: "", parameters: [.study], outcomes: []
            ) { _ in .noContent }
        }
        // The routes for readers record what they return themselves.
        #expect(route(.get).recordsReading == (kind.needsGrants && kind != .reader))
        #expect(!route(.post).recordsReading)
    }

    @Test func `requests that a rate limit rejects are recorded once per hour and route`() async throws {
        try await ServerFixture.withParticipant { caller in
            let ref = caller.server.auditRef(of: try await Self.account(caller))
            let zones = ["Europe/Lisbon", "Europe/Berlin"]

            var rejected = 0
            for number in 0..<60 {
                let answer = try await caller.send(
                    .patch, caller.own(""), ["time_zone": .string(zones[number % 2])])
                if answer.slug == "too-many-requests" { rejected += 1 }
            }

            #expect(rejected > 1)
            #expect(
                try await caller.server.auditEntries(containing: ref)
                    == [#"throttled {"route": "PATCH /v1/enrolments/{id}"}"#])
        }
    }

    @Test func `an entry is written again in the next hour`() async throws {
        try await ServerFixture.withCaller { caller in
            let audit = caller.server.makeHourlyAudit()
            let account = AccountID(UUID())
            let entry = AuditEntry(actor: .account(account), action: "data_read")

            for minutes in [0, 20, 40, 80] {
                try await audit.record(entry, at: ServerFixture.now.adding(seconds: minutes * 60))
            }

            let entries = try await caller.server.auditEntries(
                containing: caller.server.auditRef(of: account))
            #expect(entries.count == 2)
        }
    }
}
