import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The routes for the team of the study `small-steps`.
@Suite struct RoleRouteTests {
    private static let study = "small-steps"
    private static let path = "/v1/studies/small-steps"

    // MARK: The rule

    @Test(
        arguments: [
            (nil, nil, Role.editor, false, nil), (true, nil, .researcher, true, nil),
            (nil, false, .editor, true, nil),
            (false, nil, .coordinator, false, "not-permitted"),
            (nil, true, .researcher, false, "not-permitted"),
            (true, nil, .editor, true, "body-invalid"), (nil, true, .editor, true, "body-invalid"),
        ] as [(Bool?, Bool?, Role, Bool, String?)])
    func `only an admin gives permissions, and only roles that read answers have them`(
        fullExport: Bool?, seesArms: Bool?, role: Role, isAdmin: Bool, slug: String?
    ) {
        let caller = Identity(
            account: AccountID(UUID()), family: UUID(),
            grants: [
                isAdmin
                    ? Grant(role: .admin, study: Grant.allStudies)
                    : Grant(role: .coordinator, study: Self.study)
            ])
        var found: String?
        do {
            try RolePermissions(fullExport: fullExport, seesArms: seesArms)
                .check(for: role, by: caller, study: Self.study)
        } catch {
            found = Problem(error).type.slug
        }

        #expect(found == slug)
    }

    // MARK: The routes

    @Test func `the response to an invitation is the same for every address, and takes as long`() async throws
    {
        try await ServerFixture.withParticipant(in: Self.study) { ada in
            let cora = try await Self.member(.coordinator, like: ada)
            let known = try await ada.server.makeAccount(passwordHash: "none")
            let participant = try await ada.get("/v1/account").json["email"]?.string ?? ""
            for email in [known.address, participant, "new-\(UUID())@example.org"] {
                let startedAt = ContinuousClock.now
                let answer = try await cora.post("\(Self.path)/invitations", Self.body(email))

                #expect(answer.status == 202 && answer.text.isEmpty, "\(answer.text)")
                #expect(ContinuousClock.now - startedAt >= RoleRoutes.responseTime)
                let entry = try #require(try await Self.entry(email, cora))
                #expect(entry["state"] == "invited" && entry["name"] == "Ben Hill")
            }
        }
    }

    @Test func `faults of an invitation are named`() async throws {
        try await ServerFixture.withCaller { caller in
            let cora = try await Self.member(.coordinator, like: caller)
            let own = try await cora.get("/v1/account").json["email"]?.string ?? ""
            let path = "\(Self.path)/invitations"

            try await cora.post(path, Self.body(own.uppercased()))
                .expectProblem(422, "body-invalid", ["/email"])
            try await cora.post(path, Self.body("ben@example.org", name: "  "))
                .expectProblem(422, "body-invalid", ["/name"])
            try await cora.post(path, Self.body("no address", role: "admin"))
                .expectProblem(422, "body-invalid", ["/email", "/role"])
            try await cora.post(
                path, ["email": "ben@example.org", "name": "Ben", "role": "researcher", "sees_arms": true]
            ).expectProblem(403, "not-permitted")
        }
    }

    @Test func `an account sends a limited number of invitations, and an address gets fewer`() async throws {
        try await ServerFixture.withCaller { caller in
            let cora = try await Self.member(.coordinator, like: caller)
            let email = "often-\(UUID())@example.org"
            for _ in 0..<5 {
                #expect(try await cora.post("\(Self.path)/invitations", Self.body(email)).status == 202)
            }

            try await cora.post("\(Self.path)/invitations", Self.body(email.uppercased()))
                .expectProblem(429, "too-many-requests")
        }
    }

    @Test func `a removed role ends at once, and so does its API token`() async throws {
        try await ServerFixture.withCaller { caller in
            let cora = try await Self.member(.coordinator, like: caller)
            let rosa = try await Self.member(.researcher, like: caller)
            let account = try await rosa.get("/v1/account").json["account_id"]?.string ?? ""
            let token = try await rosa.post("\(Self.path)/api-tokens", ["label": "Notebook"]).json
            var program = rosa
            program.token = token["token"]?.string
            #expect(try await program.get("\(Self.path)/odata/").status == 200)

            let role = "\(Self.path)/roles/\(account)/researcher"
            #expect(try await cora.send(.delete, role).status == 204)

            try await rosa.get("\(Self.path)/participants").expectProblem(403, "not-permitted")
            #expect(try await program.get("\(Self.path)/odata/").status == 401)
            try await cora.send(.delete, role).expectProblem(404, "not-found")
            try await cora.send(.delete, "\(Self.path)/roles/\(account)/admin").expectProblem(
                404, "not-found")
        }
    }

    private static func member(_ role: Role, like caller: APICaller) async throws -> APICaller {
        var member = caller
        member.token = try await caller.server.makeLogin(Grant(role: role, study: study)).accessToken
        return member
    }

    private static func body(_ email: String, name: String = "Ben Hill", role: String = "researcher") -> JSON
    {
        ["email": .string(email), "name": .string(name), "role": .string(role)]
    }

    private static func entry(_ email: String, _ caller: APICaller) async throws -> JSON? {
        try await caller.pages("\(path)/roles?limit=1000").first { $0["email"]?.string == email }
    }
}
