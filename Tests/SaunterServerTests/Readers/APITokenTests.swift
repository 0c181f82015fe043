import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct APITokenTests {
    private static let path = "/v1/studies/mindful-walking/api-tokens"

    /// The status of a request to the OData feed with this API token.
    private static func read(_ token: String, _ caller: APICaller) async throws -> Int {
        var reader = caller
        reader.token = token
        return try await reader.get("/v1/studies/mindful-walking/odata/sheets").status
    }

    @Test func `a token is shown once, listed for its account, and revoked`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let made = try await rosa.post(Self.path, ["label": "to be revoked", "expires_in": 3600]).json
            let token = try #require(made["token"]?.string)
            let id = try #require(made["token_id"]?.string)
            #expect(token.count == 32)
            #expect(made["profile"] == "coded")
            #expect(made["used_at"] == .null)
            #expect(try await Self.read(token, rosa) == 200)

            let listed = try await rosa.pages("\(Self.path)?limit=1")
            #expect(listed.map { $0["label"] } == ["to be revoked"])
            #expect(listed.first?["token"] == nil)
            #expect(listed.first?["used_at"] != .null)

            let stranger = try await rosa.researcher()
            #expect(try await stranger.pages("\(Self.path)?limit=1").isEmpty)
            try await stranger.send(.delete, "\(Self.path)/\(id)").expectProblem(404, "not-found")
            #expect(try await Self.read(token, rosa) == 200)

            for _ in 0..<2 { #expect(try await rosa.send(.delete, "\(Self.path)/\(id)").status == 204) }

            #expect(try await Self.read(token, rosa) == 401)
            let actions = try await rosa.server.auditEntries(containing: id)
                .map { $0.split(separator: " ").first.map(String.init) }
            #expect(actions.filter { $0 == "api_token_made" }.count == 1)
            #expect(actions.contains("api_token_revoked"))
            #expect(try await !rosa.server.storedAPITokens().contains(token))
        }
    }

    @Test func `a repetition with the same id creates no second token`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let body: JSON = ["label": "once", "token_id": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40"]
            let made = try await rosa.post(Self.path, body)
            #expect(made.status == 201)
            #expect(made.json["token_id"] == "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40")

            try await rosa.post(Self.path, body).expectProblem(409, "id-reused")
            try await rosa.researcher().post(Self.path, body).expectProblem(409, "id-reused")
            try await rosa.post(Self.path, ["label": "once", "token_id": "x"])
                .expectProblem(422, "body-invalid")

            #expect(try await rosa.pages("\(Self.path)?limit=10").count == 1)
            #expect(try await Self.read(made.json["token"]?.string ?? "", rosa) == 200)
        }
    }

    @Test func `an account can have twenty tokens per study`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            for _ in 0..<20 {
                #expect(try await rosa.post(Self.path, ["label": "tests"]).status == 201)
            }

            let answer = try await rosa.post(Self.path, ["label": "one too many"])

            answer.expectProblem(403, "not-permitted")
        }
    }

    @Test func `a full token needs the permission for full exports`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.post(Self.path, ["label": "x", "profile": "full"])

            answer.expectProblem(403, "not-permitted")
        }
    }

    @Test func `a token is valid for the routes for readers and for no others`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let made = try await ada.researcher().post(Self.path, ["label": "tests"])
            var reader = ada
            reader.token = try #require(made.json["token"]?.string)
            let values = ["id": ada.enrolment, "study": "mindful-walking", "code": "pss_10"]
            let routes = ada.server.gateway.table.routes
                .filter { $0.who.needsIdentity && $0.who != .reader }
            #expect(routes.count > 20)

            for route in routes {
                let path = route.pathParameters.reduce(route.path) { path, parameter in
                    let value = values[parameter.name] ?? "0190a5c0-0000-7000-8000-000000000000"
                    return path.replacing("{\(parameter.name)}", with: value)
                }
                let answer = try await reader.send(route.method, path, [:])

                answer.expectProblem(401, "token-invalid")
            }
        }
    }
}
