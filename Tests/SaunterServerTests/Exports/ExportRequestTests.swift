import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ExportRequestTests {
    private static let path = "/v1/studies/mindful-walking/exports"

    @Test func `the full profile needs a separate permission`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.post(Self.path, ["profile": "full"])

            answer.expectProblem(403, "not-permitted")
        }
    }

    @Test func `the public profile accepts no filter`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.post(
                Self.path, ["profile": "public", "from": "2026-01-01"])

            answer.expectProblem(400, "request-invalid")
        }
    }

    @Test func `a last date before the first date is rejected`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.post(
                Self.path, ["profile": "coded", "from": "2026-11-20", "to": "2026-11-10"])

            answer.expectProblem(400, "request-invalid")
            #expect(
                answer.json["detail"]
                    == "the last date, 2026-11-10, is before the first date, 2026-11-20")
        }
    }
}
