import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct RescoringRouteTests {
    @Test func `only researchers of the study read its rescorings`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let own = try await caller.researcher(of: "mindful-walking")
            let other = try await caller.researcher(of: "all-types")

            let list = try await own.get("/v1/studies/mindful-walking/rescorings")
            let foreign = try await other.get("/v1/studies/mindful-walking/rescorings")
            let unknown = try await own.get(
                "/v1/studies/mindful-walking/rescorings/\(SampleBatch.newID())")

            #expect(list.status == 200)
            #expect([403, 404].contains(foreign.status))
            unknown.expectProblem(404, "not-found")
        }
    }
}
