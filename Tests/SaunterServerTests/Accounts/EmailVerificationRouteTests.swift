import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct EmailVerificationRouteTests {
    private static let password = "correct horse battery"

    @Test func `a code verifies the address of a new account, once and for this account only`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            var (ada, eve) = (caller, caller)
            let email = "ada-\(UUID())@example.org"
            try await ada.register(email: email, password: Self.password)
            eve.token = try await caller.server.makeLogin().accessToken
            let account = try await ada.get("/v1/account").json
            let mails = try await caller.server.mails(of: account["account_id"]?.string ?? "")
            let code = mails[.emailVerification]?["code"]?.string ?? ""

            #expect(Set(mails.keys) == [.emailVerification])
            #expect(mails[.emailVerification]?["to"]?.string == email)
            #expect(account["email_verified_at"] == .null)
            #expect(account["new_email"] == .null)

            let byEve = try await eve.send(.put, "/v1/email-verifications/\(code)")
            byEve.expectProblem(404, "not-found")
            let first = try await ada.send(.put, "/v1/email-verifications/\(code)")
            let second = try await ada.send(.put, "/v1/email-verifications/\(code)")

            #expect(first.status == 204)
            second.expectProblem(404, "not-found")
            let verified = try await ada.get("/v1/account").json["email_verified_at"]
            #expect(verified == .instant(ServerFixture.now))
        }
    }

    @Test func `a change of address waits for its code, and both changes of the login are notified`()
        async throws
    {
        try await ServerFixture.withCaller { caller async throws in
            var ada = caller
            let (email, newEmail) = ("ada-\(UUID())@example.org", "new-\(UUID())@example.org")
            try await ada.register(email: email, password: Self.password)
            let id = try await ada.get("/v1/account").json["account_id"]?.string ?? ""
            func code() async throws -> String {
                try await caller.server.mails(of: id)[.emailVerification]?["code"]?.string ?? ""
            }
            #expect(try await ada.send(.put, "/v1/email-verifications/\(code())").status == 204)

            let changed = try await ada.send(
                .patch, "/v1/account",
                [
                    "email": .string(newEmail), "password": .string(Self.password),
                    "new_password": "another horse battery",
                ])
            #expect(changed.json["email"]?.string == email)
            #expect(changed.json["new_email"]?.string == newEmail)
            #expect(try await ada.send(.post, "/v1/email-verifications").status == 202)
            #expect(try await ada.send(.put, "/v1/email-verifications/\(code())").status == 204)

            let account = try await ada.get("/v1/account").json
            #expect(account["email"]?.string == newEmail)
            #expect(account["new_email"] == .null)
            let mails = try await caller.server.mails(of: id)
            #expect(mails[.emailChanged]?["to"]?.string == email)
            #expect(mails[.passwordChanged]?["to"]?.string == email)
        }
    }

    @Test func `a change to the address of another account is rejected at once`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            var (ada, eve) = (caller, caller)
            let email = "ada-\(UUID())@example.org"
            try await ada.register(email: email, password: Self.password)
            try await eve.register(email: "eve-\(UUID())@example.org", password: Self.password)

            let changed = try await eve.send(
                .patch, "/v1/account", ["email": .string(email), "password": .string(Self.password)])

            changed.expectProblem(409, "email-taken")
        }
    }

    @Test func `an account can request five codes per hour`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            var ada = caller
            ada.token = try await caller.server.makeLogin().accessToken

            for _ in 0..<5 { #expect(try await ada.send(.post, "/v1/email-verifications").status == 202) }
            let sixth = try await ada.send(.post, "/v1/email-verifications")

            sixth.expectProblem(429, "too-many-requests")
        }
    }
}
