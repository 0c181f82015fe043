import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The list of datasets, and API tokens for datasets. The server of the fixture makes no dataset, so all of them wait.
/// The clock is fixed, so all were requested at the same time.
@Suite(.serialized) struct ExportListTests {
    private static let study = "small-steps"
    private static let path = "/v1/studies/small-steps/exports"

    private static func custodian(like caller: APICaller) async throws -> APICaller {
        var custodian = caller
        custodian.token = try await caller.server.makeLogin(
            Grant(role: .researcher, study: study, fullExport: true)
        ).accessToken
        return custodian
    }

    private static func id(_ body: JSON, by caller: APICaller) async throws -> String {
        try #require(try await caller.post(path, body).json["export_id"]?.string)
    }

    private static func ids(_ caller: APICaller, limit: Int = 100) async throws -> [String] {
        try await caller.pages("\(path)?limit=\(limit)").compactMap { $0["export_id"]?.string }
    }

    @Test func `the list has the datasets that the caller may read, page by page`() async throws {
        try await ServerFixture.withResearcher(of: Self.study) { rosa async throws in
            let sam = try await Self.custodian(like: rosa)
            let coded: JSON = ["profile": "coded", "formats": ["stata"]]
            let own = [
                try await Self.id(coded, by: rosa), try await Self.id(["profile": "public"], by: rosa),
            ]
            let full = try await Self.id(["profile": "full"], by: sam)

            let seen = try await Self.ids(rosa)
            let all = try await Self.ids(sam)

            #expect(Set(own).isSubset(of: seen) && !seen.contains(full))
            #expect(Set(own + [full]).isSubset(of: all))
            #expect(try await Self.ids(rosa, limit: 1) == seen)
            let item = try await rosa.pages("\(Self.path)?limit=1").first {
                $0["export_id"]?.string == own[0]
            }
            #expect(item?["request"]?["profile"] == coded["profile"])
            #expect(item?["request"]?["formats"] == coded["formats"])
            for id in own + [full] {
                #expect(try await sam.send(.delete, "\(Self.path)/\(id)").status == 204)
            }
            #expect(try await Self.ids(rosa) == seen, "datasets that ended stay in the list")
        }
    }

    @Test func `the list states which profiles the caller can request`() async throws {
        try await ServerFixture.withResearcher(of: Self.study) { rosa async throws in
            for (caller, allowed) in [
                (rosa, ["coded", "deidentified", "public"]),
                (try await Self.custodian(like: rosa), ["coded", "deidentified", "full", "public"]),
            ] {
                let profiles = try await caller.get(Self.path).json["profiles"]?.array ?? []

                #expect(
                    profiles.filter { $0["allowed"]?.bool == true }.compactMap { $0["profile"]?.string }
                        == allowed)
                #expect(
                    profiles.filter { $0["needs_password"]?.bool == true }
                        .compactMap { $0["profile"]?.string } == ["coded", "full"])
                #expect(profiles.allSatisfy { $0["measures"]?.array?.isEmpty == false })
            }
        }
    }

    @Test func `the list of another study is not found`() async throws {
        try await ServerFixture.withResearcher { stranger async throws in
            try await stranger.get(Self.path).expectProblem(404, "not-found")
        }
    }

    @Test func `an API token reads a dataset of its profile until it is revoked`() async throws {
        try await ServerFixture.withResearcher(of: Self.study) { rosa async throws in
            let sam = try await Self.custodian(like: rosa)
            let full = try await Self.id(["profile": "full", "formats": ["fhir"]], by: sam)
            let coded = try await Self.id(["profile": "coded", "formats": ["fhir"]], by: sam)
            let tokens = "/v1/studies/\(Self.study)/api-tokens"
            let made = try await sam.post(tokens, ["label": "Lines", "expires_in": 3600]).json
            var program = sam
            program.token = try #require(made["token"]?.string)

            #expect(try await program.get("\(Self.path)/\(coded)").status == 200)
            try await program.get("\(Self.path)/\(coded)/file").expectProblem(503, "busy")
            for end in ["", "/file"] {
                try await program.get("\(Self.path)/\(full)\(end)").expectProblem(403, "not-permitted")
            }
            try await program.get(Self.path).expectProblem(401, "token-invalid")
            try await program.send(.delete, "\(Self.path)/\(coded)").expectProblem(401, "token-invalid")

            let id = try #require(made["token_id"]?.string)
            #expect(try await sam.send(.delete, "\(tokens)/\(id)").status == 204)
            try await program.get("\(Self.path)/\(coded)").expectProblem(401, "token-invalid")
            for id in [full, coded] {
                #expect(try await sam.send(.delete, "\(Self.path)/\(id)").status == 204)
            }
        }
    }

    @Test func `members of a request that contradict each other are named`() async throws {
        try await ServerFixture.withResearcher(of: Self.study) { rosa async throws in
            let reversed = try await rosa.post(
                Self.path, ["profile": "coded", "from": "2026-11-20", "to": "2026-11-10"])
            let filtered = try await rosa.post(Self.path, ["profile": "public", "from": "2026-11-20"])

            for (answer, pointer, code) in [
                (reversed, "/to", "before_from"), (filtered, "/from", "not_with_profile"),
            ] {
                answer.expectProblem(400, "request-invalid")
                let errors = answer.json["errors"]?.array ?? []
                #expect(errors.compactMap { $0["pointer"]?.string } == [pointer])
                #expect(errors.compactMap { $0["code"]?.string } == [code])
            }
        }
    }
}
